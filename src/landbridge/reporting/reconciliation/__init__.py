"""Reconciliation: compares what the ledger says is outside with what outside systems hold."""
