"""Deterministic random source: the same seed generates the same history."""

from random import Random

__all__ = ["Random"]
