"""Prices of stablecoins in each other and in fiat: the port, and the price table."""
