"""Webhooks: events delivered to the addresses of organisations."""
