"""Team of an organisation: members, sign-in and sessions."""
