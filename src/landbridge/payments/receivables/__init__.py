"""Receivables: fiat that users owe because their bank took it back after it was used."""
