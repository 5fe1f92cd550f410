"""Event payloads: each object as its retrieve route returned it right after the change."""
