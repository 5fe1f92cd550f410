"""Bank accounts of users: one table of fields per type, and what becomes of an account."""
