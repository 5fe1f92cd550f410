"""Metadata: keys and values that clients attach to their objects."""
