"""Contract suite: checks that a stranger runs against an adapter (`landbridge adapters test`)."""
