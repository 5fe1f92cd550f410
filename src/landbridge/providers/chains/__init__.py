"""Chains and their stablecoins: the port, and the sandbox's adapter."""
