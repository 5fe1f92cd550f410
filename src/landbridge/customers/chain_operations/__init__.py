"""Chains as their operators see them: nodes, relayers, orders, treasury, and stopped accounts."""
