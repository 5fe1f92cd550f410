"""Resolutions: what a reviewer decides on a stuck payment, once a second person has approved it."""
