"""Ports to the outside world and their adapters: chains, rails, rates, identity, screening."""
