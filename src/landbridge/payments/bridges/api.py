"""Routes of bridges: /v2/wallets/bridges.

Source: spec.md (Endpoints) and interface/cross-chain-bridge.
"""

from collections.abc import Sequence
from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.ledger.path_params import known_transfer
from landbridge.payments.approvals.service import Approvals
from landbridge.payments.bridges.model import Bridge
from landbridge.payments.bridges.schemas import BridgePage, BridgeReply, bridge_reply
from landbridge.payments.bridges.service import Bridges, NewBridge
from landbridge.payments.engine.dry_run_schemas import with_dry_run
from landbridge.payments.engine.request_options import RequestOptions
from landbridge.payments.engine.timelines import Expand, Timelines
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.list_query import UserFilter, optional_id
from landbridge.platform.http.responses import moment


class BridgeRoutes(Controller):
    """Routes of bridges."""

    path = "/v2/wallets/bridges"
    tags = ("Bridges",)

    @post(status_code=200, summary="Create a bridge", operation_id="bridges.create")
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewBridge],
        bridges: NamedDependency[Bridges],
        approvals: NamedDependency[Approvals],
        options: NamedDependency[RequestOptions],
    ) -> BridgeReply:
        """Quote a bridge (OPEN_QUOTE); accept it within 10 minutes.

        With `requireApproval` it waits for an admin first (PENDING_APPROVAL), and holds the money.
        The same `requestId` with the same body returns the same bridge.
        """
        created = await bridges.create(request.user, data, options)
        found = await approvals.of(request.user.org_id, [created.record.id])
        approval = found.get(created.record.id, options.approval)
        return with_dry_run(bridge_reply(created, approval), options)

    @get(summary="List bridges", operation_id="bridges.list")
    async def page(
        self,
        request: ApiRequest,
        *,
        bridges: NamedDependency[Bridges],
        approvals: NamedDependency[Approvals],
        window: NamedDependency[PageWindow],
        user_id: UserFilter = None,
    ) -> BridgePage:
        """List the bridges of one user or of the whole organisation, newest first."""
        found = await bridges.page(request.user.org_id, optional_id("userId", user_id), window)
        return BridgePage(
            count=len(found),
            data=await _replies(request.user.org_id, found, approvals),
            next_cursor=moment(found[-1].record.updated_at) if found else msgspec.UNSET,
        )

    @get("/{transferId:str}", summary="Retrieve a bridge", operation_id="bridges.retrieve")
    async def retrieve(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        *,
        bridges: NamedDependency[Bridges],
        approvals: NamedDependency[Approvals],
        timelines: NamedDependency[Timelines],
        expand: Expand = None,
    ) -> BridgeReply:
        """Return one bridge."""
        found = await bridges.get(request.user.org_id, known_transfer(transferId))
        reply = await _reply(found, approvals)
        return await timelines.attach(reply, found.record, expand, request.user)

    @post(
        "/{transferId:str}/accept",
        status_code=200,
        summary="Accept a bridge",
        operation_id="bridges.accept",
    )
    async def accept(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        bridges: NamedDependency[Bridges],
        approvals: NamedDependency[Approvals],
    ) -> BridgeReply:
        """Hold the money and start the bridge. A repeated accept returns the same result."""
        return await _reply(
            await bridges.accept(request.user, known_transfer(transferId)), approvals
        )


async def _reply(bridge: Bridge, approvals: Approvals) -> BridgeReply:
    (reply,) = await _replies(bridge.record.org_id, [bridge], approvals)
    return reply


async def _replies(
    org_id: UUID, bridges: Sequence[Bridge], approvals: Approvals
) -> list[BridgeReply]:
    found = await approvals.of(org_id, [each.record.id for each in bridges])
    return [bridge_reply(each, found.get(each.record.id)) for each in bridges]
