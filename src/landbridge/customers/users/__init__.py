"""Persons and businesses with wallets at an organisation, and the terms they accepted."""
