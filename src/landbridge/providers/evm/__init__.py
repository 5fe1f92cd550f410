"""EVM chains: configuration, client of their nodes, fees and contract calls."""
