"""Solana: configuration, nodes, custody, orders and deposits. Needs the extra `solana`."""
