"""Payments and statements exchanged with a bank as files: an adapter of `rails`."""
