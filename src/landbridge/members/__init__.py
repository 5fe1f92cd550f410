"""The people of an organisation: members, how they sign in, and their sessions."""
