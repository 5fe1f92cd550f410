"""The signer's side of Solana: its policy and its keys."""
