"""Landbridge: a self-hosted stablecoin payments platform."""

__version__ = "0.1.0"
