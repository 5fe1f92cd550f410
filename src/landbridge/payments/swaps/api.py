"""Routes of swaps: /v2/wallets/swaps.

Source: spec.md (Swap transfer record, Endpoints) and interface/token-swap.
"""

from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from msgspec import UNSET

from landbridge.ledger.path_params import known_transfer
from landbridge.payments.engine.dry_run_schemas import with_dry_run
from landbridge.payments.engine.request_options import RequestOptions
from landbridge.payments.engine.schemas import QuotedAmount, quoted, rate_text
from landbridge.payments.engine.timelines import Expand, TimelineExpandable, Timelines
from landbridge.payments.swaps.model import KIND, Swap, SwapStatus
from landbridge.payments.swaps.service import NewSwap, Swaps
from landbridge.platform.core.ids import derived_id
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.list_query import UserFilter, optional_id
from landbridge.platform.http.responses import DecimalText, Moment, Number, WireStruct, moment


class SwapSourceReply(WireStruct, frozen=True):
    """Coins sold; `amount` is a JSON number and includes the fee."""

    currency: str
    amount: Number
    chain: str
    user_id: UUID


class SwapDestinationReply(WireStruct, frozen=True):
    """Coins bought; `amount` is a number only if the request gave this amount."""

    currency: str
    user_id: UUID
    external_wallet_id: UUID | None
    amount: Number | None
    chain: str
    wallet_address: str


class QuoteReply(WireStruct, frozen=True):
    """Quote of a swap; `rate` is coins received per coin sent."""

    send_gross: QuotedAmount
    send_net: QuotedAmount
    receive_gross: QuotedAmount
    receive_net: QuotedAmount
    rate: DecimalText
    expires_at: Moment


class FeeReply(WireStruct, frozen=True):
    """Fee of a swap, taken from the sent amount on the transaction."""

    id: UUID
    amount: Number
    currency: str
    type: str
    timing: str


class BillingReply(WireStruct, frozen=True):
    """Costs of a swap."""

    fees: list[FeeReply]


class SwapErrorReply(WireStruct, frozen=True):
    """Reason of a failed swap."""

    code: int | None
    message: str | None


class MarketReply(WireStruct, frozen=True):
    """Execution by a market: it gives the quoted amount at least; null until it has given."""

    received: Number | None


class SwapDetailsReply(WireStruct, frozen=True):
    """Details of a swap."""

    id: UUID
    request_id: UUID
    status: SwapStatus
    created_at: Moment
    updated_at: Moment
    source: SwapSourceReply
    destination: SwapDestinationReply
    error: str | None
    error_details: SwapErrorReply | None
    quote_information: QuoteReply
    billing_information: BillingReply
    market: MarketReply | msgspec.UnsetType = UNSET


class SwapReply(TimelineExpandable, frozen=True, kw_only=True):
    """Swap as a transfer record."""

    transfer_type: str
    transfer_details: SwapDetailsReply


class SwapPage(WireStruct, frozen=True):
    """Page of swaps, newest first; `nextCursor` goes into `createdBefore` or `cursor`."""

    count: int
    data: list[SwapReply]
    next_cursor: Moment | msgspec.UnsetType = msgspec.UNSET


class SwapRoutes(Controller):
    """Routes of swaps."""

    path = "/v2/wallets/swaps"
    tags = ("Swaps",)

    @post(status_code=200, summary="Create a swap", operation_id="swaps.create")
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewSwap],
        swaps: NamedDependency[Swaps],
        options: NamedDependency[RequestOptions],
    ) -> SwapReply:
        """Quote a swap (OPEN_QUOTE) after checking the balance; accept it within 30 seconds.

        The same `requestId` with the same body returns the same swap.
        """
        created = await swaps.create(request.user, data, options)
        return with_dry_run(swap_reply(created), options)

    @get(summary="List swaps", operation_id="swaps.list")
    async def page(
        self,
        request: ApiRequest,
        swaps: NamedDependency[Swaps],
        window: NamedDependency[PageWindow],
        user_id: UserFilter = None,
    ) -> SwapPage:
        """List the swaps of one user or of the whole organisation, newest first."""
        found = await swaps.page(request.user.org_id, optional_id("userId", user_id), window)
        return SwapPage(
            count=len(found),
            data=[swap_reply(swap) for swap in found],
            next_cursor=moment(found[-1].record.updated_at) if found else msgspec.UNSET,
        )

    @get("/{swapId:str}", summary="Retrieve a swap", operation_id="swaps.retrieve")
    async def retrieve(
        self,
        request: ApiRequest,
        swapId: FromPath[str],
        swaps: NamedDependency[Swaps],
        timelines: NamedDependency[Timelines],
        expand: Expand = None,
    ) -> SwapReply:
        """Return one swap."""
        found = await swaps.get(request.user.org_id, known_transfer(swapId))
        return await timelines.attach(swap_reply(found), found.record, expand, request.user)

    @post(
        "/{swapId:str}/accept",
        status_code=200,
        summary="Accept a swap",
        operation_id="swaps.accept",
    )
    async def accept(
        self, request: ApiRequest, swapId: FromPath[str], swaps: NamedDependency[Swaps]
    ) -> SwapReply:
        """Execute the swap at its quote. A repeated accept returns the same result."""
        return swap_reply(await swaps.accept(request.user, known_transfer(swapId)))


def swap_reply(swap: Swap) -> SwapReply:
    """Build the reply of a swap."""
    record, details = swap.record, swap.details
    sold, bought = swap.source.asset, swap.destination.asset
    return SwapReply(
        transfer_type=KIND,
        metadata=record.metadata or UNSET,
        transfer_details=SwapDetailsReply(
            id=record.id,
            request_id=record.request_id,
            status=swap.status,
            created_at=moment(record.created_at),
            updated_at=moment(record.updated_at),
            source=SwapSourceReply(
                currency=sold.currency,
                amount=swap.source.decimal,
                chain=sold.chain,
                user_id=record.user_id,
            ),
            destination=SwapDestinationReply(
                currency=bought.currency,
                user_id=details.destination_user_id,
                external_wallet_id=details.external_wallet_id,
                amount=swap.destination.decimal if details.is_exact_out else None,
                chain=bought.chain,
                wallet_address=details.destination_address,
            ),
            error=details.error,
            error_details=_error(swap),
            quote_information=_quote(swap),
            billing_information=BillingReply(fees=_fees(swap)),
            market=_market(swap),
        ),
    )


def _quote(swap: Swap) -> QuoteReply:
    received = quoted(swap.destination)
    return QuoteReply(
        send_gross=quoted(swap.source),
        send_net=quoted(swap.source - swap.fee),
        # The fee is taken from the sent amount, so gross and net received are equal.
        receive_gross=received,
        receive_net=received,
        rate=rate_text(swap.details.rate),
        expires_at=moment(swap.details.quote_expires_at),
    )


def _market(swap: Swap) -> MarketReply | msgspec.UnsetType:
    """Return what a market gave; unset for a swap of the treasury."""
    if not swap.is_market:
        return UNSET
    return MarketReply(received=None if swap.received is None else swap.received.decimal)


def _fees(swap: Swap) -> list[FeeReply]:
    """Return the exchange fee in dollars, with stablecoins at par."""
    if not swap.fee.units:
        return []
    return [
        FeeReply(
            id=derived_id(swap.record.id, "exchange-fee"),
            amount=swap.fee.decimal,
            currency="USD",
            type="EXCHANGE_FEE",
            timing="ON_TRANSACTION",
        )
    ]


def _error(swap: Swap) -> SwapErrorReply | None:
    if swap.details.error is None:
        return None
    return SwapErrorReply(code=swap.details.error_code, message=swap.details.error_message)
