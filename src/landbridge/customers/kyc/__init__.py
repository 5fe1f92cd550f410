"""KYC data of users, and the requirements of each rail."""
