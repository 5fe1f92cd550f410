"""Providers as their operators see them: what each serves, its health, and what waits for it."""
