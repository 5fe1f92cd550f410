"""Gas costs: what the transactions of each order have cost in native coins."""
