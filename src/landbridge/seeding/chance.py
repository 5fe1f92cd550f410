"""Chance that can be repeated: the same number makes the same past."""

from random import Random

__all__ = ["Random"]
