"""The people and businesses whose wallets an organisation runs, and the terms they accepted."""
