"""Exchange of travel rule data with other providers: inquiries, answers and confirmations."""
