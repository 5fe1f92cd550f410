"""Idempotency keys of writes whose objects have no request id of their own."""
