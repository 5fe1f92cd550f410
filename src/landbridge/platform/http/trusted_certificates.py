"""Certificates that this machine trusts, for connections to others."""

import ssl
from functools import cache


@cache
def trusted_certificates() -> ssl.SSLContext:
    """Return their context; reading them takes 40 ms, so each process does it once."""
    return ssl.create_default_context()


def client_certificates(path: str) -> ssl.SSLContext:
    """Return the same, with our own certificate and its key from a PEM file, for mutual TLS.

    Raises `OSError` if they can't be read, also `ssl.SSLError`.
    """
    context = ssl.create_default_context()
    # Without a password: a key that has one is refused, and does not ask on the terminal.
    context.load_cert_chain(path, password=lambda: "")
    return context
