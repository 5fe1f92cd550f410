"""What is told about users for verification, and what each rail requires of it."""
