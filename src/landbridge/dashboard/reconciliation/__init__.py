"""Pages of reconciliation: differences, runs, daily closes and halts."""
