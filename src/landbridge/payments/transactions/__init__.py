"""Read models across all kinds of transfers: one list, total balances, and a search."""
