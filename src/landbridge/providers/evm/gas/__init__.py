"""Costs of gas: what validators were paid for the transactions of each order."""
