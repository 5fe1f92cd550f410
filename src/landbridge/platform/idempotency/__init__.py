"""Idempotency keys for writes that have no request id in their body."""
