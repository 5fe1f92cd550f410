"""Rates of requests: how many a second of one key, one organisation, one client address."""
