"""Bridges between connected chains: messages, their attestations, and what a chain configures."""
