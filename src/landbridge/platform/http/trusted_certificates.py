"""Certificates that this machine trusts, for connections to others."""

import ssl
from functools import cache


@cache
def trusted_certificates() -> ssl.SSLContext:
    """Return their context; reading them takes 40 ms, so each process does it once."""
    return ssl.create_default_context()
