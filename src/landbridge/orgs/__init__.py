"""Organisations and their API keys: who the tenants are, and who may speak for them."""
