"""Prices of stablecoins in each other and in fiat: the port, the price table, the market.

And reference rates, which say what money is worth.
"""
