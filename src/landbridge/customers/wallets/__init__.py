"""Wallets of users on chains, their registered external addresses, and deposits.

A wallet references its user by id only, because the package `users` depends on this one.
"""
