"""Pages of transactions: list, details and search."""
