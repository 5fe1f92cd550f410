"""Approvals (four eyes): request the approval of a payment, vote on it, expire it."""
