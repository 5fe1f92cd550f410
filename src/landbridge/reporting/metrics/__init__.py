"""Metrics: templates, calculation, and metrics saved by an organisation."""
