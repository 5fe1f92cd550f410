"""Pages of reconciliation: differences, runs and daily closes."""
