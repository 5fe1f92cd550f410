"""What is told about users for verification: data, owners, documents, and what each rail requires."""
