"""Renewal of an expired offramp: quotes the same payout again, and keeps a valid approval.

Guarantees:
- An expired offramp is renewed once: the request id of the new one is derived from its id. An
  approval therefore counts for one payout at a time, and a repeated call returns the same offramp.
- An approval is kept only for the approved payout: `keeps_approval` compares the payout, and bounds
  the quote by the quote that was approved, not by a later one. The approval must also be at most a
  day old, its policy unchanged since its request, and its approvers still allowed to decide
  (`Approvals.carriable`).
- Otherwise the new offramp awaits an approval of its own.
"""

from dataclasses import dataclass, replace
from typing import Final
from uuid import UUID

import msgspec

from landbridge.ledger.model import CreateTransfer
from landbridge.payments.approvals.model import OFFRAMP_LIFETIME, Approval
from landbridge.payments.approvals.service import Approvals
from landbridge.payments.engine.create_transfer import (
    CreationOptions,
    TransferCreation,
    TransferDraft,
)
from landbridge.payments.engine.order_keys import order_key
from landbridge.payments.engine.request_options import RequestOptions
from landbridge.payments.offramps.model import (
    KIND,
    QUOTE_LIFETIME,
    TRANSITIONS,
    Offramp,
    OfframpDetails,
    OfframpStatus,
    as_offramp,
)
from landbridge.payments.offramps.planned_steps import planned_steps
from landbridge.payments.offramps.request import OfframpFeeRequest, OfframpRequest
from landbridge.payments.offramps.service import Offramps
from landbridge.payments.offramps.texts import PayoutTexts
from landbridge.platform.core.errors import Refused, ResourceConflict
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.http.caller import Caller
from landbridge.providers.chains.tokens import Chain

# Per cent by which the received amount may be below that of the approved quote. Prices change by a
# fraction of this within minutes; a payee would notice a larger loss.
LOSS_PERCENT_MAX: Final = 1
_PERCENT: Final = 100

# Details that an approver decides on, besides the amounts.
_APPROVED: Final = (
    "source_address",
    "source_account_id",
    "external_wallet_id",
    "return_address",
    "destination_user_id",
    "account_id",
    "payment_rail",
    "is_same_day",
    "is_exact_out",
    "purpose",
    "fees",
)


@dataclass(frozen=True, slots=True)
class OfframpRenewals:
    """Renews expired quotes of offramps."""

    offramps: Offramps
    transfer_creation: TransferCreation
    approvals: Approvals

    async def renew(self, caller: Caller, offramp_id: UUID) -> Offramp:
        """Quote an expired offramp again, as a new one; a repeated call returns the same one.

        Raises `TransactionNotFound`, `ResourceConflict` unless its quote expired, and the errors of
        `Offramps.create`.
        """
        offramps = self.offramps
        expired = await offramps.get(caller.org_id, offramp_id)
        if refusal := renewal_refusal(expired):
            raise refusal
        record = expired.record
        texts = await offramps.archive.of(record.org_id, record.id, record.user_id)
        params = repeated_request(expired, texts)
        at = offramps.clock.stamp(caller.clock_offset)
        granted = await self.approvals.carriable(record.org_id, record.id, at)
        approved = None
        if granted is not None:
            approved = await offramps.get(record.org_id, granted.transfer_id)
        request_id = order_key(record, "renewal")

        async def build(needs_approval: bool) -> TransferDraft:  # noqa: FBT001  as DraftBuilder
            draft = await offramps.build_draft(
                caller, request_id, params, dict(record.request), needs_approval=needs_approval
            )
            if not needs_approval or granted is None or approved is None:
                return draft
            return _with_approval(draft, granted, approved)

        created = await self.transfer_creation.create(
            caller,
            build,
            TRANSITIONS,
            CreationOptions(
                kind=KIND,
                request_id=request_id,
                request=record.request,
                planned_steps=planned_steps,
                needs_approval=params.requires_approval or caller.payments_need_approval,
                approval_lifetime=OFFRAMP_LIFETIME,
                request_options=RequestOptions(metadata=record.metadata),
            ),
        )
        return as_offramp(created)


def renewal_refusal(offramp: Offramp) -> Refused | None:
    """Return why the quote can't be renewed; None if it can."""
    is_quoted = offramp.details.quote_expires_at is not None
    is_accepted = offramp.details.accepted_at is not None
    if offramp.status is OfframpStatus.QUOTE_FAILED and is_quoted and not is_accepted:
        return None
    return ResourceConflict(
        f"only an expired quote can be renewed; this offramp is {offramp.status}"
    )


def repeated_request(offramp: Offramp, texts: PayoutTexts) -> OfframpRequest:
    """Rebuild the request that created an offramp, with its texts."""
    details, asset = offramp.details, offramp.gross.asset
    return copy_fields(
        details,
        OfframpRequest,
        source_user_id=None if offramp.is_external else offramp.record.user_id,
        return_address=offramp.record.request["source"].get("returnAddress"),
        chain=Chain(asset.chain),
        currency=asset.currency,
        source_amount=None if details.is_exact_out else offramp.amount.decimal,
        destination_currency=offramp.receive.asset.currency,
        destination_amount=offramp.receive.decimal if details.is_exact_out else None,
        references=texts.references,
        description=texts.description,
        document_type=texts.document_type,
        document_url=texts.document_url,
        supporting=texts.supporting,
        fees=tuple(
            OfframpFeeRequest(each.type, each.value, each.wallet_address) for each in details.fees
        ),
        requires_approval=details.needs_approval,
    )


def keeps_approval(approved: Offramp, creation: CreateTransfer) -> bool:
    """Return whether `creation` is the approved payout at an acceptable quote.

    It debits no more than was approved, and pays at most 1% less.
    """
    details = msgspec.convert(creation.details, OfframpDetails, strict=False)
    if any(getattr(details, name) != getattr(approved.details, name) for name in _APPROVED):
        return False
    if creation.source.asset != approved.gross.asset or creation.source > approved.gross:
        return False
    if creation.destination.asset != approved.receive.asset:
        return False
    least = approved.receive.units * (_PERCENT - LOSS_PERCENT_MAX)
    return creation.destination.units * _PERCENT >= least


def as_quoted(creation: CreateTransfer) -> CreateTransfer:
    """Return the creation with an open quote, in place of one that awaits an approval."""
    due_at = creation.at + QUOTE_LIFETIME
    last = len(creation.path)
    return replace(
        creation,
        path=(*creation.path, OfframpStatus.OPEN_QUOTE),
        details={**creation.details, "quote_expires_at": due_at.isoformat()},
        due_at=due_at,
        journals={last: creation.journals[last - 1]} if creation.journals else {},
    )


def _with_approval(draft: TransferDraft, granted: Approval, approved: Offramp) -> TransferDraft:
    if not keeps_approval(approved, draft.creation):
        return draft
    return replace(draft, creation=as_quoted(draft.creation), granted_approval=granted)
