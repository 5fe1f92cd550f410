"""Routes of resolutions: /v2/reviews/resolutions. Ours; for people who resolve stuck payments."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.path_params import known_transfer
from landbridge.payments.approvals.model import ApprovalStatus
from landbridge.payments.engine.attention import needs_attention
from landbridge.payments.engine.resolution_actions import ResolutionAction, ResolutionInstruction
from landbridge.payments.resolutions.model import (
    EVIDENCE_LENGTH_MAX,
    ResolutionStatus,
    evidence_required,
)
from landbridge.payments.resolutions.service import Resolutions, ResolutionView, ResolvablePayment
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.formats.schemas import prose
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import query, some_of, with_schema
from landbridge.platform.http.list_query import parse_choices
from landbridge.platform.http.path_params import known_id
from landbridge.platform.http.responses import Moment, WireStruct, moment, reply_of

_HASH_LENGTH_MAX = 200
_ADDRESS_LENGTH_MAX = 200


class ResolutionRequest(WireStruct, frozen=True):
    """Request of a resolution: the action on a stuck payment, and its evidence.

    `transactionHash` may be given with CONFIRM. `address` (on the refund's chain) or `accountId` (a
    bank account of the same user) is where REDIRECT sends a refund.
    """

    request_id: UUID
    transfer_id: UUID
    action: ResolutionAction
    evidence: Annotated[
        str, with_schema(prose(EVIDENCE_LENGTH_MAX), max_length=EVIDENCE_LENGTH_MAX)
    ]
    transaction_hash: Annotated[str, msgspec.Meta(max_length=_HASH_LENGTH_MAX)] | None = None
    address: Annotated[str, msgspec.Meta(max_length=_ADDRESS_LENGTH_MAX)] | None = None
    account_id: UUID | None = None


class ResolutionReply(WireStruct, frozen=True):
    """Resolution. `failedReason` is why it was not executed; `evidence` may be erased."""

    id: UUID
    transfer_id: UUID
    transfer_type: str
    action: ResolutionAction
    status: ResolutionStatus
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
    """Page of resolutions, newest first."""

    count: int
    resolutions: list[ResolutionReply]
    next_cursor: Moment | msgspec.UnsetType = msgspec.UNSET


class ActionReply(WireStruct, frozen=True):
    """Action that the payment allows now, and what its evidence has to show."""

    action: ResolutionAction
    evidence: str


class ResolvableReply(WireStruct, frozen=True):
    """Payment with its possible actions, and its resolutions so far, newest first.

    `attention` is why it needs a person, if the worker has noted that.
    """

    transfer_id: UUID
    transfer_type: str
    status: str
    attention: str | None
    actions: list[ActionReply]
    resolutions: list[ResolutionReply]


class ResolutionRoutes(Controller):
    """Routes of resolutions."""

    path = "/v2/reviews/resolutions"
    tags = ("Reviews",)

    @post(status_code=200, summary="Request a resolution", operation_id="resolutions.create")
    async def request(
        self,
        request: ApiRequest,
        data: JSONBody[ResolutionRequest],
        resolutions: NamedDependency[Resolutions],
    ) -> ResolutionReply:
        """Request a resolution, which waits for a second person at /v2/transfer-approvals."""
        instruction = copy_fields(data, ResolutionInstruction)
        created = await resolutions.request(
            request.user, data.request_id, data.transfer_id, instruction, evidence=data.evidence
        )
        return _reply(created)

    @get(summary="List resolutions", operation_id="resolutions.list")
    async def page(
        self,
        request: ApiRequest,
        resolutions: NamedDependency[Resolutions],
        window: NamedDependency[PageWindow],
        status: Annotated[
            list[str] | None,
            query(None, some_of(ResolutionStatus), description="One or several (default all)."),
        ] = None,
    ) -> ResolutionPage:
        """List resolutions of any status, newest first."""
        statuses = parse_choices("status", status, ResolutionStatus) or frozenset(ResolutionStatus)
        found = await resolutions.page(request.user, statuses, window)
        return ResolutionPage(
            count=len(found),
            resolutions=[_reply(each) for each in found],
            next_cursor=moment(found[-1].resolution.record.created_at) if found else msgspec.UNSET,
        )

    @get(
        "/{resolutionId:str}", summary="Retrieve a resolution", operation_id="resolutions.retrieve"
    )
    async def retrieve(
        self,
        request: ApiRequest,
        resolutionId: FromPath[str],
        resolutions: NamedDependency[Resolutions],
    ) -> ResolutionReply:
        """Return a resolution of any status."""
        resolution_id = known_id(resolutionId, "resolution", TransactionNotFound)
        return _reply(await resolutions.get(request.user, resolution_id))

    @get(
        "/actions/{transferId:str}",
        summary="List possible actions on a payment",
        operation_id="resolutions.listActions",
    )
    async def actions(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        resolutions: NamedDependency[Resolutions],
    ) -> ResolvableReply:
        """List the possible actions; none while the payment continues or waits for its owner."""
        transfer_id = known_transfer(transferId)
        return _resolvable(await resolutions.options(request.user, transfer_id))


def _reply(view: ResolutionView) -> ResolutionReply:
    resolution, approval = view.resolution, view.approval
    record, details = resolution.record, resolution.details
    instruction = details.instruction
    return reply_of(
        instruction,
        ResolutionReply,
        id=record.id,
        transfer_id=details.transfer_id,
        transfer_type=details.transfer_kind,
        status=resolution.status,
        evidence=view.evidence,
        requested_by=details.requested_by,
        approval_id=None if approval is None else approval.id,
        approval_status=None if approval is None else approval.status,
        failed_reason=details.failed_reason,
        created_at=record.created_at,
        updated_at=record.updated_at,
    )


def _resolvable(found: ResolvablePayment) -> ResolvableReply:
    record = found.record
    actions = () if found.choices is None else found.choices.actions
    return ResolvableReply(
        transfer_id=record.id,
        transfer_type=record.kind,
        status=record.status,
        attention=needs_attention(record),
        actions=[ActionReply(action=each, evidence=evidence_required(each)) for each in actions],
        resolutions=[_reply(each) for each in found.resolutions],
    )
