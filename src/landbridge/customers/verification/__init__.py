"""Submissions of that data, rail by rail: statuses and reviews."""
