"""Swaps: one stablecoin into another on the same chain, quoted first, then accepted."""
