"""Disbursements: coins that the house pays to one address by an order of their own."""
