"""Offramps: convert stablecoins of a wallet into fiat on a bank account."""
