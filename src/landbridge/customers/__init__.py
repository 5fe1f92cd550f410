"""End users and the people of an organisation: wallets, KYC, bank accounts, team."""
