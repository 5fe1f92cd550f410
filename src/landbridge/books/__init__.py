"""The books at a glance: payments of all kinds in one list, balances in sum, and a search."""
