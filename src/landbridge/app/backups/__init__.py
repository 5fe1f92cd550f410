"""Backups of the whole database: taken while servers run, verified, and restored elsewhere."""
