"""What is sent to Elliptic about a deposit or payment: a hash, addresses, and a reference of ours.

Nothing about users is: a customer of Elliptic is one screening.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from landbridge.providers.packages.interface import (
    NotDone,
    RequestedScreening,
    ScreeningDirection,
    ScreeningRequest,
)
from landbridge_elliptic.client import TRANSACTIONS, WALLETS, EllipticService
from landbridge_elliptic.settings import EllipticExample, EllipticOptions

_HOLISTIC = {"asset": "holistic", "blockchain": "holistic"}
_DIGEST_CHARS = 32


@dataclass(frozen=True, slots=True)
class EllipticOrder:
    """Analysis to be made: `body` as the API takes it."""

    service: EllipticService
    body: Mapping[str, Any]

    @property
    def subject_hash(self) -> str:
        """Hash of what is analysed."""
        return str(self.body["subject"]["hash"])


def analysis_order(request: ScreeningRequest, options: EllipticOptions) -> EllipticOrder:
    """Return the analysis that screens a request; raises `NotDone` if Elliptic does not screen it.

    Sources: `HolisticAnalysisRequest` and `HolisticWalletAnalysisRequest` of the OpenAPI document.
    A deposit is screened by where its funds come from, a payment by the address that gets it.
    """
    if f"{request.currency}/{request.chain}" not in options.assets:
        raise NotDone("the settings have no such asset")
    example = _example(request.test_outcome, options)
    reference = customer_reference(request)
    if request.direction is ScreeningDirection.PAYMENT:
        address = request.destination_address if example is None else example.address
        if address is None:
            raise NotDone("a payment without a destination")
        subject = {**_HOLISTIC, "type": "address", "hash": address}
        body = {
            "subject": subject,
            "type": "wallet_exposure",
            "customer_reference": reference,
        }
        return EllipticOrder(WALLETS, body)
    transaction, output = request.transaction_hash, request.destination_address
    if example is not None:
        transaction, output = example.transaction, example.output_address
    if transaction is None or output is None:
        raise NotDone("a deposit without a transaction or a destination")
    subject = {
        **_HOLISTIC,
        "type": "transaction",
        "hash": transaction,
        "output_type": "address",
        "output_address": output,
    }
    body = {"subject": subject, "type": "source_of_funds", "customer_reference": reference}
    return EllipticOrder(TRANSACTIONS, body)


def customer_reference(request: ScreeningRequest) -> str:
    """Return our key with a digest of the request, by which the same key is known with another."""
    parts = (
        request.org_id,
        request.amount,
        request.currency,
        request.direction,
        request.chain,
        request.transaction_hash,
        request.source_address,
        request.destination_address,
        request.test_outcome,
    )
    text = "\n".join("" if part is None else str(part) for part in parts)
    return f"{reference_prefix(request.key)}{_digest(text)}"


def reference_prefix(key: UUID) -> str:
    """Return the part of a reference that is the same for all requests with a key."""
    return f"{key}."


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGEST_CHARS]


def _example(
    outcome: RequestedScreening | None, options: EllipticOptions
) -> EllipticExample | None:
    """Return what is analysed for a test outcome; None for a request that is none of the suite."""
    if outcome is None:
        return None
    if options.test is None or outcome not in TEST_OUTCOMES:
        raise NotDone("the test outcome is not in the settings")
    return options.test.hit if outcome is RequestedScreening.HIT else options.test.clear


# Elliptic has no way to make an answer late, or to withhold one.
TEST_OUTCOMES = (RequestedScreening.CLEAR, RequestedScreening.HIT)
