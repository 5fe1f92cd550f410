"""Sidecars: programs in any language that connect a provider over HTTP."""
