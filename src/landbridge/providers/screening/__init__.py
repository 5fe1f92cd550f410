"""Sanctions lists, and name matching against them."""
