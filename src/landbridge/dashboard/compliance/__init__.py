"""KYC data of users, and the review queues of compliance officers."""
