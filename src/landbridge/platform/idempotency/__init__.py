"""Idempotency keys of writes without a request id in their body."""
