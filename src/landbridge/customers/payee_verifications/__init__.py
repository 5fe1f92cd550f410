"""Verification of payees: whether their bank knows an account under the holder's name."""
