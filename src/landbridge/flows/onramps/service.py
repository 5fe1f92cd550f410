"""Verbs on onramps: create, accept, refresh, cancel, get, list; and what compliance does to them.

A quote holds nothing: what it promises is paid for by the deposit, which has to be exact and in
time. The deposit itself is taken in deposits.py, the coins are sent by the worker (steps.py).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec

from landbridge.accounts.service import Accounts
from landbridge.accounts.tables import Ramp
from landbridge.chains.tokens import Chain
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, Busy, LandbridgeError
from landbridge.core.ids import new_id
from landbridge.core.money import Money
from landbridge.core.pages import Window
from landbridge.core.states import Moves
from landbridge.db.pool import Database, Tx
from landbridge.flows.onramps import moves, store
from landbridge.flows.onramps.asked import CHAIN_DEFAULT, Wanted, amounts, check_form
from landbridge.flows.onramps.model import (
    KIND,
    MOVES,
    QUOTE_LIFETIME,
    Details,
    Onramp,
    Status,
    as_onramp,
    why_not_accept,
    why_not_cancel,
    why_not_refresh,
    why_not_review,
)
from landbridge.flows.onramps.quoting import quote_of
from landbridge.flows.onramps.references import new_reference
from landbridge.ledger.model import Move, Opening, Outcome, Transfer
from landbridge.ledger.past import amounts_told
from landbridge.ledger.service import Ledger
from landbridge.payments.committing import Committing
from landbridge.payments.ends import Asked, Ends, Payee, check_stays, token_asset
from landbridge.payments.errors import AccountUnfit
from landbridge.payments.fees import Fee, FeeType
from landbridge.payments.forced import check_screened
from landbridge.payments.manner import PLAIN, Manner
from landbridge.payments.openings import Drafted, Openings, Terms
from landbridge.quotes.errors import QuoteInvalid, RouteInvalid
from landbridge.quotes.pricing import Quote, check_quotable, fresh_price
from landbridge.rails.currencies import FIAT, FIAT_ASSETS
from landbridge.rails.port import Rails, shared_seed
from landbridge.rates.port import RateSource
from landbridge.rates.valuation import Valuation
from landbridge.rfis.service import Rfis
from landbridge.verification.service import Verification
from landbridge.wallets.service import Wallets
from landbridge.web.caller import Caller

# How often a verb looks again after it has lost a race before it says so.
_ATTEMPTS = 4
# Whether a bank takes a currency does not depend on the account.
_ANY_NUMBER = "0"


class _ReferenceTaken(LandbridgeError):
    """Another record of the organisation has this reference; never leaves this module."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Onramps:
    """Onramps of all organisations."""

    database: Database
    ledger: Ledger
    ends: Ends
    openings: Openings
    committing: Committing
    wallets: Wallets
    accounts: Accounts
    verification: Verification
    rfis: Rfis
    rates: RateSource
    valuation: Valuation
    rails: Rails
    clock: Clock
    price_age_max: timedelta

    @property
    def moves(self) -> Moves[Any]:
        """The table of moves, for those who move records of any flow."""
        return MOVES

    async def create(
        self,
        caller: Caller,
        request_id: UUID,
        wanted: Wanted,
        request: dict[str, Any],
        *,
        manner: Manner = PLAIN,
    ) -> Onramp:
        """Quote an onramp, once per request id.

        Raises `FieldInvalid`, `RouteInvalid`, `UserNotFound`, `UserFrozen`, `VerificationMissing`,
        `WalletNotFound`, what `Accounts.check_usable` raises, `AccountUnfit`, `QuoteNotReady`,
        `RoleNotAllowed`, and `RequestIdTaken` for a request id used with another body.
        """
        opened = await self.openings.once(
            caller,
            lambda _: self._quoted(caller, request_id, wanted, request),
            MOVES,
            Terms(
                kind=KIND,
                request_id=request_id,
                request=request,
                course=moves.course,
                manner=manner,
            ),
        )
        return as_onramp(opened)

    async def accept(self, caller: Caller, transfer_id: UUID) -> Onramp:
        """Take the quote, and say where the deposit goes; accepted twice, it answers the same.

        Raises `TransactionNotFound`, `ResourceConflict` in review, `QuoteInvalid` when it is too
        late, `QuoteNotReady` while its coin is off its peg and `LimitExceeded` (the quote stays
        open), `ProfileFrozen`, `RoleNotAllowed` and `UserFrozen`.
        """
        for _ in range(_ATTEMPTS):
            onramp = await self.get(caller.org_id, transfer_id)
            if refusal := why_not_accept(onramp):
                raise refusal
            if onramp.status is not Status.OPEN_QUOTE:
                return onramp
            check_screened(onramp.record)
            await check_quotable(self.rates, onramp.destination.asset)
            await self.ends.check_may_move(caller, *_users(onramp))
            check_stays(caller, *_users(onramp), onramp.details.destination_account_id)
            at = self.clock.stamp(caller.clock_offset)
            match await self._accept(onramp, caller.actor, at):
                case Transfer() as moved:
                    return as_onramp(moved)
                case Outcome.LATE:
                    if await self.lapse(onramp, caller.actor, at):
                        raise QuoteInvalid("the quote of this onramp has expired; create a new one")
                case _:
                    pass  # somebody else moved it: look again
        raise Busy("the onramp is being changed by somebody else")

    async def refresh(self, caller: Caller, transfer_id: UUID) -> Onramp:
        """Make an open quote anew, with time from now on.

        Raises `TransactionNotFound`, `ResourceConflict` unless it is an open quote, `QuoteNotReady`
        and `FieldInvalid` where the new price leaves nothing, and as `accept`.
        """
        for _ in range(_ATTEMPTS):
            onramp = await self.get(caller.org_id, transfer_id)
            if refusal := why_not_refresh(onramp.status):
                raise refusal
            await self.ends.check_may_move(caller, *_users(onramp))
            at = self.clock.stamp(caller.clock_offset)
            quote = await self._requote(onramp, at)
            worth_usd = await self._worth_usd(quote.send_gross, at)
            move = moves.refreshed(onramp, quote, worth_usd=worth_usd, actor=caller.actor, at=at)
            moved = await self.ledger.advance(move, MOVES)
            if moved is Outcome.LATE:
                await self.lapse(onramp, caller.actor, at)
            elif (refreshed := await self._moved(move, moved)) is not None:
                return refreshed
        raise Busy("the onramp is being changed by somebody else")

    async def cancel(self, caller: Caller, transfer_id: UUID) -> Onramp:
        """End an onramp that is in review: fiat that came goes back.

        Cancelling twice answers as the first time. Raises `TransactionNotFound`,
        `ResourceConflict` unless it is in review with nothing under way outside, `ProfileFrozen`
        and `RoleNotAllowed`.
        """
        for _ in range(_ATTEMPTS):
            onramp = await self.get(caller.org_id, transfer_id)
            if refusal := why_not_cancel(onramp):
                raise refusal
            if onramp.details.is_cancelled:
                return onramp
            await self.ends.check_may_move(caller)
            at = self.clock.stamp(caller.clock_offset)
            move = moves.cancelled(onramp, actor=caller.actor, at=at)
            cancelled = await self._moved(move, await self._end_review(move))
            if cancelled is not None:
                return cancelled
        raise Busy("the onramp is being changed by somebody else")

    async def lapse(self, onramp: Onramp, actor: str, at: datetime) -> bool:
        """End what waits for its owner and is due; False if somebody else has moved it."""
        move = moves.lapsed(onramp, actor=actor, at=at)
        if onramp.status is Status.IN_REVIEW:
            return isinstance(await self._end_review(move), Transfer)
        return isinstance(await self.ledger.advance(move, MOVES), Transfer)

    async def get(self, org_id: UUID, transfer_id: UUID) -> Onramp:
        """An onramp; raises `TransactionNotFound`."""
        return as_onramp(await self.ledger.get(org_id, KIND, transfer_id))

    async def page(self, org_id: UUID, user_id: UUID | None, window: Window) -> Sequence[Onramp]:
        """A page of onramps, newest first."""
        return [as_onramp(each) for each in await self.ledger.page(org_id, KIND, user_id, window)]

    def into_review(self, record: Transfer, *, actor: str, at: datetime) -> Move:
        """The move with which compliance stops it; raises `ResourceConflict` if it can't."""
        onramp = as_onramp(record)
        if refusal := why_not_review(onramp.status):
            raise refusal
        return moves.into_review(onramp, actor=actor, at=at)

    def out_of_review(self, record: Transfer, *, actor: str, at: datetime) -> Move:
        """The move with which it goes on where it was."""
        return moves.out_of_review(as_onramp(record), actor=actor, at=at)

    async def account_number(self, org_id: UUID, currency: str) -> str:
        """Where deposits of a currency arrive for this organisation; raises `Unavailable`."""
        seed = shared_seed(org_id, currency)
        return await self.rails.new_account_number(org_id, currency, seed)

    async def _accept(self, onramp: Onramp, actor: str, at: datetime) -> Transfer | Outcome:
        """The move, with a reference that no other record of the organisation has."""
        record = onramp.record
        number = await self.account_number(record.org_id, onramp.source.asset.currency)

        async def take(tx: Tx, reference: str) -> None:
            if not await store.add(tx, record.org_id, reference, record.id):
                raise _ReferenceTaken

        for attempt in range(_ATTEMPTS):
            reference = new_reference(record.id, attempt)
            move = moves.accepted(
                onramp, reference=reference, account_number=number, actor=actor, at=at
            )
            try:
                return await self.committing.advance(
                    move, MOVES, beside=lambda tx, told=reference: take(tx, told)
                )
            except _ReferenceTaken:
                continue
        raise Broken(f"no reference is free for onramp {record.id}")

    async def _moved(self, move: Move, outcome: Transfer | Outcome) -> Onramp | None:
        """The record if this move has moved it; None if somebody else has.

        Stamps are unique, so a move whose commit was not heard of is known by its own.
        """
        if isinstance(outcome, Transfer):
            return as_onramp(outcome)
        found = await self.get(move.transfer.org_id, move.transfer.id)
        return found if found.record.updated_at == move.at else None

    async def _end_review(self, move: Move) -> Transfer | Outcome:
        """A move out of review for good, and the request for information with it."""
        record = move.transfer

        async def work(tx: Tx) -> Transfer | Outcome:
            moved = await self.ledger.advance_in(tx, move, MOVES)
            if isinstance(moved, Transfer):
                await self.rfis.close_in(tx, record.org_id, record.id, actor=move.actor, at=move.at)
            return moved

        return await self.database.transact(work)

    async def _quoted(
        self, caller: Caller, request_id: UUID, wanted: Wanted, request: dict[str, Any]
    ) -> Drafted:
        check_form(wanted)
        org_id, fiat = caller.org_id, wanted.fiat
        chain = await self._chain(org_id, wanted)
        coins = token_asset(chain, wanted.destination_currency, field="destination.currency")
        asked = amounts(wanted, coins)
        await self._check_taken(caller.org_id, fiat.currency)
        await self.ends.check_may_move(caller, wanted.user_id)
        await self.verification.check_active(org_id, wanted.user_id, wanted.kyc_rail)
        if wanted.bank_account_id is not None:
            await self._check_account(org_id, wanted, wanted.bank_account_id)
        payee = await self._payee(caller, wanted, chain)
        check_stays(caller, wanted.user_id, payee.user_id, payee.account_id)
        at = self.clock.stamp(caller.clock_offset)
        price = await fresh_price(
            self.rates, org_id, source=fiat, destination=coins, now=at, age_max=self.price_age_max
        )
        quote = quote_of(asked, fiat=fiat, coins=coins, price=price, fee=wanted.fee)
        details = Details(
            bank_account_id=wanted.bank_account_id,
            source_address=await self.wallets.treasury_address(org_id, chain),
            destination_account_id=payee.account_id,
            destination_user_id=payee.user_id or wanted.user_id,
            destination_address=payee.address,
            external_wallet_id=payee.external_wallet_id,
            fee_units=quote.fee.units,
            rate=quote.price.rate.value,
            quote_expires_at=at + QUOTE_LIFETIME,
            is_exact_out=wanted.destination_amount is not None,
            worth_usd=await self._worth_usd(quote.send_gross, at),
        )
        return Drafted(
            opening=Opening(
                org_id=org_id,
                id=new_id(),
                kind=KIND,
                user_id=wanted.user_id,
                request_id=request_id,
                request=request,
                path=(Status.CREATED, Status.OPEN_QUOTE),
                source=quote.send_gross,
                destination=quote.receive,
                details={
                    **msgspec.to_builtins(details),
                    **amounts_told(quote.send_gross, quote.receive),
                },
                due_at=details.quote_expires_at,
                at=at,
                actor=caller.actor,
            )
        )

    async def _chain(self, org_id: UUID, wanted: Wanted) -> Chain:
        """Where the coins are wanted: the chain of the registered address, if it names one."""
        if wanted.chain is None and wanted.external_wallet_id is not None:
            return (await self.wallets.external(org_id, wanted.external_wallet_id)).chain
        return wanted.chain or CHAIN_DEFAULT

    async def _check_taken(self, org_id: UUID, currency: str) -> None:
        """Raise `RouteInvalid` for a currency that no bank of ours takes."""
        if await self.rails.coordinates(org_id, currency, _ANY_NUMBER) is None:
            raise RouteInvalid(
                f"source.currency: no bank is connected that takes {currency}",
                field="source.currency",
            )

    async def _check_account(self, org_id: UUID, wanted: Wanted, account_id: UUID) -> None:
        """Raise unless the user has this account, money may come from it, in this currency."""
        found = await self.accounts.check_usable(org_id, wanted.user_id, account_id)
        if found.ramp is not Ramp.ONRAMP or found.currency != wanted.currency:
            raise AccountUnfit(
                f"source.accountId: {account_id} is an {found.ramp} account of {found.currency}, "
                f"not an onramp account of {wanted.currency}",
                field="source.accountId",
            )

    async def _payee(self, caller: Caller, wanted: Wanted, chain: Chain) -> Payee:
        to_user = wanted.destination_user_id
        if wanted.external_wallet_id is None:
            to_user = to_user or wanted.user_id
        asked = Asked(
            side="destination", user_id=to_user, external_wallet_id=wanted.external_wallet_id
        )
        asset = token_asset(chain, wanted.destination_currency, field="destination.currency")
        return await self.ends.payee(
            caller, asked, payer_id=wanted.user_id, chain=chain, asset=asset
        )

    async def _worth_usd(self, fiat: Money, at: datetime) -> Decimal | None:
        """What other fiat than dollars is worth; None for dollars, or if nobody knows."""
        if fiat.asset == FIAT["usd"]:
            return None
        return await self.valuation.in_usd(fiat, at.date())

    async def _requote(self, onramp: Onramp, at: datetime) -> Quote:
        """The same request at the present price."""
        record, coins = onramp.record, onramp.destination.asset
        fiat = FIAT_ASSETS[record.source_asset]
        price = await fresh_price(
            self.rates,
            record.org_id,
            source=fiat,
            destination=coins,
            now=at,
            age_max=self.price_age_max,
        )
        is_exact_out = onramp.details.is_exact_out
        asked = (None, onramp.destination) if is_exact_out else (onramp.source, None)
        return quote_of(asked, fiat=fiat, coins=coins, price=price, fee=_fee(record.request))


def _users(onramp: Onramp) -> tuple[UUID, UUID]:
    return onramp.record.user_id, onramp.details.destination_user_id


def _fee(request: Mapping[str, Any]) -> Fee | None:
    """The organisation's own fee, as it was asked for."""
    told: Mapping[str, str] | None = request.get("fee")
    return None if told is None else Fee(FeeType(told["type"]), Decimal(told["value"]))
