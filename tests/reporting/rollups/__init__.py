"""Roll-ups of the log."""
