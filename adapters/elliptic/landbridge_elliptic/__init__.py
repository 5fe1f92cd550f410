"""Elliptic for Landbridge: screening of coins. Built from documentation, never run live."""

from landbridge_elliptic.adapter import EllipticScreening

__all__ = ["EllipticScreening"]
