"""Organisations (tenants) and their API keys."""
