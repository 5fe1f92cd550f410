"""Swap service: quotes, accepts, expires and reads swaps.

A swap's quote holds no money. The balance is checked when the quote is made, so that a swap that
would fail is not started, and again by the statement that moves the money on accept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.ledger.errors import InsufficientBalance
from landbridge.ledger.model import (
    AdvanceTransfer,
    CommitOutcome,
    CreateTransfer,
    DueCheck,
    Transfer,
)
from landbridge.ledger.service import Ledger
from landbridge.payments.engine.amounts import insufficient_balance_text, parse_amount
from landbridge.payments.engine.create_transfer import (
    CreationOptions,
    TransferCreation,
    TransferDraft,
)
from landbridge.payments.engine.order_keys import requested_details
from landbridge.payments.engine.parties import (
    PartyRequest,
    Payee,
    Payer,
    PaymentParties,
    check_own_wallet,
)
from landbridge.payments.engine.quote_acceptance import QuoteAcceptance
from landbridge.payments.engine.request_options import (
    DEFAULT_OPTIONS,
    MetadataRequest,
    RequestOptions,
    payment_values,
)
from landbridge.payments.engine.scripted_outcomes import (
    check_scripted_screening,
    scripted_send_failure,
)
from landbridge.payments.quotes.errors import QuoteInvalid, QuoteNotReady
from landbridge.payments.quotes.pricing import Quote, check_quotable
from landbridge.payments.swaps.model import (
    KIND,
    QUOTE_LIFETIME,
    TRANSITIONS,
    Swap,
    SwapDetails,
    SwapStatus,
    accept_refusal,
    as_swap,
    check_route,
)
from landbridge.payments.swaps.quotes import SwapPair, SwapQuotes
from landbridge.payments.swaps.transitions import accepted, planned_steps, refused
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Asset, Money
from landbridge.platform.core.optimistic_retry import optimistic_retry
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.formats.schemas import AddressText
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.request_decoding import AmountText
from landbridge.platform.http.responses import WireStruct
from landbridge.providers.chains.markets import SwapProvider
from landbridge.providers.chains.tokens import Chain


class SwapSource(WireStruct, frozen=True):
    """Source of a swap: the coins sold. Amounts are decimal strings."""

    user_id: UUID
    chain: Chain
    currency: str
    amount: AmountText | None = None


class SwapDestination(WireStruct, frozen=True):
    """Destination of a swap: the coins bought, and their recipient.

    At most one of `userId`, `externalWalletId`, `walletAddress`; without any of them the source's
    user receives the coins.
    """

    chain: Chain
    currency: str
    amount: AmountText | None = None
    user_id: UUID | None = None
    external_wallet_id: UUID | None = None
    wallet_address: AddressText | None = None

    @property
    def party(self) -> PartyRequest:
        """Return the recipient; raises `FieldInvalid` for more than one."""
        return copy_fields(self, PartyRequest, side="destination", is_flat=False)


class NewSwap(MetadataRequest, frozen=True, kw_only=True):
    """Request of a swap, with `source.amount` (exact in) or `destination.amount` (exact out).

    A quote that gives less than `minReceive` is refused; it is a decimal string as well.
    """

    request_id: UUID
    source: SwapSource
    destination: SwapDestination
    min_receive: AmountText | None = None


@dataclass(frozen=True, slots=True)
class Swaps:
    """Manages swaps of all organisations."""

    ledger: Ledger
    parties: PaymentParties
    transfer_creation: TransferCreation
    quote_acceptance: QuoteAcceptance
    quotes: SwapQuotes
    clock: Clock

    async def create(
        self, caller: Caller, data: NewSwap, options: RequestOptions = DEFAULT_OPTIONS
    ) -> Swap:
        """Quote a swap, once per request id. Nothing is held.

        Raises `FieldInvalid`, `RouteInvalid`, `ProfileFrozen`, `RoleNotAllowed`, `UserNotFound`,
        `UserFrozen`, `WalletNotFound`, `QuoteNotReady`, `InsufficientBalance`, and `RequestIdTaken`
        for a request id used with another body.
        """
        request = payment_values(data)
        record = await self.transfer_creation.create(
            caller,
            lambda _: self._draft_quote(caller, data, request),
            TRANSITIONS,
            CreationOptions(
                kind=KIND,
                request_id=data.request_id,
                request=request,
                planned_steps=planned_steps,
                request_options=options.of(data.metadata),
            ),
        )
        return as_swap(record)

    @optimistic_retry("another request is changing this swap; try again")
    async def accept(self, caller: Caller, swap_id: UUID) -> Swap | None:
        """Execute the swap at its quote; a repeated accept returns the same result.

        The ledger executes it at once, unless coins have to move on a chain: then they are held,
        and the worker sends them. In a sandbox the swap may be FAILED at once, if its outcome plan
        says so.

        Raises `TransactionNotFound`, `QuoteInvalid` for a late accept (the swap is QUOTE_FAILED
        then), `QuoteNotReady` while one of its coins is off its peg, `InsufficientBalance` and
        `LimitExceeded` (the quote stays open until it expires).
        """
        swap = await self.get(caller.org_id, swap_id)
        if refusal := accept_refusal(swap.status):
            raise refusal
        if swap.status is not SwapStatus.OPEN_QUOTE:
            return swap
        payee_id = swap.details.destination_user_id
        check_scripted_screening(swap.record)
        await check_quotable(self.quotes.rates, swap.source.asset, swap.destination.asset)
        at = self.clock.stamp(caller.clock_offset)
        if swap.is_market and at <= swap.details.quote_expires_at:
            await self.quotes.check_market(swap.source - swap.fee, swap.destination)
        await self.parties.check_may_move(caller, swap.record.user_id, payee_id)
        check_own_wallet(caller, swap.record.user_id, payee_id, swap.details.destination_account_id)
        # If orders execute the swap, the simulated chain applies the scripted outcome.
        reason = None if swap.is_on_chain else scripted_send_failure(swap.record)
        move = (
            accepted(swap, caller.actor, at)
            if reason is None
            else refused(swap, reason, caller.actor, at)
        )
        settled = await self.quote_acceptance.advance(move, TRANSITIONS)
        match settled:
            case Transfer():
                return as_swap(settled)
            case CommitOutcome.LATE:
                if await self.expire(swap, caller.actor, at):
                    raise QuoteInvalid("the quote of this swap has expired; create a new one")
            case CommitOutcome.INSUFFICIENT:
                raise InsufficientBalance(insufficient_balance_text(swap.source))
            case _:
                pass  # changed concurrently: read the record again
        return None

    async def expire(self, swap: Swap, actor: str, at: datetime) -> bool:
        """Expire an open quote that is due; return False if another process advanced the swap."""
        move = AdvanceTransfer(
            swap.record,
            path=(SwapStatus.QUOTE_FAILED,),
            change_type="expire",
            actor=actor,
            at=at,
            timing=DueCheck.OVERDUE,
            facts={
                "error": QuoteInvalid.name,
                "error_code": QuoteInvalid.code,
                "error_message": "the quote expired before it was accepted",
            },
        )
        return isinstance(await self.ledger.advance(move, TRANSITIONS), Transfer)

    async def get(self, org_id: UUID, swap_id: UUID) -> Swap:
        """Return a swap; raises `TransactionNotFound`."""
        return as_swap(await self.ledger.get(org_id, KIND, swap_id))

    async def page(self, org_id: UUID, user_id: UUID | None, window: PageWindow) -> Sequence[Swap]:
        """Return a page of swaps, newest first."""
        return [as_swap(each) for each in await self.ledger.page(org_id, KIND, user_id, window)]

    async def _draft_quote(
        self, caller: Caller, data: NewSwap, request: dict[str, Any]
    ) -> TransferDraft:
        given, wanted = data.source, data.destination
        recipient = wanted.party
        source, destination = check_route(
            source_chain=given.chain,
            source_currency=given.currency,
            destination_chain=wanted.chain,
            currency=wanted.currency,
        )
        pair = SwapPair(source, destination, _amount(data, source, destination))
        other = destination if recipient.is_empty else None
        payer = await self.parties.payer(
            caller, given.user_id, given.chain, given.currency, other=other
        )
        payee = await self._payee(caller, payer, recipient, destination)
        check_own_wallet(caller, given.user_id, payee.user_id, payee.account_id)
        at = self.clock.stamp(caller.clock_offset)
        provider, quote = await self._quote(caller, pair, payee, data.min_receive, at)
        if payer.account.available_units < quote.send_gross.units:
            raise InsufficientBalance(
                insufficient_balance_text(quote.send_gross), field="source.amount"
            )
        is_on_chain = payee.account_id is None or self.parties.holds_coins(given.chain)
        details = SwapDetails(
            source_account_id=payer.account.id,
            destination_account_id=payee.account_id,
            # An address that no user registered counts as an address of the swapping user.
            destination_user_id=payee.user_id or given.user_id,
            destination_address=payee.address,
            external_wallet_id=payee.external_wallet_id,
            fee_units=quote.fee.units,
            rate=quote.price.rate.value,
            quote_expires_at=at + QUOTE_LIFETIME,
            is_exact_out=wanted.amount is not None,
            source_wallet_id=payer.wallet.id if is_on_chain else None,
            source_address=payer.wallet.address if is_on_chain else None,
            provider=provider,
        )
        return TransferDraft(
            creation=CreateTransfer(
                org_id=caller.org_id,
                id=new_id(),
                kind=KIND,
                user_id=given.user_id,
                request_id=data.request_id,
                request=request,
                path=(SwapStatus.OPEN_QUOTE,),
                source=quote.send_gross,
                destination=quote.receive,
                details=requested_details(details),
                due_at=details.quote_expires_at,
                at=at,
                actor=caller.actor,
            ),
            payees=(payee,),
            has_orders=is_on_chain,
        )

    async def _payee(
        self, caller: Caller, payer: Payer, requested: PartyRequest, asset: Asset
    ) -> Payee:
        """Return the recipient: the paying wallet, unless the request has another."""
        wallet = payer.wallet
        if payer.other_account is not None:
            account = payer.other_account
            return Payee(
                wallet.user_id, wallet.address, account_id=account.id, new_account=account.missing
            )
        return await self.parties.payee(
            caller,
            requested,
            payer_id=wallet.user_id,
            chain=Chain(asset.chain),
            asset=asset,
            # A swap may pay any address (decision 0010).
            may_be_unknown=True,
        )

    async def _quote(
        self,
        caller: Caller,
        pair: SwapPair,
        payee: Payee,
        min_receive: str | None,
        at: datetime,
    ) -> tuple[SwapProvider, Quote]:
        """Return the provider and its quote; raise if the recipient may not get that amount."""

        async def check_delivery(receive: Money) -> None:
            await self.parties.check_delivery(caller, payee, receive, "destination.amount")

        found = await self.quotes.find(caller.org_id, pair, at, check_delivery)
        if found.quote is None:
            raise FieldInvalid(
                "source.amount is too small: nothing would be left after the fee",
                field="source.amount",
            )
        if found.provider is not SwapProvider.TREASURY:
            receive = found.quote.receive
            await self.parties.check_new_address(caller, payee, receive, "destination.amount")
        _check_minimum(min_receive, found.quote)
        return found.provider, found.quote


def _amount(data: NewSwap, source: Asset, destination: Asset) -> Money:
    """Return the requested amount, of the coins sold or of the coins bought, above zero."""
    sold, bought = data.source.amount, data.destination.amount
    if (sold is None) == (bought is None):
        raise FieldInvalid(
            "give either source.amount or destination.amount, not both",
            field="source.amount",
        )
    if sold is not None:
        return parse_amount("source.amount", sold, source)
    return parse_amount("destination.amount", bought or "", destination)


def _check_minimum(text: str | None, quote: Quote) -> None:
    """Raise `QuoteNotReady` if the recipient would get less than the caller demands."""
    if text is None:
        return
    minimum = parse_amount("minReceive", text, quote.receive.asset)
    if quote.receive < minimum:
        currency = minimum.asset.currency
        raise QuoteNotReady(
            f"the best quote gives {quote.receive} {currency}, less than minReceive {minimum}"
        )
