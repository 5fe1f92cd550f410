"""The append-only log of everything that happened to any object."""
