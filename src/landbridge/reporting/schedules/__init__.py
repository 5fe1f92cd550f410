"""Scheduled reports, announced by an event."""
