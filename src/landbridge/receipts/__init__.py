"""Fiat that arrived at the bank: each credit once, matched to what it pays, or given back."""
