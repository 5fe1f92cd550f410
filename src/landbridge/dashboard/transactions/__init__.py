"""Payments of all kinds, one of them, and the search for anything."""
