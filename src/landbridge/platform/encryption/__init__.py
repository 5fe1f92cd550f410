"""Encryption of personal data: one key for each person, so that each can be erased separately."""
