"""Contract suite: checks that anybody can run against an adapter (`landbridge adapters test`)."""
