"""Webhooks of Sumsub: an HMAC over the body, by the algorithm that a header names.

Sources: docs.sumsub.com/docs/webhook-manager (SHA256 is the default, SHA512 can be chosen) and
/user-verification-webhooks. What could be read of the first page ends before the names of the
headers; they are those that programs which cite it use.
"""

import hmac

import msgspec

from landbridge.providers.packages.interface import InboundWebhook, WebhookInvalid

# An older algorithm, by SHA-1, is not accepted.
_ALGORITHMS = {"HMAC_SHA256_HEX": "sha256", "HMAC_SHA512_HEX": "sha512"}


class SumsubEvent(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Webhook: which applicant it is about, and never how that changed."""

    external_user_id: str | None = None


def verify_webhook(webhook: InboundWebhook, secret: str | None) -> None:
    """Raise `WebhookInvalid` unless it is signed with the secret. The time is constant."""
    algorithm = _ALGORITHMS.get(webhook.headers.get("x-payload-digest-alg", ""))
    if secret is None or algorithm is None:
        raise WebhookInvalid
    expected = hmac.digest(secret.encode(), webhook.body, algorithm).hex()
    given = webhook.headers.get("x-payload-digest", "")
    if not hmac.compare_digest(expected.encode(), given.encode()):
        raise WebhookInvalid
