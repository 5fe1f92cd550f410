"""Faults planted in code and data, each of which the audit must name."""
