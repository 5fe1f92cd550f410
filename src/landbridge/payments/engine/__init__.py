"""Payment engine: parties, amounts, postings, orders and replies shared by all flows."""
