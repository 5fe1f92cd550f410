"""Onramp service: creates, accepts, refreshes, cancels and expires onramps; starts reviews.

A quote holds no funds. The deposit has to arrive in time, with exactly the quoted amount.
deposits.py applies the deposit; the worker sends the coins (steps.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from landbridge.customers.bank_accounts.service import BankAccounts
from landbridge.customers.verification.service import Verification
from landbridge.customers.wallets.service import Wallets
from landbridge.ledger.model import AdvanceTransfer, CommitOutcome, CreateTransfer, Transfer
from landbridge.ledger.service import Ledger
from landbridge.ledger.snapshots import amount_facts
from landbridge.payments.engine.create_transfer import (
    CreationOptions,
    TransferCreation,
    TransferDraft,
)
from landbridge.payments.engine.order_keys import requested_details
from landbridge.payments.engine.parties import (
    PartyRequest,
    Payee,
    PaymentParties,
    check_own_wallet,
    token_asset,
)
from landbridge.payments.engine.quote_acceptance import QuoteAcceptance
from landbridge.payments.engine.request_options import (
    DEFAULT_OPTIONS,
    RequestOptions,
    payment_values,
)
from landbridge.payments.engine.scripted_outcomes import check_scripted_screening
from landbridge.payments.onramps import references, transitions
from landbridge.payments.onramps.model import (
    KIND,
    QUOTE_LIFETIME,
    TRANSITIONS,
    Onramp,
    OnrampDetails,
    OnrampStatus,
    accept_refusal,
    as_onramp,
    cancel_refusal,
    refresh_refusal,
    review_refusal,
)
from landbridge.payments.onramps.quote import quote_onramp
from landbridge.payments.onramps.references import new_reference
from landbridge.payments.onramps.request import (
    CHAIN_DEFAULT,
    NewOnramp,
    OnrampRequest,
    amounts,
    check_account,
    organisation_fee,
    validate,
)
from landbridge.payments.quotes.errors import QuoteInvalid, RouteInvalid
from landbridge.payments.quotes.pricing import Quote, check_quotable, fresh_price
from landbridge.payments.rfis.service import Rfis
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken, LandbridgeError
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Asset, Money
from landbridge.platform.core.optimistic_retry import optimistic_retry
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.caller import Caller
from landbridge.providers.chains.tokens import Chain
from landbridge.providers.rails.currencies import FIAT, FIAT_ASSETS
from landbridge.providers.rails.port import Rails, give_number, shared_seed
from landbridge.providers.rates.port import RateSource
from landbridge.providers.rates.valuation import Valuation

# Attempts to find a reference that no other record has.
_ATTEMPTS = 4


class _ReferenceTaken(LandbridgeError):
    """Another record of the organisation has this reference; never leaves this module."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Onramps:
    """Onramps of all organisations."""

    database: Database
    ledger: Ledger
    parties: PaymentParties
    transfer_creation: TransferCreation
    quote_acceptance: QuoteAcceptance
    wallets: Wallets
    accounts: BankAccounts
    verification: Verification
    rfis: Rfis
    rates: RateSource
    valuation: Valuation
    rails: Rails
    clock: Clock
    price_age_max: timedelta

    @property
    def transitions(self) -> Transitions[Any]:
        """The transition table; a property of every flow, for code that advances any record."""
        return TRANSITIONS

    async def create(
        self, caller: Caller, data: NewOnramp, options: RequestOptions = DEFAULT_OPTIONS
    ) -> Onramp:
        """Quote an onramp, once per request id.

        Raises `FieldInvalid`, `RouteInvalid`, `UserNotFound`, `UserFrozen`, `VerificationMissing`,
        `WalletNotFound`, the errors of `BankAccounts.check_usable`, `AccountUnfit`,
        `QuoteNotReady`, `RoleNotAllowed`, and `RequestIdTaken`.
        """
        request = payment_values(data)
        opened = await self.transfer_creation.create(
            caller,
            lambda _: self._quoted(caller, data.request_id, data.params(), request),
            TRANSITIONS,
            CreationOptions(
                kind=KIND,
                request_id=data.request_id,
                request=request,
                planned_steps=transitions.planned_steps,
                request_options=options.of(data.metadata),
            ),
        )
        return as_onramp(opened)

    @optimistic_retry("the onramp was changed concurrently; try again")
    async def accept(self, caller: Caller, transfer_id: UUID) -> Onramp | None:
        """Accept the quote and assign a reference; a repeated accept returns the same onramp.

        Raises `TransactionNotFound`, `ResourceConflict` in review, `QuoteInvalid` if the quote has
        expired or ended, `ProfileFrozen`, `RoleNotAllowed` and `UserFrozen`. Raises `QuoteNotReady`
        while the coin is off its peg, and `LimitExceeded`; the quote then stays open.
        """
        onramp = await self.get(caller.org_id, transfer_id)
        if refusal := accept_refusal(onramp):
            raise refusal
        if onramp.status is not OnrampStatus.OPEN_QUOTE:
            return onramp
        check_scripted_screening(onramp.record)
        await check_quotable(self.rates, onramp.destination.asset)
        await self.parties.check_may_move(caller, *onramp.party_user_ids)
        check_own_wallet(caller, *onramp.party_user_ids, onramp.details.destination_account_id)
        at = self.clock.stamp(caller.clock_offset)
        match await self._accept(onramp, caller.actor, at):
            case Transfer() as moved:
                return as_onramp(moved)
            case CommitOutcome.LATE:
                if await self.expire(onramp, caller.actor, at):
                    raise QuoteInvalid("the quote of this onramp has expired; create a new one")
            case _:
                pass  # changed concurrently: read the record again
        return None

    @optimistic_retry("the onramp was changed concurrently; try again")
    async def refresh(self, caller: Caller, transfer_id: UUID) -> Onramp | None:
        """Refresh an open quote: quote it at the current price, with a new lifetime.

        Raises `TransactionNotFound`, `ResourceConflict` unless it is an open quote,
        `QuoteNotReady`, `FieldInvalid` if nothing remains at the new price, and the errors of
        `accept`.
        """
        onramp = await self.get(caller.org_id, transfer_id)
        if refusal := refresh_refusal(onramp.status):
            raise refusal
        await self.parties.check_may_move(caller, *onramp.party_user_ids)
        at = self.clock.stamp(caller.clock_offset)
        quote = await self._requote(onramp, at)
        worth_usd = await self._worth_usd(quote.send_gross, at)
        move = transitions.refreshed(onramp, quote, worth_usd=worth_usd, actor=caller.actor, at=at)
        moved = await self.ledger.advance(move, TRANSITIONS)
        if moved is CommitOutcome.LATE:
            await self.expire(onramp, caller.actor, at)
        elif (refreshed := await self._moved(move, moved)) is not None:
            return refreshed
        return None

    @optimistic_retry("the onramp was changed concurrently; try again")
    async def cancel(self, caller: Caller, transfer_id: UUID) -> Onramp | None:
        """Cancel an onramp that is in review; received fiat is returned.

        A repeated cancel returns the same onramp. Raises `TransactionNotFound`, `ResourceConflict`
        unless it is in review without an open external order, `ProfileFrozen` and `RoleNotAllowed`.
        """
        onramp = await self.get(caller.org_id, transfer_id)
        if refusal := cancel_refusal(onramp):
            raise refusal
        if onramp.details.is_cancelled:
            return onramp
        await self.parties.check_may_move(caller)
        at = self.clock.stamp(caller.clock_offset)
        move = transitions.cancelled(onramp, actor=caller.actor, at=at)
        return await self._moved(move, await self._end_review(move))

    async def expire(self, onramp: Onramp, actor: str, at: datetime) -> bool:
        """Expire a quote or a deposit that was not received; False after a concurrent change."""
        move = transitions.expired(onramp, actor=actor, at=at)
        if onramp.status is OnrampStatus.IN_REVIEW:
            return isinstance(await self._end_review(move), Transfer)
        return isinstance(await self.ledger.advance(move, TRANSITIONS), Transfer)

    async def get(self, org_id: UUID, transfer_id: UUID) -> Onramp:
        """Get an onramp; raises `TransactionNotFound`."""
        return as_onramp(await self.ledger.get(org_id, KIND, transfer_id))

    async def page(
        self, org_id: UUID, user_id: UUID | None, window: PageWindow
    ) -> Sequence[Onramp]:
        """List onramps, newest first."""
        return [as_onramp(each) for each in await self.ledger.page(org_id, KIND, user_id, window)]

    def into_review(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Build the transition into review; raises `ResourceConflict` if it is refused."""
        onramp = as_onramp(record)
        if refusal := review_refusal(onramp.status):
            raise refusal
        return transitions.into_review(onramp, actor=actor, at=at)

    def out_of_review(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Build the transition back to the status before the review."""
        return transitions.out_of_review(as_onramp(record), actor=actor, at=at)

    async def account_number(self, org_id: UUID, currency: str) -> str:
        """Return the account number for deposits in a currency; raises `Busy`."""
        return await give_number(self.rails, org_id, currency, shared_seed(org_id, currency))

    async def _accept(self, onramp: Onramp, actor: str, at: datetime) -> Transfer | CommitOutcome:
        """Accept an onramp, and assign a reference that no other record of the organisation has."""
        record = onramp.record
        number = await self.account_number(record.org_id, onramp.source.asset.currency)

        async def assign(tx: Tx, reference: str) -> None:
            if not await references.add(tx, record.org_id, reference, record.id):
                raise _ReferenceTaken

        for attempt in range(_ATTEMPTS):
            reference = new_reference(record, attempt)
            move = transitions.accepted(
                onramp, reference=reference, account_number=number, actor=actor, at=at
            )
            try:
                return await self.quote_acceptance.advance(
                    move,
                    TRANSITIONS,
                    write_related=lambda tx, submitted=reference: assign(tx, submitted),
                )
            except _ReferenceTaken:
                continue
        raise InvariantBroken(f"no unused reference found for onramp {record.id}")

    async def _moved(
        self, move: AdvanceTransfer, outcome: Transfer | CommitOutcome
    ) -> Onramp | None:
        """Return the record if this transition has advanced it; None if another one has.

        Stamps are unique, so the stamp identifies this transition if its commit was not confirmed.
        """
        if isinstance(outcome, Transfer):
            return as_onramp(outcome)
        found = await self.get(move.transfer.org_id, move.transfer.id)
        return found if found.record.updated_at == move.at else None

    async def _end_review(self, move: AdvanceTransfer) -> Transfer | CommitOutcome:
        """Advance an onramp out of its review, and close the request for information with it."""
        record = move.transfer

        async def work(tx: Tx) -> Transfer | CommitOutcome:
            moved = await self.ledger.advance_in(tx, move, TRANSITIONS)
            if isinstance(moved, Transfer):
                await self.rfis.close_in(tx, record.org_id, record.id, actor=move.actor, at=move.at)
            return moved

        return await self.database.transact(work)

    async def _quoted(
        self, caller: Caller, request_id: UUID, params: OnrampRequest, request: dict[str, Any]
    ) -> TransferDraft:
        validate(params)
        org_id, fiat = caller.org_id, params.fiat
        chain = await self._chain(org_id, params)
        coins = token_asset(chain, params.destination_currency, field="destination.currency")
        requested = amounts(params, coins)
        await self._check_taken(caller.org_id, fiat.currency)
        await self.parties.check_may_move(caller, params.user_id)
        await self.verification.check_active(org_id, params.user_id, params.kyc_rail)
        if params.bank_account_id is not None:
            key = (org_id, params.user_id, params.bank_account_id)
            check_account(params, await self.accounts.check_usable(*key))
        payee = await self._payee(caller, params, coins)
        check_own_wallet(caller, params.user_id, payee.user_id, payee.account_id)
        at = self.clock.stamp(caller.clock_offset)
        price = await fresh_price(
            self.rates, org_id, source=fiat, destination=coins, now=at, age_max=self.price_age_max
        )
        quote = quote_onramp(requested, fiat=fiat, coins=coins, price=price, fee=params.fee)
        await self.parties.check_delivery(caller, payee, quote.receive, "destination.amount")
        details = OnrampDetails(
            bank_account_id=params.bank_account_id,
            source_address=await self.wallets.find_treasury_address(org_id, chain),
            destination_account_id=payee.account_id,
            destination_user_id=payee.user_id or params.user_id,
            destination_address=payee.address,
            external_wallet_id=payee.external_wallet_id,
            fee_units=quote.fee.units,
            rate=quote.price.rate.value,
            quote_expires_at=at + QUOTE_LIFETIME,
            is_exact_out=params.destination_amount is not None,
            worth_usd=await self._worth_usd(quote.send_gross, at),
        )
        return TransferDraft(
            creation=CreateTransfer(
                org_id=org_id,
                id=new_id(),
                kind=KIND,
                user_id=params.user_id,
                request_id=request_id,
                request=request,
                path=(OnrampStatus.CREATED, OnrampStatus.OPEN_QUOTE),
                source=quote.send_gross,
                destination=quote.receive,
                details=requested_details(details, amount_facts(quote.send_gross, quote.receive)),
                due_at=details.quote_expires_at,
                at=at,
                actor=caller.actor,
            ),
            payees=(payee,),
            needs_seed=not details.source_address,
        )

    async def _chain(self, org_id: UUID, params: OnrampRequest) -> Chain:
        """Return the requested chain; without one, the external wallet's or the default."""
        if params.chain is None and params.external_wallet_id is not None:
            return (await self.wallets.external(org_id, params.external_wallet_id)).chain
        return params.chain or CHAIN_DEFAULT

    async def _check_taken(self, org_id: UUID, currency: str) -> None:
        """Raise `RouteInvalid` for a currency in which no connected bank takes deposits."""
        if not await self.rails.takes_deposits(org_id, currency):
            raise RouteInvalid(
                f"source.currency: no connected bank serves {currency}",
                field="source.currency",
            )

    async def _payee(self, caller: Caller, params: OnrampRequest, coins: Asset) -> Payee:
        to_user = params.destination_user_id
        if params.external_wallet_id is None:
            to_user = to_user or params.user_id
        party_request = PartyRequest(
            side="destination", user_id=to_user, external_wallet_id=params.external_wallet_id
        )
        return await self.parties.payee(
            caller, party_request, payer_id=params.user_id, chain=Chain(coins.chain), asset=coins
        )

    async def _worth_usd(self, fiat: Money, at: datetime) -> Decimal | None:
        """Return the value in dollars at reference rates; None for dollars or without a rate."""
        if fiat.asset == FIAT["usd"]:
            return None
        return await self.valuation.in_usd(fiat, at.date())

    async def _requote(self, onramp: Onramp, at: datetime) -> Quote:
        """Quote the same request at the current price."""
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
        requested = (None, onramp.destination) if is_exact_out else (onramp.source, None)
        return quote_onramp(
            requested, fiat=fiat, coins=coins, price=price, fee=organisation_fee(record.request)
        )
