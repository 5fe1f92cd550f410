"""Verbs on swaps: create, accept, expire, get, list.

A swap's quote holds no money: the balance is checked when it is made, so that a swap that would
fail is not started, and again when it is accepted, in the statement that moves the money.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from landbridge.chains.tokens import Chain
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, Busy, FieldInvalid
from landbridge.core.ids import new_id
from landbridge.core.money import Asset, Money
from landbridge.core.pages import Window
from landbridge.flows.swaps.model import (
    KIND,
    MOVES,
    QUOTE_LIFETIME,
    Details,
    Status,
    Swap,
    as_swap,
    check_route,
    why_not_accept,
)
from landbridge.flows.swaps.moves import accepted, course, refused
from landbridge.ledger.errors import InsufficientBalance
from landbridge.ledger.model import Move, Opening, Outcome, Timing, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.amounts import parse_amount, too_little
from landbridge.payments.committing import Committing
from landbridge.payments.ends import Asked, Ends, Payee, Payer, check_stays
from landbridge.payments.forced import check_screened, why_not_carried
from landbridge.payments.manner import PLAIN, Manner
from landbridge.payments.openings import Drafted, Openings, Terms
from landbridge.quotes.errors import QuoteInvalid
from landbridge.quotes.pricing import (
    Quote,
    check_quotable,
    check_size,
    exact_in,
    exact_out,
    fresh_price,
)
from landbridge.rates.port import RateSource
from landbridge.web.caller import Caller

# How often a verb looks again after it has lost a race before it says so.
_ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class Wanted:
    """A swap that is asked for: one of the two amounts."""

    source_user_id: UUID
    source_chain: Chain
    source_currency: str
    source_amount: str | None
    destination_chain: Chain
    destination_currency: str
    destination_amount: str | None
    # Empty: the wallet that pays.
    destination: Asked


@dataclass(frozen=True, slots=True)
class Swaps:
    """Swaps of all organisations."""

    ledger: Ledger
    ends: Ends
    openings: Openings
    committing: Committing
    rates: RateSource
    clock: Clock
    price_age_max: timedelta = field(kw_only=True)

    async def create(
        self,
        caller: Caller,
        request_id: UUID,
        wanted: Wanted,
        request: dict[str, Any],
        *,
        manner: Manner = PLAIN,
    ) -> Swap:
        """Quote a swap, once per request id. Nothing is held.

        Raises `FieldInvalid`, `RouteInvalid`, `ProfileFrozen`, `RoleNotAllowed`, `UserNotFound`,
        `UserFrozen`, `WalletNotFound`, `QuoteNotReady`, `InsufficientBalance`, and `RequestIdTaken`
        for a request id used with another body.
        """
        record = await self.openings.once(
            caller,
            lambda _: self._quoted(caller, request_id, wanted, request),
            MOVES,
            Terms(
                kind=KIND,
                request_id=request_id,
                request=request,
                course=course,
                manner=manner,
            ),
        )
        return as_swap(record)

    async def accept(self, caller: Caller, swap_id: UUID) -> Swap:
        """Carry the swap out at its quote; accepting twice answers as the first time.

        In a sandbox it may be FAILED then, if that was asked for.

        Raises `TransactionNotFound`, `QuoteInvalid` for a late accept (the swap is QUOTE_FAILED
        then), `QuoteNotReady` while a coin of it is off its peg, `InsufficientBalance` and
        `LimitExceeded` (the quote stays open until it expires).
        """
        for _ in range(_ATTEMPTS):
            swap = await self.get(caller.org_id, swap_id)
            if refusal := why_not_accept(swap.status):
                raise refusal
            if swap.status is not Status.OPEN_QUOTE:
                return swap
            payee_id = swap.details.destination_user_id
            check_screened(swap.record)
            await check_quotable(self.rates, swap.source.asset, swap.destination.asset)
            await self.ends.check_may_move(caller, swap.record.user_id, payee_id)
            check_stays(caller, swap.record.user_id, payee_id, swap.details.destination_account_id)
            at = self.clock.stamp(caller.clock_offset)
            reason = why_not_carried(swap.record)
            move = (
                accepted(swap, caller.actor, at)
                if reason is None
                else refused(swap, reason, caller.actor, at)
            )
            settled = await self.committing.advance(move, MOVES)
            match settled:
                case Transfer():
                    return as_swap(settled)
                case Outcome.LATE:
                    if await self.expire(swap, caller.actor, at):
                        raise QuoteInvalid("the quote of this swap has expired; create a new one")
                case Outcome.SHORT:
                    raise InsufficientBalance(too_little(swap.source))
                case _:
                    pass  # somebody else moved it: look again
        raise Busy("the swap is being changed by somebody else")

    async def expire(self, swap: Swap, actor: str, at: datetime) -> bool:
        """End an open quote that is due; False if somebody else has moved the swap."""
        move = Move(
            swap.record,
            path=(Status.QUOTE_FAILED,),
            what="expire",
            actor=actor,
            at=at,
            timing=Timing.OVERDUE,
            facts={
                "error": QuoteInvalid.name,
                "error_code": QuoteInvalid.code,
                "error_message": "the quote expired before it was accepted",
            },
        )
        return isinstance(await self.ledger.advance(move, MOVES), Transfer)

    async def get(self, org_id: UUID, swap_id: UUID) -> Swap:
        """A swap; raises `TransactionNotFound`."""
        return as_swap(await self.ledger.get(org_id, KIND, swap_id))

    async def page(self, org_id: UUID, user_id: UUID | None, window: Window) -> Sequence[Swap]:
        """A page of swaps, newest first."""
        return [as_swap(each) for each in await self.ledger.page(org_id, KIND, user_id, window)]

    async def _quoted(
        self, caller: Caller, request_id: UUID, wanted: Wanted, request: dict[str, Any]
    ) -> Drafted:
        source, destination = check_route(
            source_chain=wanted.source_chain,
            source_currency=wanted.source_currency,
            destination_chain=wanted.destination_chain,
            currency=wanted.destination_currency,
        )
        amounts = _amounts(wanted, source, destination)
        payer = await self.ends.payer(
            caller, wanted.source_user_id, wanted.source_chain, wanted.source_currency
        )
        payee = await self._payee(caller, payer, wanted, destination)
        check_stays(caller, wanted.source_user_id, payee.user_id, payee.account_id)
        at = self.clock.stamp(caller.clock_offset)
        quote = await self._quote(caller.org_id, amounts, source, destination, at)
        if payer.account.available_units < quote.send_gross.units:
            raise InsufficientBalance(too_little(quote.send_gross), field="source.amount")
        expires_at = at + QUOTE_LIFETIME
        details = Details(
            source_account_id=payer.account.id,
            destination_account_id=payee.account_id,
            # An address that nobody registered counts as one of who swaps.
            destination_user_id=payee.user_id or wanted.source_user_id,
            destination_address=payee.address,
            external_wallet_id=payee.external_wallet_id,
            fee_units=quote.fee.units,
            rate=quote.price.rate.value,
            quote_expires_at=expires_at,
            is_exact_out=wanted.destination_amount is not None,
        )
        return Drafted(
            opening=Opening(
                org_id=caller.org_id,
                id=new_id(),
                kind=KIND,
                user_id=wanted.source_user_id,
                request_id=request_id,
                request=request,
                path=(Status.OPEN_QUOTE,),
                source=quote.send_gross,
                destination=quote.receive,
                details=msgspec.to_builtins(details),
                due_at=expires_at,
                at=at,
                actor=caller.actor,
            )
        )

    async def _payee(self, caller: Caller, payer: Payer, wanted: Wanted, asset: Asset) -> Payee:
        """Where the coins arrive: the wallet that pays, unless said otherwise."""
        wallet = payer.wallet
        if wanted.destination.is_empty:
            account = await self.ledger.account(wallet.org_id, wallet.id, asset)
            return Payee(wallet.user_id, wallet.address, account_id=account.id)
        return await self.ends.payee(
            caller,
            wanted.destination,
            payer_id=wallet.user_id,
            chain=wanted.destination_chain,
            asset=asset,
            # Decision 0010: a swap goes to any address.
            may_be_unknown=True,
        )

    async def _quote(
        self,
        org_id: UUID,
        amounts: tuple[Money | None, Money | None],
        source: Asset,
        destination: Asset,
        at: datetime,
    ) -> Quote:
        price = await fresh_price(
            self.rates,
            org_id,
            source=source,
            destination=destination,
            now=at,
            age_max=self.price_age_max,
        )
        match amounts:
            case (Money() as send, None):
                quote = exact_in(send, destination, price)
            case (None, Money() as receive):
                quote = exact_out(receive, source, price)
            case _:
                raise Broken("a swap has exactly one amount")
        if quote is None:
            raise FieldInvalid(
                "source.amount is too small: nothing would be left after the fee",
                field="source.amount",
            )
        is_exact_in = amounts[0] is not None
        check_size(quote, field="source.amount" if is_exact_in else "destination.amount")
        return quote


def _amounts(
    wanted: Wanted, source: Asset, destination: Asset
) -> tuple[Money | None, Money | None]:
    """Exactly one of the two amounts, above zero."""
    if (wanted.source_amount is None) == (wanted.destination_amount is None):
        raise FieldInvalid(
            "give either source.amount or destination.amount, not both and not neither",
            field="source.amount",
        )
    if wanted.source_amount is not None:
        return parse_amount("source.amount", wanted.source_amount, source), None
    return None, parse_amount("destination.amount", wanted.destination_amount or "", destination)
