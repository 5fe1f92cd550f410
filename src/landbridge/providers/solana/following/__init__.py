"""Follower of Solana's token accounts: reads the transfers into them."""
