"""Rate limits of requests per second, for each key, organisation and client address."""
