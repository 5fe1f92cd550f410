"""Offramps: stablecoins out of a wallet, fiat into a bank account."""
