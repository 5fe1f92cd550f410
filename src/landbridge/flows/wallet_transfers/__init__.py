"""Wallet transfers: coins of a user to another user, or to a registered address outside."""
