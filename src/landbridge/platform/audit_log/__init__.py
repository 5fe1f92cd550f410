"""Audit log: the change log as auditors read it. It writes nothing."""
