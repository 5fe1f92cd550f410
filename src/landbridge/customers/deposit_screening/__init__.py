"""Deposits from outside that wait in the suspense account until a provider has screened them."""
