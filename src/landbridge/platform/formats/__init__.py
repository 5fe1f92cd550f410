"""Formats of external data: names, addresses, phone and tax numbers, bank accounts."""
