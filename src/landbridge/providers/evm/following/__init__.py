"""Block follower: reads the blocks of EVM chains and the token transfers in them."""
