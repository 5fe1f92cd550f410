"""Signer of Solana: its policy and its keys."""
