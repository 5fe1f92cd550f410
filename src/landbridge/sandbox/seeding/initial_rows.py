"""Creation of seeded records."""

from collections.abc import Mapping, Sequence
from typing import Any

from landbridge.ledger.model import CreateTransfer, Posting
from landbridge.payments.engine.outgoing_transfers import OutgoingTransferStatus
from landbridge.payments.engine.postings import hold
from landbridge.platform.core.money import Asset, Money
from landbridge.sandbox.seeding.placeholders import Placeholders


def opening(
    placeholders: Placeholders,
    kind: str,
    path: tuple[str, ...],
    request: Mapping[str, Any],
    details: Mapping[str, Any],
    *,
    ends: tuple[Money, Money],
    journals: Mapping[int, Sequence[Posting]] | None = None,
    request_id: str = "request",
) -> CreateTransfer:
    """Build a record of `payer`, created by the key at time 0; `ends` are its two sides."""
    return CreateTransfer(
        org_id=placeholders.id("org"),
        id=placeholders.id("id"),
        kind=kind,
        user_id=placeholders.id("payer"),
        request_id=placeholders.id(request_id),
        request=request,
        path=path,
        source=ends[0],
        destination=ends[1],
        details=details,
        due_at=None,
        at=placeholders.moment(0),
        actor=placeholders.text("actor"),
        journals=journals or {},
    )


def outgoing_transfer(
    placeholders: Placeholders,
    kind: str,
    request: dict[str, Any],
    details: Any,
    *,
    ends: tuple[Money, Money],
    needs_approval: bool,
) -> CreateTransfer:
    """Build a wallet transfer or a batch that holds the coins it sends."""
    status = (
        OutgoingTransferStatus.PENDING_APPROVAL
        if needs_approval
        else OutgoingTransferStatus.CREATED
    )
    return opening(
        *(placeholders, kind, (status,), request, details),
        ends=ends,
        journals={0: hold(placeholders.id("payer_account"), ends[0])},
    )


def outgoing_request(
    placeholders: Placeholders, asset: Asset, to: dict[str, Any], *, needs_approval: bool
) -> dict[str, Any]:
    """Build the request of a wallet transfer or a batch."""
    return {
        "requestId": str(placeholders.id("request")),
        "source": {"userId": str(placeholders.id("payer"))},
        "destination": to,
        "currency": asset.currency,
        "chain": asset.chain,
        **({"requireApproval": True} if needs_approval else {}),
    }


def hashes(placeholders: Placeholders, prefix: str = "") -> dict[str, str]:
    """Build the hashes of a chain transaction."""
    return {
        f"{prefix}transaction_hash": placeholders.text(f"{prefix}hash"),
        f"{prefix}user_op_hash": placeholders.text(f"{prefix}op_hash"),
    }
