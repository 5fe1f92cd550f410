"""Organisation settings, audit log and sandbox."""
