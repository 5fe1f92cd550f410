"""Routes of onramps: /v2/onramps. Source: contract, lifecycles 7; interface/onramp."""

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.ledger.path_params import known_transfer
from landbridge.payments.engine.dry_run_schemas import with_dry_run
from landbridge.payments.engine.request_options import RequestOptions
from landbridge.payments.engine.timelines import Expand, Timelines
from landbridge.payments.onramps.reply_context import OnrampReplyContexts
from landbridge.payments.onramps.request import NewOnramp
from landbridge.payments.onramps.schemas import (
    AcceptedOnrampReply,
    OnrampPage,
    OnrampReply,
    accepted_reply,
    onramp_reply,
)
from landbridge.payments.onramps.service import Onramps
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.list_query import UserFilter, optional_id
from landbridge.platform.http.responses import moment


class OnrampRoutes(Controller):
    """Quote, accept and look up onramps."""

    path = "/v2/onramps"
    tags = ("Onramps",)

    @post(status_code=200, summary="Create an onramp", operation_id="onramps.create")
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewOnramp],
        onramps: NamedDependency[Onramps],
        onramp_reply_contexts: NamedDependency[OnrampReplyContexts],
        options: NamedDependency[RequestOptions],
    ) -> OnrampReply:
        """Quote an onramp (OPEN_QUOTE). Accept the quote within 24 hours.

        The same `requestId` with the same body returns the same onramp.
        """
        onramp = await onramps.create(request.user, data, options)
        reply = onramp_reply(onramp, await onramp_reply_contexts.of([onramp]))
        return with_dry_run(reply, options)

    @get(summary="List onramps", operation_id="onramps.list")
    async def page(
        self,
        request: ApiRequest,
        onramps: NamedDependency[Onramps],
        onramp_reply_contexts: NamedDependency[OnrampReplyContexts],
        window: NamedDependency[PageWindow],
        user_id: UserFilter = None,
    ) -> OnrampPage:
        """List transfers, newest first, of one user or of the whole organisation."""
        found = await onramps.page(request.user.org_id, optional_id("userId", user_id), window)
        context = await onramp_reply_contexts.of(found)
        return OnrampPage(
            count=len(found),
            records=[onramp_reply(each, context) for each in found],
            next_cursor=moment(found[-1].record.updated_at) if found else msgspec.UNSET,
        )

    @get("/{transferId:str}", summary="Retrieve an onramp", operation_id="onramps.retrieve")
    async def retrieve(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        *,
        onramps: NamedDependency[Onramps],
        onramp_reply_contexts: NamedDependency[OnrampReplyContexts],
        timelines: NamedDependency[Timelines],
        expand: Expand = None,
    ) -> OnrampReply:
        """Get an onramp."""
        found = await onramps.get(request.user.org_id, known_transfer(transferId))
        reply = onramp_reply(found, await onramp_reply_contexts.of([found]))
        return await timelines.attach(reply, found.record, expand, request.user)

    @post(
        "/{transferId:str}/quote/accept",
        status_code=200,
        summary="Accept an onramp's quote",
        operation_id="onramps.accept",
    )
    async def accept(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        onramps: NamedDependency[Onramps],
        onramp_reply_contexts: NamedDependency[OnrampReplyContexts],
    ) -> AcceptedOnrampReply:
        """Accept the quote and return the deposit instructions.

        A repeated accept returns the same reply.
        """
        accepted = await onramps.accept(request.user, known_transfer(transferId))
        return accepted_reply(accepted, await onramp_reply_contexts.of([accepted]))

    @post(
        "/{transferId:str}/quote/refresh",
        status_code=200,
        summary="Refresh an onramp's quote",
        operation_id="onramps.refreshQuote",
    )
    async def refresh(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        onramps: NamedDependency[Onramps],
        onramp_reply_contexts: NamedDependency[OnrampReplyContexts],
    ) -> OnrampReply:
        """Refresh an open quote at the current price, valid for another 24 hours."""
        refreshed = await onramps.refresh(request.user, known_transfer(transferId))
        return onramp_reply(refreshed, await onramp_reply_contexts.of([refreshed]))

    @post(
        "/{transferId:str}/cancel",
        status_code=200,
        summary="Cancel an onramp in review",
        operation_id="onramps.cancel",
    )
    async def cancel(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        onramps: NamedDependency[Onramps],
        onramp_reply_contexts: NamedDependency[OnrampReplyContexts],
    ) -> OnrampReply:
        """Cancel an onramp that is IN_REVIEW. A received deposit is returned to its sender."""
        cancelled = await onramps.cancel(request.user, known_transfer(transferId))
        return onramp_reply(cancelled, await onramp_reply_contexts.of([cancelled]))
