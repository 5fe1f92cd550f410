"""Deposits on real chains: coins from outside that arrive at the addresses of users' wallets."""
