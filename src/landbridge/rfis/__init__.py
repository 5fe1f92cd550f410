"""Requests for information: compliance asks about a payment, which waits until that is closed."""
