"""Virtual accounts: bank details of a user, and the settlement of deposits on them."""
