"""Orders on EVM chains: stored, then signed, then sent, and followed until they are final."""
