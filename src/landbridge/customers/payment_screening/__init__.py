"""Outgoing payments that are not sent until a provider has screened their destinations."""
