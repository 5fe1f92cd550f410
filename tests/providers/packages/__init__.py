"""Providers connected by a Python package."""
