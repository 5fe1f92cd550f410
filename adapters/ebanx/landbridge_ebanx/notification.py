"""Notifications of EBANX, by its documentation: RSA with SHA-1 over the body.

Source: docs.ebanx.com/docs/payout/general/notification. What could be read of the page does not
say under which names a notification has the identifiers of payouts, so each word that may be one is
looked up at EBANX.
"""

import base64
import binascii
import re

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from landbridge.providers.packages.interface import InboundWebhook, WebhookInvalid

_TYPE = "rsa,sha1"
_HASH_CODE = re.compile(rb"(?<![0-9A-Za-z])[0-9a-f]{32,64}(?![0-9A-Za-z])")
_HASH_CODES_MAX = 20


def verify_notification(webhook: InboundWebhook, certificate: x509.Certificate | None) -> None:
    """Raise `WebhookInvalid` unless it is signed by the certificate of the settings."""
    if certificate is None:
        raise WebhookInvalid
    headers = webhook.headers
    # The provider's algorithm. Only what identifies a payout is taken from a notification.
    algorithm = hashes.SHA1()  # noqa: S303
    kind = headers.get("x-signaturetype", "").replace(" ", "").lower()
    fingerprint = headers.get("x-signaturefingerprint", "").replace(":", "").lower()
    public_key = certificate.public_key()
    if kind != _TYPE or fingerprint != certificate.fingerprint(algorithm).hex():
        raise WebhookInvalid
    if not isinstance(public_key, rsa.RSAPublicKey):
        raise WebhookInvalid
    try:
        signature = base64.b64decode(headers.get("x-signaturecontent", ""), validate=True)
        public_key.verify(signature, webhook.body, padding.PKCS1v15(), algorithm)
    except (binascii.Error, ValueError, InvalidSignature):
        raise WebhookInvalid from None


def hash_codes(body: bytes) -> list[str]:
    """Return what may be identifiers of payouts, each once; raises `ValueError` if too many."""
    found = list(dict.fromkeys(match.decode() for match in _HASH_CODE.findall(body)))
    if len(found) > _HASH_CODES_MAX:
        raise ValueError(f"a notification about more than {_HASH_CODES_MAX} payouts")
    return found
