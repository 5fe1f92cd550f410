"""Landbridge: a self-hosted stablecoin payments platform."""
