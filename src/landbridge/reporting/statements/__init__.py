"""Account statements of users' wallets, between two balances."""
