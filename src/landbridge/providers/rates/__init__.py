"""Prices of stablecoins in each other and in fiat: the port, the price table, the market.

Also reference rates, which value money.
"""
