"""Batches: coins of a user to many payees in one transaction of the chain, all or none."""
