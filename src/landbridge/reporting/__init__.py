"""Reporting: metrics, roll-ups, schedules, exports and account statements."""
