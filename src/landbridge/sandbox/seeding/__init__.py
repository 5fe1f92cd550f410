"""Seeded organisations with a history, for demos and benchmarks; their books balance."""
