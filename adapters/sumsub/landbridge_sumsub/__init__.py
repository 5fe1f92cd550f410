"""Sumsub for Landbridge: verification of users. Built from documentation, never run live."""

from landbridge_sumsub.adapter import SumsubIdentity

__all__ = ["SumsubIdentity"]
