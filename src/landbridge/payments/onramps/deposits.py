"""Onramp deposits: matches incoming fiat with the onramp that it pays.

On a virtual account each deposit creates an onramp. Otherwise the reference identifies the onramp;
account, currency and amount must match, and the deposit must be in time. The record's transition
and the match commit in one transaction.

Source: contract, lifecycles 7 and 9.
"""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec

from landbridge.ledger.model import CommitOutcome, CreateTransfer, Transfer
from landbridge.ledger.service import CreatedTransfer
from landbridge.payments.engine.scripted_outcomes import is_reviewed
from landbridge.payments.incoming_payments.model import IncomingPayment
from landbridge.payments.incoming_payments.service import IncomingPayments
from landbridge.payments.limits.model import PaymentDestination
from landbridge.payments.limits.service import Limits
from landbridge.payments.onramps import references, transitions
from landbridge.payments.onramps.model import (
    KIND,
    TRANSITIONS,
    Onramp,
    OnrampDetails,
    OnrampStatus,
    SettlementPart,
)
from landbridge.payments.onramps.quote import quote_onramp
from landbridge.payments.onramps.references import normalise_reference
from landbridge.payments.onramps.service import Onramps
from landbridge.payments.quotes.errors import QuoteNotReady
from landbridge.payments.quotes.pricing import Quote, fresh_price
from landbridge.payments.virtual_accounts.model import VirtualAccount, is_micro
from landbridge.payments.virtual_accounts.rule_model import split
from landbridge.payments.virtual_accounts.service import VirtualAccounts
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken, Refused, Unavailable
from landbridge.platform.core.ids import derived_id, new_id
from landbridge.platform.core.money import Asset, Money, Rate, Rounding
from landbridge.platform.core.optimistic_retry import optimistic_retry
from landbridge.platform.db.pool import Tx
from landbridge.platform.orgs.service import Orgs

_ACTOR = "bank"
# Question of the request for information that is opened for a large deposit.
_QUESTION = "The amount is large enough for a review: where is the money from, and what is it for?"


@dataclass(frozen=True, slots=True, kw_only=True)
class OnrampDeposits:
    """Matches deposits with onramps."""

    onramps: Onramps
    virtual_accounts: VirtualAccounts
    incoming_payments: IncomingPayments
    orgs: Orgs
    limits: Limits
    clock: Clock
    # Deposits worth at least this many dollars are reviewed; None disables the rule.
    review_above_usd: Decimal | None

    async def match(self, payment: IncomingPayment) -> bool:
        """Apply a deposit to the onramp that it pays; False if it pays none and must be returned.

        If the deposit was applied before, the result is the same. A deposit for an onramp in review
        is applied too, and the review continues. Raises `Unavailable` while the price is too old to
        quote.
        """
        account = await self.virtual_accounts.find_by_number(payment.org_id, payment.account_number)
        if account is not None:
            return await self.on_virtual_account(account, payment)
        return await self._by_reference(payment)

    @optimistic_retry("the onramp was changed concurrently; try again")
    async def _by_reference(self, incoming_payment: IncomingPayment) -> bool | None:
        onramp = await self._find(incoming_payment)
        if onramp is None:
            return False
        if onramp.details.incoming_payment_id == incoming_payment.id:
            return True
        if not _is_awaited(onramp, incoming_payment):
            return False
        if isinstance(await self.deposit(onramp, incoming_payment), Transfer):
            return True
        return None

    async def _find(self, incoming_payment: IncomingPayment) -> Onramp | None:
        """Return the onramp that the reference on the deposit names; None if there is none."""
        org_id, reference = (
            incoming_payment.org_id,
            normalise_reference(incoming_payment.reference or ""),
        )
        if reference is None:
            return None
        transfer_id = await self.onramps.database.single(
            lambda tx: references.find(tx, org_id, reference)
        )
        return None if transfer_id is None else await self.onramps.get(org_id, transfer_id)

    async def deposit(
        self, onramp: Onramp, incoming_payment: IncomingPayment
    ) -> Transfer | CommitOutcome:
        """Apply the deposit; return the onramp after it, or the outcome of a concurrent change."""
        at = await self._stamp(incoming_payment.org_id)
        found = transitions.match_deposit(
            onramp,
            incoming_payment.money,
            incoming_payment_id=incoming_payment.id,
            clears_at=max(at, incoming_payment.clears_at),
            is_large=is_reviewed(onramp.record)
            or self._is_large(
                onramp.source,
                Rate(onramp.details.rate),
                onramp.destination.asset,
                onramp.details.worth_usd,
            ),
        )
        # An onramp already in review gets no second request for information.
        needs_review = found.is_reviewed and onramp.status is not OnrampStatus.IN_REVIEW
        move = transitions.deposited(onramp, found, incoming_payment.money, actor=_ACTOR, at=at)

        async def work(tx: Tx) -> Transfer | CommitOutcome:
            moved = await self.onramps.ledger.advance_in(tx, move, TRANSITIONS)
            if isinstance(moved, Transfer):
                await self._match(tx, incoming_payment, moved, needs_review=needs_review)
            return moved

        return await self.onramps.database.transact(work)

    async def on_virtual_account(
        self, account: VirtualAccount, incoming_payment: IncomingPayment
    ) -> bool:
        """Create an onramp from a deposit, unless it is a micro-deposit that verifies an account.

        Return False if the account does not accept it. Raises `Unavailable` while the price is too
        old, and `Refused` for a manual match if the coins could not be delivered.
        """
        transfer_id = derived_onramp_id(incoming_payment)
        if await self.onramps.ledger.find(incoming_payment.org_id, transfer_id) is not None:
            return True
        if (
            not account.is_active
            or account.source_currency != incoming_payment.money.asset.currency
        ):
            return False
        at = await self._stamp(incoming_payment.org_id)
        if is_micro(incoming_payment.money):

            async def note(tx: Tx) -> None:
                await self.virtual_accounts.record_micro_deposit(tx, account, incoming_payment, at)
                await self.incoming_payments.match(
                    tx, incoming_payment, account.id, user_id=account.user_id, at=at
                )

            await self.onramps.database.transact(note)
            return True
        creation = await self._creation(account, incoming_payment, transfer_id, at)
        if creation is None:
            return False

        async def work(tx: Tx) -> CreatedTransfer | CommitOutcome:
            opened = await self.onramps.ledger.create_in(tx, creation, TRANSITIONS)
            if isinstance(opened, CreatedTransfer) and not opened.is_replay:
                needs_review = opened.transfer.status == OnrampStatus.IN_REVIEW
                await self._match(tx, incoming_payment, opened.transfer, needs_review=needs_review)
            return opened

        if isinstance(await self.onramps.database.transact(work), CommitOutcome):
            raise InvariantBroken("the onramp of a deposit was refused for lack of balance")
        return True

    async def _creation(
        self,
        account: VirtualAccount,
        incoming_payment: IncomingPayment,
        transfer_id: UUID,
        at: datetime,
    ) -> CreateTransfer | None:
        """Build the onramp of a deposit; None if it cannot be quoted."""
        quote = await self._quote(account, incoming_payment.money, at)
        if quote is None:
            return None
        payment = incoming_payment
        facts: dict[str, Any] = {"incoming_payment_id": str(payment.id)}
        facts["received_units"] = payment.money.units
        try:
            split_as, failed_reason = await self._split(account, quote), None
        except Refused as error:
            if incoming_payment.decided_by is not None:
                raise  # a manual match is refused, so that the deposit can be matched otherwise
            # A destination of the settlement rule can't be paid any more: the sender is refunded.
            split_as, failed_reason = _DepositSplit(None, ()), error.message
        if failed_reason is None:
            found = self._cleared_match(quote, incoming_payment, at, facts)
        else:
            facts["failed_reason"] = failed_reason
            found = transitions.DepositMatchResult(OnrampStatus.FIAT_FAILED, at, facts)
        details = OnrampDetails(
            bank_account_id=None,
            source_address=await self.onramps.wallets.treasury_address(
                account.org_id, account.chain
            ),
            destination_account_id=split_as.account_id,
            destination_user_id=account.user_id,
            destination_address=account.wallet_address,
            external_wallet_id=account.external_wallet_id,
            fee_units=quote.fee.units,
            rate=quote.price.rate.value,
            quote_expires_at=at,
            is_exact_out=False,
            virtual_account_id=account.id,
            parts=split_as.parts,
        )
        return CreateTransfer(
            org_id=incoming_payment.org_id,
            id=transfer_id,
            kind=KIND,
            user_id=account.user_id,
            # A random request id, because a client could use a derived one for a payment before.
            request_id=new_id(),
            request={"virtualAccountId": str(account.id), "incomingPaymentId": str(payment.id)},
            path=found.path(),
            source=quote.send_gross,
            destination=quote.receive,
            details={**msgspec.to_builtins(details), **found.recorded_facts()},
            due_at=None if found.is_reviewed else found.due_at,
            at=at,
            actor=_ACTOR,
            journals={0: transitions.deposit_postings(incoming_payment.money)},
        )

    def _cleared_match(
        self, quote: Quote, incoming_payment: IncomingPayment, at: datetime, facts: dict[str, Any]
    ) -> transitions.DepositMatchResult:
        """Return the match of a deposit that can be delivered, in review if it is large."""
        is_large = self._is_large(quote.send_gross, quote.price.rate, quote.receive.asset)
        clears_at = max(at, incoming_payment.clears_at)
        return transitions.DepositMatchResult(
            OnrampStatus.FIAT_PENDING, clears_at, facts, is_reviewed=is_large
        )

    async def _quote(self, account: VirtualAccount, money: Money, at: datetime) -> Quote | None:
        """Quote a deposit at the current price; None if it is an amount that can't be converted.

        Raises `Unavailable` while the price is too old.
        """
        try:
            price = await fresh_price(
                self.onramps.rates,
                account.org_id,
                source=money.asset,
                destination=account.asset,
                now=at,
                age_max=self.onramps.price_age_max,
            )
            return quote_onramp(
                (money, None), fiat=money.asset, coins=account.asset, price=price, fee=None
            )
        except QuoteNotReady as error:
            raise Unavailable(f"a deposit can't be converted now: {error.message}") from error
        except Refused:
            return None

    async def _split(self, account: VirtualAccount, quote: Quote) -> "_DepositSplit":
        """Split the coins between the destinations of the settlement rule and the account's own.

        Raises `WalletNotFound` for a wallet that no longer exists, `UserFrozen` for a user who may
        not be paid, and `RouteInvalid` or `LimitExceeded` for an external address that may not.
        """
        rule = await self.virtual_accounts.rule_of(account.org_id, account)
        parts: list[SettlementPart] = []
        for address, money in split(rule, quote.receive).parts:
            user_id, account_id = await self._owner_at(account, address)
            parts.append(
                SettlementPart(
                    address=address, account_id=account_id, user_id=user_id, units=money.units
                )
            )
        _, own = await self._owner_at(account, account.wallet_address)
        return _DepositSplit(own, tuple(parts))

    async def _owner_at(
        self, account: VirtualAccount, address: str
    ) -> tuple[UUID, UUID] | tuple[None, None]:
        """Return the user and the ledger account of an address; None for an external address."""
        onramps = self.onramps
        wallet = await onramps.wallets.find_address(account.org_id, account.chain, address)
        if wallet is None:
            await onramps.parties.check_address(account.org_id, address, "destination")
            await self.limits.check_listed(account.org_id, PaymentDestination.listed(address))
            return None, None
        await onramps.parties.users.check_active(wallet.org_id, wallet.user_id)
        found = await onramps.ledger.account(wallet.org_id, wallet.id, account.asset)
        return wallet.user_id, found.id

    def _is_large(
        self, fiat: Money, rate: Rate, coin: Asset, worth_usd: Decimal | None = None
    ) -> bool:
        """Return whether the deposit is worth `review_above_usd`, before any fee.

        Its worth is one dollar for each coin that it would buy at `rate`, or `worth_usd` (its value
        at reference rates) if that is higher.
        """
        if self.review_above_usd is None:
            return False
        is_usd = fiat.asset.currency == "usd"
        dollars = (fiat if is_usd else rate.convert(fiat, coin, Rounding.UP)).decimal
        return max(dollars, worth_usd or dollars) >= self.review_above_usd

    async def _match(
        self, tx: Tx, incoming_payment: IncomingPayment, record: Transfer, *, needs_review: bool
    ) -> None:
        """Record the match and open the review, in the transaction of the transition."""
        at = record.updated_at
        await self.incoming_payments.match(
            tx, incoming_payment, record.id, user_id=record.user_id, at=at
        )
        if needs_review:
            await self.onramps.rfis.create_in(tx, record, question=_QUESTION, actor=_ACTOR, at=at)

    async def _stamp(self, org_id: UUID) -> datetime:
        return self.clock.stamp(await self.orgs.clock_offset(org_id))


@dataclass(frozen=True, slots=True)
class _DepositSplit:
    """Parts of a deposit that a settlement rule sends elsewhere, and the account of the rest.

    `account_id` is the ledger account of the rest; None if that goes to an external address.
    """

    account_id: UUID | None
    parts: tuple[SettlementPart, ...]


def derived_onramp_id(incoming_payment: IncomingPayment) -> UUID:
    """Derive the id of the onramp that a deposit on a virtual account creates."""
    return derived_id(incoming_payment.id, "onramp")


def _is_awaited(onramp: Onramp, incoming_payment: IncomingPayment) -> bool:
    """Return whether the onramp awaits this deposit and still did when it arrived."""
    due_at = onramp.record.due_at
    return (
        onramp.state is OnrampStatus.AWAITING_FUNDS
        and onramp.details.account_number == incoming_payment.account_number
        and onramp.source.asset == incoming_payment.money.asset
        and due_at is not None
        and incoming_payment.arrived_at < due_at
    )
