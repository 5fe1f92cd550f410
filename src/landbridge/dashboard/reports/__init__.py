"""Charts, saved metrics, statements, schedules."""
