"""Verification of users: submissions of KYC data for each rail, statuses and reviews."""
