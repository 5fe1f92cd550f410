"""What is known of users, and the queues of those who verify it."""
