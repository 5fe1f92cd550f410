"""Lists across all users of an organisation: accounts, wallets and deposits."""
