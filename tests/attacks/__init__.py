"""Attacks on a running server without a key."""
