"""Simulated state of the sandbox's chains and banks: each order, by key."""
