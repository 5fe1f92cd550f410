"""Payouts and statements as files that are exchanged with a bank: an adapter of `rails`."""
