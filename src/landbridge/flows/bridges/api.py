"""Routes of bridges: /v2/wallets/bridges.

Source: spec.md (Endpoints) and interface/cross-chain-bridge.
"""

from collections.abc import Sequence
from typing import Annotated
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from landbridge.approvals.service import Approvals
from landbridge.core.pages import Window
from landbridge.flows.bridges.model import Bridge
from landbridge.flows.bridges.service import Bridges
from landbridge.flows.bridges.shapes import (
    BridgePage,
    BridgeReply,
    NewBridge,
    as_wanted,
    bridge_reply,
)
from landbridge.ledger.errors import TransactionNotFound
from landbridge.payments.dry_runs import with_dry_run
from landbridge.payments.manner import Manner
from landbridge.payments.timelines import Expand, Timelines
from landbridge.web.body import as_asked
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import optional_id
from landbridge.web.paths import known_id
from landbridge.web.reply import moment


class BridgeRoutes(Controller):
    """Quote, accept and look up bridges."""

    path = "/v2/wallets/bridges"
    tags = ("Bridges",)

    @post(status_code=200, summary="Create a bridge")
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewBridge],
        bridges: NamedDependency[Bridges],
        approvals: NamedDependency[Approvals],
        manner: NamedDependency[Manner],
    ) -> BridgeReply:
        """Quotes the bridge (OPEN_QUOTE); accept it within 10 minutes.

        With `requireApproval` it waits for an admin first (PENDING_APPROVAL), and holds the money.
        The same `requestId` with the same body answers the same bridge.
        """
        wanted = as_wanted(data)
        made = await bridges.create(
            request.user, data.request_id, wanted, as_asked(data), manner=manner
        )
        found = await approvals.of(request.user.org_id, [made.record.id])
        approval = found.get(made.record.id, manner.approval)
        return with_dry_run(bridge_reply(made, approval), manner)

    @get(summary="List bridges")
    async def page(
        self,
        request: ApiRequest,
        *,
        bridges: NamedDependency[Bridges],
        approvals: NamedDependency[Approvals],
        window: NamedDependency[Window],
        user_id: Annotated[str | None, QueryParameter(name="userId")] = None,
    ) -> BridgePage:
        """Newest first, of one user or of the whole organisation."""
        found = await bridges.page(request.user.org_id, optional_id("userId", user_id), window)
        return BridgePage(
            count=len(found),
            data=await _shapes(request.user.org_id, found, approvals),
            next_cursor=moment(found[-1].record.updated_at) if found else None,
        )

    @get("/{transferId:str}", summary="Retrieve a bridge")
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
        """One bridge."""
        found = await bridges.get(request.user.org_id, _known_id(transferId))
        reply = await _shape(found, approvals)
        return await timelines.beside(reply, found.record, expand, request.user)

    @post("/{transferId:str}/accept", status_code=200, summary="Accept a bridge")
    async def accept(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        bridges: NamedDependency[Bridges],
        approvals: NamedDependency[Approvals],
    ) -> BridgeReply:
        """Holds the money and starts the bridge. Accepting twice answers as the first time."""
        return await _shape(await bridges.accept(request.user, _known_id(transferId)), approvals)


def _known_id(text: str) -> UUID:
    return known_id(text, "transaction", TransactionNotFound)


async def _shape(bridge: Bridge, approvals: Approvals) -> BridgeReply:
    (reply,) = await _shapes(bridge.record.org_id, [bridge], approvals)
    return reply


async def _shapes(
    org_id: UUID, bridges: Sequence[Bridge], approvals: Approvals
) -> list[BridgeReply]:
    found = await approvals.of(org_id, [each.record.id for each in bridges])
    return [bridge_reply(each, found.get(each.record.id)) for each in bridges]
