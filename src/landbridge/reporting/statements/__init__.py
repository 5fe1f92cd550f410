"""Account statements: what came and went in a user's wallets, between two balances."""
