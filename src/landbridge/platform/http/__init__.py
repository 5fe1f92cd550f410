"""HTTP toolkit: authentication, request decoding, responses, errors, limits and egress."""
