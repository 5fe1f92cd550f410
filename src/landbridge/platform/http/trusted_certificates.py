"""Certificates that this machine trusts, for outgoing connections."""

import ssl
from functools import cache


@cache
def trusted_certificates() -> ssl.SSLContext:
    """Return a TLS context with them; reading takes 40 ms, so each process does it once."""
    return ssl.create_default_context()


def client_certificates(path: str) -> ssl.SSLContext:
    """Return a TLS context that also presents our own certificate, for mutual TLS.

    The PEM file at `path` has the certificate and its key. Raises `OSError`, including
    `ssl.SSLError`, if they can't be read.
    """
    context = ssl.create_default_context()
    # With an empty password, a key that has one is refused instead of prompting on the terminal.
    context.load_cert_chain(path, password=lambda: "")
    return context
