"""Attacks on a running server by somebody without a key."""
