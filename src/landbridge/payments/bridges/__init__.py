"""Bridges: a stablecoin is burned on one chain and minted on another."""
