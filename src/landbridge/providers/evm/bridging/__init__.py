"""Bridges between connected chains: messages and their attestations."""
