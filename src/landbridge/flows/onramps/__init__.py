"""Onramps: fiat in, stablecoins out; quoted first, or through a virtual account."""
