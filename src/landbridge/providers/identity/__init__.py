"""Port to identity verification providers: a sandbox, and manual review."""
