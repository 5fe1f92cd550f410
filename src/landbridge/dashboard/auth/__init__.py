"""Sign-in, second factors, invitations and the member's own profile."""
