"""Markets of connected chains: pools of Uniswap v3."""
