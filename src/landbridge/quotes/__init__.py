"""Quotes: what is sent, what is received, at which rate and for which fee."""
