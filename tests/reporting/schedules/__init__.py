"""Tests of scheduled reports."""
