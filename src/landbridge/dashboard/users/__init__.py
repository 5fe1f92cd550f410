"""Users, their wallets, bank accounts and virtual accounts."""
