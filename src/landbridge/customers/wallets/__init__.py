"""Wallets of users on chains, their registered external addresses, and deposits.

A wallet references its owner by id only; users are the package above.
"""
