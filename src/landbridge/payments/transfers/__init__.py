"""Wallet transfers: a user's coins, sent to another user or to a registered external address."""
