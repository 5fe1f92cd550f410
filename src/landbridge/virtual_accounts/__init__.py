"""Virtual accounts: bank details of a user, and how what arrives there is settled."""
