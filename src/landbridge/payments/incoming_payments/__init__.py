"""Incoming payments: fiat at the bank, recorded once per credit, then matched or returned."""
