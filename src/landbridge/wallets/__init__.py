"""Wallets of users on chains, the addresses they registered outside, and what arrived.

A wallet knows its owner as an id only; users are the package above.
"""
