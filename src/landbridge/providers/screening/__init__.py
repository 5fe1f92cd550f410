"""Screening of names: sanctions lists, lists of politically exposed persons, and name matching."""
