"""Batches: a user's coins, sent to all of several recipients in one chain transaction."""
