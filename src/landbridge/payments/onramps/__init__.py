"""Onramps: convert fiat into stablecoins, after a quote or through a virtual account."""
