"""Routes of swaps: /v2/wallets/swaps.

Source: spec.md (Swap transfer record, Endpoints) and interface/token-swap.
"""

from typing import Annotated
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from landbridge.chains.tokens import Chain
from landbridge.core.ids import derived_id
from landbridge.core.pages import Window
from landbridge.flows.swaps.model import KIND, Status, Swap
from landbridge.flows.swaps.service import Swaps, Wanted
from landbridge.ledger.errors import TransactionNotFound
from landbridge.payments.dry_runs import with_dry_run
from landbridge.payments.ends import Asked
from landbridge.payments.manner import Manner
from landbridge.payments.shapes import QuotedAmount, quoted, rate_text
from landbridge.payments.timelines import Expand, Expandable, Timelines
from landbridge.web.body import AmountText, as_asked
from landbridge.web.caller import ApiRequest
from landbridge.web.lists import optional_id
from landbridge.web.paths import known_id
from landbridge.web.reply import Moment, Number, WireStruct, moment


class SwapSource(WireStruct, frozen=True):
    """What is sold. Amounts are decimal strings."""

    user_id: UUID
    chain: Chain
    currency: str
    amount: AmountText | None = None


class SwapDestination(WireStruct, frozen=True):
    """What is bought, and for whom: at most one of `userId`, `externalWalletId`, `walletAddress`.

    Without any of them the coins stay with the source's user.
    """

    chain: Chain
    currency: str
    amount: AmountText | None = None
    user_id: UUID | None = None
    external_wallet_id: UUID | None = None
    wallet_address: str | None = None


class NewSwap(WireStruct, frozen=True):
    """Give `source.amount` (exact in) or `destination.amount` (exact out)."""

    request_id: UUID
    source: SwapSource
    destination: SwapDestination


class SwapSourceReply(WireStruct, frozen=True):
    """What is sold; `amount` is a JSON number, the fee included."""

    currency: str
    amount: Number
    chain: str
    user_id: UUID


class SwapDestinationReply(WireStruct, frozen=True):
    """What is bought; `amount` is the number only if the caller asked for exactly that much."""

    currency: str
    user_id: UUID
    external_wallet_id: UUID | None
    amount: Number | None
    chain: str
    wallet_address: str


class QuoteReply(WireStruct, frozen=True):
    """The quote; `rate` is coins received per coin sent."""

    send_gross: QuotedAmount
    send_net: QuotedAmount
    receive_gross: QuotedAmount
    receive_net: QuotedAmount
    rate: str
    expires_at: Moment


class FeeReply(WireStruct, frozen=True):
    """A fee; ours are taken on the transaction, from what is sent."""

    id: UUID
    amount: Number
    currency: str
    type: str
    timing: str


class BillingReply(WireStruct, frozen=True):
    """What the swap costs."""

    fees: list[FeeReply]


class SwapErrorReply(WireStruct, frozen=True):
    """Why a swap did not go through."""

    code: int | None
    message: str | None


class SwapDetailsReply(WireStruct, frozen=True):
    """The swap itself."""

    id: UUID
    request_id: UUID
    status: Status
    created_at: Moment
    updated_at: Moment
    source: SwapSourceReply
    destination: SwapDestinationReply
    error: str | None
    error_details: SwapErrorReply | None
    quote_information: QuoteReply
    billing_information: BillingReply


class SwapReply(Expandable, frozen=True, kw_only=True):
    """A swap as a transfer record."""

    transfer_type: str
    transfer_details: SwapDetailsReply


class SwapPage(WireStruct, frozen=True):
    """A page, newest first; `nextCursor` goes back as `createdBefore` or as `cursor`."""

    count: int
    data: list[SwapReply]
    next_cursor: Moment | None


class SwapRoutes(Controller):
    """Quote, accept and look up swaps."""

    path = "/v2/wallets/swaps"
    tags = ("Swaps",)

    @post(status_code=200, summary="Create a swap")
    async def create(
        self,
        request: ApiRequest,
        data: JSONBody[NewSwap],
        swaps: NamedDependency[Swaps],
        manner: NamedDependency[Manner],
    ) -> SwapReply:
        """Quotes the swap (OPEN_QUOTE) after checking the balance; accept it within 30 seconds.

        The same `requestId` with the same body answers the same swap.
        """
        wanted = _wanted(data)
        made = await swaps.create(
            request.user, data.request_id, wanted, as_asked(data), manner=manner
        )
        return with_dry_run(swap_reply(made), manner)

    @get(summary="List swaps")
    async def page(
        self,
        request: ApiRequest,
        swaps: NamedDependency[Swaps],
        window: NamedDependency[Window],
        user_id: Annotated[str | None, QueryParameter(name="userId")] = None,
    ) -> SwapPage:
        """Newest first, of one user or of the whole organisation."""
        found = await swaps.page(request.user.org_id, optional_id("userId", user_id), window)
        return SwapPage(
            count=len(found),
            data=[swap_reply(swap) for swap in found],
            next_cursor=moment(found[-1].record.updated_at) if found else None,
        )

    @get("/{swapId:str}", summary="Retrieve a swap")
    async def retrieve(
        self,
        request: ApiRequest,
        swapId: FromPath[str],
        swaps: NamedDependency[Swaps],
        timelines: NamedDependency[Timelines],
        expand: Expand = None,
    ) -> SwapReply:
        """One swap."""
        found = await swaps.get(request.user.org_id, _known_id(swapId))
        return await timelines.beside(swap_reply(found), found.record, expand, request.user)

    @post("/{swapId:str}/accept", status_code=200, summary="Accept a swap")
    async def accept(
        self, request: ApiRequest, swapId: FromPath[str], swaps: NamedDependency[Swaps]
    ) -> SwapReply:
        """Carries the swap out at its quote. Accepting twice answers as the first time."""
        return swap_reply(await swaps.accept(request.user, _known_id(swapId)))


def _known_id(text: str) -> UUID:
    return known_id(text, "transaction", TransactionNotFound)


def _wanted(data: NewSwap) -> Wanted:
    source, destination = data.source, data.destination
    return Wanted(
        source_user_id=source.user_id,
        source_chain=source.chain,
        source_currency=source.currency,
        source_amount=source.amount,
        destination_chain=destination.chain,
        destination_currency=destination.currency,
        destination_amount=destination.amount,
        destination=Asked(
            side="destination",
            user_id=destination.user_id,
            external_wallet_id=destination.external_wallet_id,
            wallet_address=destination.wallet_address,
        ),
    )


def swap_reply(swap: Swap) -> SwapReply:
    """A swap as it is answered."""
    record, details = swap.record, swap.details
    sold, bought = swap.source.asset, swap.destination.asset
    return SwapReply(
        transfer_type=KIND,
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
        ),
    )


def _quote(swap: Swap) -> QuoteReply:
    received = quoted(swap.destination)
    return QuoteReply(
        send_gross=quoted(swap.source),
        send_net=quoted(swap.source - swap.fee),
        # The fee is taken from what is sent, so nothing is between these two.
        receive_gross=received,
        receive_net=received,
        rate=rate_text(swap.details.rate),
        expires_at=moment(swap.details.quote_expires_at),
    )


def _fees(swap: Swap) -> list[FeeReply]:
    """The exchange fee, in dollars: stablecoins count one to one."""
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
