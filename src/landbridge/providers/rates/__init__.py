"""Prices of stablecoins in each other and in fiat: the port, the price table, the market.

It also has the reference rates, which are used to value money.
"""
