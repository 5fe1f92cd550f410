"""Bank accounts of users: a field table per type, and the status of each account."""
