"""Bank accounts of users."""
