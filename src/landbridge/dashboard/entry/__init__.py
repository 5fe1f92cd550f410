"""Coming in: signing in, second factors, invitations; one's own profile."""
