"""Follows the blocks of EVM chains and reads the token transfers in them."""
