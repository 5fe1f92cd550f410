"""Idempotency keys of a payment's orders: a chain, provider or bank executes one key once.

The keys are derived from the organisation and the `requestId`, not from the payment's id, which is
random. A database that is restored from a backup lacks the payments made after the backup. If a
client repeats such a request, it gets a payment with another id but with the same keys, so its
orders are recognised and not paid again. Payments that the platform creates by itself have derived
ids, and their keys are derived from these ids.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

import msgspec

from landbridge.ledger.model import Transfer
from landbridge.platform.core.ids import derived_id

# Field in the details of a payment that a client requested. Payments of release 0.1.0 lack it:
# their keys are derived from their ids, because providers know them by these keys.
_KEYED_BY_REQUEST = "keyed_by_request"


def requested_details(
    details: object, amounts: Mapping[str, Any] | None = None
) -> Mapping[str, Any]:
    """Return the details of a payment that a client requests, as the ledger stores them."""
    return {**msgspec.to_builtins(details), **(amounts or {}), _KEYED_BY_REQUEST: True}


def order_key(record: Transfer, name: str) -> UUID:
    """Return the key of an order of a payment, the same for every attempt."""
    root = record.id
    if record.details.get(_KEYED_BY_REQUEST):
        root = derived_id(record.org_id, f"orders/{record.request_id}")
    return derived_id(root, name)
