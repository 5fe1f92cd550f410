"""Messages about payees; see `protocol.py`."""

from typing import Any
from uuid import UUID

from landbridge.providers.rails.port import PayeeMatch
from landbridge.providers.sidecar.protocol import BankText, SidecarMessage

PAYEES_PATH = "/v1/payees"


class PayeeRequest(SidecarMessage, frozen=True):
    """Question whether a bank knows the account of a payee under the name of its holder.

    `payee` is as in `PayoutRequest`. `testOutcome` is sent by `landbridge adapters test` only.
    """

    org_id: UUID
    currency: str
    rail: str
    payee: dict[str, Any]
    test_outcome: PayeeMatch | None = None


class PayeeAnswer(SidecarMessage, frozen=True):
    """Whether the name matches. `name` is the holder's, and is required for a close match only."""

    match: PayeeMatch
    name: BankText | None = None
