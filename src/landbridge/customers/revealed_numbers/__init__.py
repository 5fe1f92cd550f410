"""Revealed numbers: one masked number of a user for a member, with a reason in the audit log."""
