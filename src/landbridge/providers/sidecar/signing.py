"""Signatures of the provider protocol: HMAC-SHA256 over purpose, time, subject and body.

Guarantees:
- a signature is valid for one purpose only: a request, the answer to one request, or a webhook;
- both sides accept either of two secrets, so a secret can be replaced without downtime;
- secrets appear in no repr, error or log.

Source: docs/reference/provider-protocol.md.
"""

import hmac
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import NamedTuple

KEY_HEADER = "landbridge-key"
TIMESTAMP_HEADER = "landbridge-timestamp"
SIGNATURE_HEADER = "landbridge-signature"
WEBHOOK_ID_HEADER = "landbridge-webhook-id"

# Tolerated clock difference in seconds; a replay within it repeats a message that changes nothing.
TOLERANCE_S = 300
_VERSION = "landbridge-v1"
# Digits of a Unix time until the year 5138.
_DIGITS_MAX = 11


_WEBHOOK_ID_FORM = re.compile(r"[A-Za-z0-9._-]{1,100}", re.ASCII)


class SignedPurpose(StrEnum):
    """Purpose of a signed message; a signature for one purpose is not valid for another."""

    REQUEST = "request"
    ANSWER = "answer"
    WEBHOOK = "webhook"


class SigningSecret(NamedTuple):
    """Secret shared with a provider, and the id by which messages refer to it."""

    id: str
    secret: bytes

    def __repr__(self) -> str:
        return f"SigningSecret({self.id})"


class SignatureInvalid(Exception):
    """The signature is missing or wrong; the message contains none of its values."""


def sign(
    key: SigningSecret, purpose: SignedPurpose, subject: str, body: bytes, *, at_s: int
) -> dict[str, str]:
    """Return the signature headers of a message sent at this Unix time."""
    return {
        KEY_HEADER: key.id,
        TIMESTAMP_HEADER: str(at_s),
        SIGNATURE_HEADER: _signature(key, purpose, str(at_s), subject, body),
    }


def verify(
    keys: Sequence[SigningSecret],
    headers: Mapping[str, str],
    purpose: SignedPurpose,
    subject: str,
    body: bytes,
    *,
    at_s: int,
) -> None:
    """Check the signature of a message received at this Unix time.

    Names of headers are in lower case.

    Raises:
        SignatureInvalid: It is not signed with one of these keys, or not within the tolerance.
    """
    key_id, timestamp = headers.get(KEY_HEADER), headers.get(TIMESTAMP_HEADER, "")
    signature = headers.get(SIGNATURE_HEADER, "")
    key = next((each for each in keys if each.id == key_id), None)
    if key is None:
        raise SignatureInvalid("it names no known key")
    is_number = timestamp.isascii() and timestamp.isdigit() and len(timestamp) <= _DIGITS_MAX
    if not is_number or abs(int(timestamp) - at_s) > TOLERANCE_S:
        raise SignatureInvalid(f"its time is missing, or more than {TOLERANCE_S} s from ours")
    expected = _signature(key, purpose, timestamp, subject, body)
    # Header bytes that are not text were decoded to surrogates, which can't be encoded again.
    if not hmac.compare_digest(expected.encode(), signature.encode(errors="replace")):
        raise SignatureInvalid("its signature is wrong")


def is_webhook_id(text: str) -> bool:
    """Return whether a text is a valid id of a webhook."""
    return _WEBHOOK_ID_FORM.fullmatch(text) is not None


def _signature(
    key: SigningSecret, purpose: SignedPurpose, timestamp: str, subject: str, body: bytes
) -> str:
    head = f"{_VERSION}\n{purpose}\n{timestamp}\n{subject}\n".encode()
    return hmac.digest(key.secret, head + body, "sha256").hex()
