"""Made-up organisations with a past, for demos and benchmarks; their books balance."""
