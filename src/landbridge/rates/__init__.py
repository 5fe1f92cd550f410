"""Prices of one stablecoin in another: the port, and the organisation's own price table."""
