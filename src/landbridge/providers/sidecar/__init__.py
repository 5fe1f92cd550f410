"""Providers connected by a sidecar: a program in any language that serves payouts over HTTP."""
