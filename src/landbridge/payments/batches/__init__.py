"""Batches: a user's coins, sent to many recipients in one chain transaction, all or none."""
