"""Orders on EVM chains: stored first, then signed, then sent, then followed until final."""
