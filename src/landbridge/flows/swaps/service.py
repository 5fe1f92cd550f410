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
from landbridge.core.errors import Broken, Busy, FieldInvalid, Refused
from landbridge.core.ids import new_id
from landbridge.core.money import AmountError, Asset, Money
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
from landbridge.ledger.errors import InsufficientBalance
from landbridge.ledger.model import Move, Opening, Outcome, Posting, Role, Timing, Transfer
from landbridge.ledger.service import Ledger
from landbridge.quotes.errors import QuoteInvalid, RouteInvalid
from landbridge.quotes.pricing import Quote, check_size, exact_in, exact_out, fresh_price
from landbridge.rates.port import RateSource
from landbridge.users.service import Users
from landbridge.wallets.errors import WalletNotFound
from landbridge.wallets.model import Wallet
from landbridge.wallets.service import Wallets, checked_address
from landbridge.web.caller import Caller

# How often a verb looks again after it has lost a race before it says so.
_ATTEMPTS = 4


@dataclass(frozen=True, slots=True)
class Wanted:
    """A swap that is asked for: one of the two amounts, at most one kind of destination."""

    source_user_id: UUID
    source_chain: Chain
    source_currency: str
    source_amount: str | None
    destination_chain: Chain
    destination_currency: str
    destination_amount: str | None
    destination_user_id: UUID | None
    external_wallet_id: UUID | None
    wallet_address: str | None


@dataclass(frozen=True, slots=True)
class _Destination:
    """Where the coins go; no account when they leave the platform."""

    user_id: UUID
    address: str
    account_id: UUID | None = None
    external_wallet_id: UUID | None = None


@dataclass(frozen=True, slots=True)
class Swaps:
    """Swaps of all organisations."""

    ledger: Ledger
    users: Users
    wallets: Wallets
    rates: RateSource
    clock: Clock
    price_age_max: timedelta = field(kw_only=True)
    # Whether coins can leave the platform: only where a chain carries them, or a sandbox plays one.
    can_leave: bool = field(kw_only=True)

    async def create(
        self, caller: Caller, request_id: UUID, wanted: Wanted, request: dict[str, Any]
    ) -> Swap:
        """Quote a swap, once per request id. Nothing is held.

        Raises `FieldInvalid`, `RouteInvalid`, `UserNotFound`, `WalletNotFound`, `QuoteNotReady`,
        `InsufficientBalance`, and `RequestIdTaken` for a request id used with another body.
        """
        try:
            opening = await self._quoted(caller, request_id, wanted, request)
        except Refused:
            # A replay is answered whatever has become of prices and balances since.
            replayed = await self.ledger.find_replay(caller.org_id, request_id, KIND, request)
            if replayed is None:
                raise
            return as_swap(replayed)
        opened = await self.ledger.open(opening, MOVES)
        if isinstance(opened, Outcome):
            raise Broken("a swap that posts nothing came out short")
        return as_swap(opened.transfer)

    async def accept(self, caller: Caller, swap_id: UUID) -> Swap:
        """Carry the swap out at its quote; accepting twice answers as the first time.

        Raises `TransactionNotFound`, `QuoteInvalid` for a late accept (the swap is QUOTE_FAILED
        then), and `InsufficientBalance` (the quote stays open until it expires).
        """
        for _ in range(_ATTEMPTS):
            swap = await self.get(caller.org_id, swap_id)
            if refusal := why_not_accept(swap.status):
                raise refusal
            if swap.status is not Status.OPEN_QUOTE:
                return swap
            for user_id in {swap.record.user_id, swap.details.destination_user_id}:
                await self.users.check_active(caller.org_id, user_id)
            at = self.clock.stamp(caller.clock_offset)
            settled = await self.ledger.advance(_settlement(swap, caller.actor, at), MOVES)
            match settled:
                case Transfer():
                    return as_swap(settled)
                case Outcome.LATE:
                    if await self.expire(swap, caller.actor, at):
                        raise QuoteInvalid("the quote of this swap has expired; create a new one")
                case Outcome.SHORT:
                    raise InsufficientBalance(_too_little(swap.source))
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
    ) -> Opening:
        source, destination = check_route(
            source_chain=wanted.source_chain,
            source_currency=wanted.source_currency,
            destination_chain=wanted.destination_chain,
            currency=wanted.destination_currency,
        )
        amounts = _amounts(wanted, source, destination)
        await self.users.check_active(caller.org_id, wanted.source_user_id)
        payer = await self._wallet(
            caller.org_id, wanted.source_user_id, wanted.source_chain, "source"
        )
        account = await self.ledger.account(payer.org_id, payer.id, source)
        arrival = await self._destination(payer, wanted, destination)
        at = self.clock.stamp(caller.clock_offset)
        quote = await self._quote(caller.org_id, amounts, source, destination, at)
        if account.available_units < quote.send_gross.units:
            raise InsufficientBalance(_too_little(quote.send_gross), field="source.amount")
        expires_at = at + QUOTE_LIFETIME
        details = Details(
            source_account_id=account.id,
            destination_account_id=arrival.account_id,
            destination_user_id=arrival.user_id,
            destination_address=arrival.address,
            external_wallet_id=arrival.external_wallet_id,
            fee_units=quote.fee.units,
            rate=quote.price.rate.value,
            quote_expires_at=expires_at,
            is_exact_out=wanted.destination_amount is not None,
        )
        return Opening(
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

    async def _destination(self, payer: Wallet, wanted: Wanted, asset: Asset) -> _Destination:
        """Where the coins arrive: the wallet that pays, unless said otherwise."""
        org_id, chain = payer.org_id, wanted.destination_chain
        if wanted.external_wallet_id is not None:
            self._check_can_leave("destination.externalWalletId")
            external = await self.wallets.external(org_id, wanted.external_wallet_id)
            if not external.is_active or external.chain is not chain:
                raise WalletNotFound(
                    f"destination.externalWalletId is not an active wallet on {chain}",
                    field="destination.externalWalletId",
                )
            return _Destination(external.user_id, external.address, external_wallet_id=external.id)
        if wanted.wallet_address is not None:
            address = checked_address(
                chain, wanted.wallet_address, field="destination.walletAddress"
            )
            ours = await self.wallets.find_address(org_id, chain, address)
            if ours is None:
                self._check_can_leave("destination.walletAddress")
                return _Destination(wanted.source_user_id, address)
        elif wanted.destination_user_id is not None:
            ours = await self._wallet(org_id, wanted.destination_user_id, chain, "destination")
        else:
            ours = payer
        if ours.user_id != payer.user_id:
            await self.users.check_active(org_id, ours.user_id)
        account = await self.ledger.account(ours.org_id, ours.id, asset)
        return _Destination(ours.user_id, ours.address, account_id=account.id)

    def _check_can_leave(self, field: str) -> None:
        if not self.can_leave:
            raise RouteInvalid(
                f"{field}: no chain is connected that could carry the coins there; "
                "swap into a wallet of a user",
                field=field,
            )

    async def _wallet(self, org_id: UUID, user_id: UUID, chain: Chain, side: str) -> Wallet:
        wallet = await self.wallets.find(org_id, user_id, chain)
        if wallet is None:
            await self.users.check_exists(org_id, user_id)
            raise WalletNotFound(
                f"{side}.chain: user {user_id} has no wallet on {chain}; add one with "
                f"POST /v2/users/{user_id}/wallets/add",
                field=f"{side}.chain",
            )
        return wallet

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


def _settlement(swap: Swap, actor: str, at: datetime) -> Move:
    """The accept of a swap: from the wallet to liquidity and fees, from liquidity to its end."""
    details = swap.details
    arrives = details.destination_account_id or Role.OUTSIDE
    return Move(
        swap.record,
        path=(Status.CREATED, Status.PENDING, Status.COMPLETED),
        what="accept",
        actor=actor,
        at=at,
        timing=Timing.IN_TIME,
        journals={
            2: [
                Posting(details.source_account_id, -swap.source),
                Posting(Role.LIQUIDITY, swap.source - swap.fee),
                *([Posting(Role.FEES, swap.fee)] if swap.fee.units else []),
                Posting(Role.LIQUIDITY, -swap.destination),
                Posting(arrives, swap.destination),
            ]
        },
    )


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
        return _amount("source.amount", wanted.source_amount, source), None
    return None, _amount("destination.amount", wanted.destination_amount or "", destination)


def _amount(name: str, text: str, asset: Asset) -> Money:
    try:
        money = Money.parse(text, asset)
    except AmountError as error:
        raise FieldInvalid(f"{name} {error}", field=name) from error
    if money.units <= 0:
        raise FieldInvalid(f"{name} must be above zero", field=name)
    return money


def _too_little(needed: Money) -> str:
    return f"the wallet holds less than the {needed} {needed.asset.currency} that the swap takes"
