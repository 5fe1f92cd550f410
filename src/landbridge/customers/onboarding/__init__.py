"""Hosted pages on which a person verifies themselves."""
