"""Follows token accounts on Solana, and reads the transfers into them."""
