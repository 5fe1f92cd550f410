"""Routes of onramps: /v2/onramps. Source: contract, lifecycles 7; interface/onramp."""

from typing import Annotated
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from landbridge.core.pages import Window
from landbridge.flows.onramps.backgrounds import Backgrounds
from landbridge.flows.onramps.service import Onramps
from landbridge.flows.onramps.shapes import (
    AcceptedOnrampReply,
    NewOnramp,
    OnrampPage,
    OnrampReply,
    accepted_reply,
    onramp_reply,
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


class OnrampRoutes(Controller):
    """Quote, accept and look up onramps."""

    path = "/v2/onramps"
    tags = ("Onramps",)

    @post(status_code=200, summary="Create an onramp")
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewOnramp],
        onramps: NamedDependency[Onramps],
        onramp_backgrounds: NamedDependency[Backgrounds],
        manner: NamedDependency[Manner],
    ) -> OnrampReply:
        """Quotes the onramp (OPEN_QUOTE); accept it within 24 hours.

        The same `requestId` with the same body answers the same onramp.
        """
        made = await onramps.create(
            request.user, data.request_id, data.wanted(), as_asked(data), manner=manner
        )
        reply = onramp_reply(made, await onramp_backgrounds.of([made]))
        return with_dry_run(reply, manner)

    @get(summary="List onramps")
    async def page(
        self,
        request: ApiRequest,
        onramps: NamedDependency[Onramps],
        onramp_backgrounds: NamedDependency[Backgrounds],
        window: NamedDependency[Window],
        user_id: Annotated[str | None, QueryParameter(name="userId")] = None,
    ) -> OnrampPage:
        """Newest first, of one user or of the whole organisation."""
        found = await onramps.page(request.user.org_id, optional_id("userId", user_id), window)
        background = await onramp_backgrounds.of(found)
        return OnrampPage(
            count=len(found),
            records=[onramp_reply(each, background) for each in found],
            next_cursor=moment(found[-1].record.updated_at) if found else None,
        )

    @get("/{transferId:str}", summary="Retrieve an onramp")
    async def retrieve(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        *,
        onramps: NamedDependency[Onramps],
        onramp_backgrounds: NamedDependency[Backgrounds],
        timelines: NamedDependency[Timelines],
        expand: Expand = None,
    ) -> OnrampReply:
        """One onramp."""
        found = await onramps.get(request.user.org_id, _known_id(transferId))
        reply = onramp_reply(found, await onramp_backgrounds.of([found]))
        return await timelines.beside(reply, found.record, expand, request.user)

    @post("/{transferId:str}/quote/accept", status_code=200, summary="Accept an onramp's quote")
    async def accept(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        onramps: NamedDependency[Onramps],
        onramp_backgrounds: NamedDependency[Backgrounds],
    ) -> AcceptedOnrampReply:
        """Takes the quote and says where the deposit goes. Accepted twice, it answers the same."""
        accepted = await onramps.accept(request.user, _known_id(transferId))
        return accepted_reply(accepted, await onramp_backgrounds.of([accepted]))

    @post("/{transferId:str}/quote/refresh", status_code=200, summary="Refresh an onramp's quote")
    async def refresh(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        onramps: NamedDependency[Onramps],
        onramp_backgrounds: NamedDependency[Backgrounds],
    ) -> OnrampReply:
        """Makes an open quote anew, at the present price and with 24 hours from now."""
        refreshed = await onramps.refresh(request.user, _known_id(transferId))
        return onramp_reply(refreshed, await onramp_backgrounds.of([refreshed]))

    @post("/{transferId:str}/cancel", status_code=200, summary="Cancel an onramp in review")
    async def cancel(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        onramps: NamedDependency[Onramps],
        onramp_backgrounds: NamedDependency[Backgrounds],
    ) -> OnrampReply:
        """Ends an onramp that is IN_REVIEW; a deposit that came goes back to its sender."""
        cancelled = await onramps.cancel(request.user, _known_id(transferId))
        return onramp_reply(cancelled, await onramp_backgrounds.of([cancelled]))


def _known_id(text: str) -> UUID:
    return known_id(text, "transaction", TransactionNotFound)
