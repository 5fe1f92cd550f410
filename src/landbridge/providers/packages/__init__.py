"""Providers connected by a Python package: it runs in a process of its own, as a sidecar does."""
