"""Sandbox-only operations: funding, clock, scripted outcomes. Refused in production."""
