"""Chains and the stablecoins on them."""
