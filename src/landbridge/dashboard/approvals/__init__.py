"""Payments that wait for a person: votes, questions, deposits."""
