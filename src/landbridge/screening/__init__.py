"""Sanctions lists, and names matched against them."""
