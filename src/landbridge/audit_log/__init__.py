"""Who did what: a reading of the log of changes for auditors. It writes nothing."""
