"""Personal data at rest: one key for each person, so that one person can be forgotten."""
