"""Disbursements: coins that the organisation pays to one address by a separate order."""
