"""Routes of resolutions: /v2/reviews/resolutions. Ours; for people who decide on stuck payments."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from landbridge.approvals.model import Status as ApprovalStatus
from landbridge.core.pages import Window
from landbridge.flows.resolutions.model import EVIDENCE_LENGTH_MAX, Status, needs_evidence_of
from landbridge.flows.resolutions.service import Resolutions, ResolutionView, Resolvable
from landbridge.ledger.errors import TransactionNotFound
from landbridge.payments.attention import needs_attention
from landbridge.payments.resolving import Action, Instruction
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import words
from landbridge.web.paths import known_id
from landbridge.web.reply import Moment, WireStruct, moment

_HASH_LENGTH_MAX = 200
_ADDRESS_LENGTH_MAX = 200


class ResolutionRequest(WireStruct, frozen=True):
    """What is to be done with a stuck payment, and how that was found out.

    `transactionHash` may come with CONFIRM; `address` (on the refund's chain) or `accountId` (a
    bank account of the same user) say where REDIRECT sends a refund.
    """

    request_id: UUID
    transfer_id: UUID
    action: Action
    evidence: Annotated[str, msgspec.Meta(max_length=EVIDENCE_LENGTH_MAX)]
    transaction_hash: Annotated[str, msgspec.Meta(max_length=_HASH_LENGTH_MAX)] | None = None
    address: Annotated[str, msgspec.Meta(max_length=_ADDRESS_LENGTH_MAX)] | None = None
    account_id: UUID | None = None


class ResolutionReply(WireStruct, frozen=True):
    """A resolution. `failedReason` says why it was not carried out; `evidence` may be erased."""

    id: UUID
    transfer_id: UUID
    transfer_type: str
    action: Action
    status: Status
    evidence: str | None
    transaction_hash: str | None
    address: str | None
    account_id: UUID | None
    requested_by: str
    approval_id: UUID | None
    approval_status: ApprovalStatus | None
    failed_reason: str | None
    created_at: Moment
    updated_at: Moment


class ResolutionPage(WireStruct, frozen=True):
    """A page of resolutions, newest first."""

    count: int
    resolutions: list[ResolutionReply]
    next_cursor: Moment | None


class ActionReply(WireStruct, frozen=True):
    """An action that the payment allows now, and what its evidence has to show."""

    action: Action
    evidence: str


class ResolvableReply(WireStruct, frozen=True):
    """A payment, what can be decided on it now, and its resolutions so far, newest first.

    `attention` says why it needs a person, where the worker has noted that.
    """

    transfer_id: UUID
    transfer_type: str
    status: str
    attention: str | None
    actions: list[ActionReply]
    resolutions: list[ResolutionReply]


class ResolutionRoutes(Controller):
    """Decisions on payments that a provider refuses or does not answer about."""

    path = "/v2/reviews/resolutions"
    tags = ("Reviews",)

    @post(status_code=200, summary="Request a resolution")
    async def request(
        self,
        request: ApiRequest,
        data: JSONBody[ResolutionRequest],
        resolutions: NamedDependency[Resolutions],
    ) -> ResolutionReply:
        """Waits for the approval of a second person, at /v2/transfer-approvals."""
        instruction = Instruction(
            action=data.action,
            transaction_hash=data.transaction_hash,
            address=data.address,
            account_id=data.account_id,
        )
        made = await resolutions.request(
            request.user, data.request_id, data.transfer_id, instruction, evidence=data.evidence
        )
        return _reply(made)

    @get(summary="List resolutions")
    async def page(
        self,
        request: ApiRequest,
        resolutions: NamedDependency[Resolutions],
        window: NamedDependency[Window],
        status: Annotated[
            list[str] | None, QueryParameter(description="One or several; all if left out.")
        ] = None,
    ) -> ResolutionPage:
        """Newest first, whatever became of them."""
        statuses = words("status", status, Status) or frozenset(Status)
        found = await resolutions.page(request.user, statuses, window)
        return ResolutionPage(
            count=len(found),
            resolutions=[_reply(each) for each in found],
            next_cursor=moment(found[-1].resolution.record.created_at) if found else None,
        )

    @get("/{resolutionId:str}", summary="Retrieve a resolution")
    async def retrieve(
        self,
        request: ApiRequest,
        resolutionId: FromPath[str],
        resolutions: NamedDependency[Resolutions],
    ) -> ResolutionReply:
        """Whatever became of it."""
        resolution_id = known_id(resolutionId, "resolution", TransactionNotFound)
        return _reply(await resolutions.get(request.user, resolution_id))

    @get("/actions/{transferId:str}", summary="List what can be decided on a payment")
    async def actions(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        resolutions: NamedDependency[Resolutions],
    ) -> ResolvableReply:
        """Nothing, while the payment moves on by itself or waits for its owner."""
        transfer_id = known_id(transferId, "transaction", TransactionNotFound)
        return _resolvable(await resolutions.options(request.user, transfer_id))


def _reply(view: ResolutionView) -> ResolutionReply:
    resolution, approval = view.resolution, view.approval
    record, details = resolution.record, resolution.details
    instruction = details.instruction
    return ResolutionReply(
        id=record.id,
        transfer_id=details.transfer_id,
        transfer_type=details.transfer_kind,
        action=instruction.action,
        status=resolution.status,
        evidence=view.evidence,
        transaction_hash=instruction.transaction_hash,
        address=instruction.address,
        account_id=instruction.account_id,
        requested_by=details.requested_by,
        approval_id=None if approval is None else approval.id,
        approval_status=None if approval is None else approval.status,
        failed_reason=details.failed_reason,
        created_at=moment(record.created_at),
        updated_at=moment(record.updated_at),
    )


def _resolvable(found: Resolvable) -> ResolvableReply:
    record = found.record
    actions = () if found.choices is None else found.choices.actions
    return ResolvableReply(
        transfer_id=record.id,
        transfer_type=record.kind,
        status=record.status,
        attention=needs_attention(record),
        actions=[ActionReply(action=each, evidence=needs_evidence_of(each)) for each in actions],
        resolutions=[_reply(each) for each in found.resolutions],
    )
