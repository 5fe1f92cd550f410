"""Reconciliation: compares the ledger's outside balances with those of chains and banks."""
