"""Resolutions: a reviewer's decisions on stuck payments, each approved by a second person."""
