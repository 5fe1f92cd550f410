"""Orders on Solana: signs, sends and follows their transactions."""
