"""The adapter of `rails` that pays by files and takes deposits on the organisation's own account.

Guarantees:
- a payment is queued once per key, in a transaction of its own that is committed before the answer:
  a caller that dies afterwards finds it by its key;
- what its format or scheme can't carry is refused before anything is queued;
- SETTLED is final: the bank's statement says it, or for ACH that the time for returns is over, and
  all was read that the bank told until then.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from uuid import UUID

import msgspec

from landbridge.bank_files import account_store, payment_store
from landbridge.bank_files.accounts import OwnAccount, OwnAccounts
from landbridge.bank_files.assembling import odfi_of
from landbridge.bank_files.funding import FundingAccount, deposit_number
from landbridge.bank_files.model import BankPayment, Format, Status
from landbridge.bank_files.nacha.dates import effective_on, prenote_over_on, returns_end_at
from landbridge.bank_files.orders import (
    Order,
    format_of,
    order_of,
    payee_digest,
    trace,
    uetr,
    why_not,
)
from landbridge.bank_files.payments import ACTOR, BankPayments, tell_of
from landbridge.core.errors import Broken, Rejected, Unavailable
from landbridge.core.ids import derived_id
from landbridge.core.money import Money
from landbridge.db.pool import Database, Tx
from landbridge.privacy.service import Vault
from landbridge.rails.calendar import NEW_YORK, cut_off, settles_at
from landbridge.rails.port import Coordinates, Paid, PaidState, Payment, Tracking

# A bank tells of what it carried out in the statement of that day, which is read on the next.
_TOLD_WITHIN = timedelta(days=1)
# How soon it is worth while to ask again while what the bank told is not read yet.
_READ_WITHIN = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class FileRails:
    """Moves fiat by files; see the port."""

    database: Database
    vault: Vault
    accounts: OwnAccounts
    payments: BankPayments

    @property
    def remembers(self) -> timedelta | None:
        """For ever: payments are rows of our own, by their keys."""
        return None

    async def pay(self, payment: Payment) -> Paid:
        """Queue a payment for the next file; see the port."""
        found = await self._find(payment.org_id, payment.key)
        if found is None:
            account = await self._account(payment)
            order = order_of(payment)
            rail = _rail(payment, order, account.told)
            found = await self.database.transact(
                lambda tx: self._queue(tx, replace(payment, rail=rail), account, order)
            )
        if not _is_same(found, payment):
            raise Broken(f"the key {payment.key} came with another payment before")
        return paid(await self._closed(found, payment.at), payment.at)

    async def look(self, org_id: UUID, key: UUID, at: datetime) -> Paid | None:
        """How a payment stands; see the port."""
        found = await self._find(org_id, key)
        return None if found is None else paid(await self._closed(found, at), at)

    async def why_not(self, payment: Payment) -> str | None:
        """What no file could carry of it; see the port."""
        try:
            account = await self._account(payment)
            _ = _rail(payment, order_of(payment), account.told)
        except Rejected as error:
            return str(error)
        return None

    async def coordinates(
        self, org_id: UUID, currency: str, account_number: str
    ) -> Coordinates | None:
        """Where to send money; see the port. None without a range of numbers for deposits."""
        account = await self.accounts.find(org_id, currency)
        if account is None or account.told.numbers is None:
            return None
        told = account.told
        rails, instruction = _ways(told, account_number)
        return Coordinates(
            bank_name=told.bank_name,
            bank_address=told.bank_address,
            swift_code=told.swift_code,
            beneficiary_name=told.holder.name,
            beneficiary_address=told.holder.address,
            rails=rails,
            instruction=instruction,
        )

    async def new_account_number(self, org_id: UUID, currency: str, seed: UUID) -> str:
        """A number of the range that the bank has given; see the port."""
        account = await self.accounts.find(org_id, currency)
        number = None if account is None else deposit_number(account.told, seed)
        if number is None:
            raise Unavailable(f"the organisation has no range of account numbers for {currency}")
        return number

    async def _account(self, payment: Payment) -> OwnAccount:
        if payment.money.units <= 0:
            raise Rejected("there is nothing to pay")
        currency = payment.money.asset.currency
        account = await self.accounts.find(payment.org_id, currency)
        if account is None:
            raise Rejected(f"the organisation has no bank account that pays {currency}")
        return account

    async def _find(self, org_id: UUID, key: UUID) -> BankPayment | None:
        return await self.database.single(lambda tx: self.payments.find(tx, org_id, key))

    async def _queue(
        self, tx: Tx, payment: Payment, account: OwnAccount, order: Order
    ) -> BankPayment:
        """The payment in the queue, put there now or by somebody who was faster."""
        format_ = _format(payment.rail, account.told)
        key = await self.vault.make(tx, payment.org_id, payment.org_id)
        due_at = _due_at(payment.rail, payment.at, account.told, is_same_day=payment.is_same_day)
        made = BankPayment(
            org_id=payment.org_id,
            key=payment.key,
            account_id=account.id,
            record_id=payment.record_id,
            returns=payment.returns,
            money=payment.money,
            rail=payment.rail,
            format=format_,
            is_same_day=payment.is_same_day,
            is_prenote=False,
            payee_digest=payee_digest(order, key),
            trace_number=None,
            status=Status.QUEUED,
            reason=None,
            file_id=None,
            sealed_order=key.seal(order, context=order_context(payment.key)),
            version=1,
            queued_at=payment.at,
            due_at=due_at,
            closes_at=None,
            updated_at=payment.at,
        )
        if format_ is Format.NACHA:
            made = await self._traced(tx, made, account.told)
        if account.told.ach is not None and account.told.ach.prenotes and made.trace_number:
            made = await self._after_prenote(tx, made, order, account.told)
        return await self._added(tx, made)

    async def _added(self, tx: Tx, made: BankPayment) -> BankPayment:
        if await payment_store.add(tx, made):
            await tell_of(
                tx, made, status=made.status, version=made.version, at=made.queued_at, actor=ACTOR
            )
            return made
        known = await self.payments.find(tx, made.org_id, made.key)
        if known is None:
            raise Broken("a known payment is not there")
        return known

    async def _traced(self, tx: Tx, made: BankPayment, told: FundingAccount) -> BankPayment:
        running = await account_store.count_traces(tx, made.org_id, made.account_id, 1)
        return replace(made, trace_number=trace(odfi_of(told), running))

    async def _after_prenote(
        self, tx: Tx, made: BankPayment, order: Order, told: FundingAccount
    ) -> BankPayment:
        """The payment as it waits for the prenote of its account, queued now if there is none.

        Raises `Rejected` if the bank has answered that there is no such account.
        """
        key = await self.vault.make(tx, made.org_id, made.org_id)
        prenote_key = derived_id(made.account_id, f"prenote/{made.payee_digest.hex()}")
        if await self.payments.find(tx, made.org_id, prenote_key) is None:
            bare = _without_words(order)
            prenote = await self._traced(
                tx,
                replace(
                    made,
                    key=prenote_key,
                    returns=None,
                    money=Money(0, made.money.asset),
                    is_same_day=False,
                    is_prenote=True,
                    sealed_order=key.seal(bare, context=order_context(prenote_key)),
                    due_at=_due_at("ach", made.queued_at, told, is_same_day=False),
                ),
                told,
            )
            await self._added(tx, prenote)
        # Held: the bank refuses it before this payment is queued, or finds the payment waiting.
        prenote = await self.payments.lock(tx, made.org_id, prenote_key)
        if prenote.status is Status.FAILED:
            raise Rejected(prenote.reason or "the account did not pass its test")
        # An estimate while the prenote is not at the bank: it is the prenote that is waited for.
        closes_at = prenote.closes_at or prenote_closes_at(prenote.due_at)
        if closes_at <= made.queued_at:
            # It got to the bank, and nobody objected in time.
            if prenote.closes_at and await self._has_read(tx, prenote, until=closes_at):
                await self.payments.settle_in(tx, prenote, at=made.queued_at)
            return made
        due_at = _due_at("ach", closes_at, told, is_same_day=made.is_same_day)
        return replace(made, due_at=due_at)

    async def _closed(self, found: BankPayment, at: datetime) -> BankPayment:
        """The payment, settled if it is ACH that can't come back any more.

        Not before all is applied that the bank told until the time for returns was over.
        """
        closes_at = found.closes_at
        if found.status is not Status.WRITTEN or closes_at is None or closes_at > at:
            return found

        async def work(tx: Tx) -> BankPayment | None:
            if await self._has_read(tx, found, until=closes_at):
                await self.payments.settle_in(tx, found, at=at)
            return await self.payments.find(tx, found.org_id, found.key)

        return await self.database.transact(work) or found

    async def _has_read(self, tx: Tx, payment: BankPayment, *, until: datetime) -> bool:
        """Whether all that the bank of a payment told until then is applied."""
        accounts = await self.accounts.of_in(tx, [payment.org_id])
        own = next((each for each in accounts if each.id == payment.account_id), None)
        return own is not None and own.read_at is not None and own.read_at >= until


def paid(found: BankPayment, at: datetime) -> Paid:
    """How a payment stands at `at`, in the words of the port."""
    match found.status:
        case Status.QUEUED:
            state, expected_at = PaidState.PENDING, _expected_at(found, found.due_at)
        case Status.WRITTEN:
            state = PaidState.PENDING
            expected_at = found.closes_at or _expected_at(found, found.updated_at)
            if found.closes_at is not None and found.closes_at <= at:
                expected_at = at + _READ_WITHIN
        case Status.SETTLED:
            state, expected_at = PaidState.SETTLED, None
        case Status.FAILED:
            state, expected_at = PaidState.FAILED, None
    has_uetr = found.rail in {"swift", "wire"}
    return Paid(
        state=state,
        tracking=Tracking(
            payment_rail=found.rail,
            trace_number=found.trace_number,
            uetr=str(uetr(found.key)) if has_uetr else None,
        ),
        expected_at=expected_at,
        reason=found.reason,
    )


def closes_at(rail: str, at: datetime, *, is_same_day: bool) -> datetime | None:
    """When the time for returns of what is in a file of `at` is over; None but for ACH."""
    return returns_end_at(effective_on(at, is_same_day=is_same_day)) if rail == "ach" else None


def prenote_closes_at(at: datetime) -> datetime:
    """From when on a payment may go whose account was tried by a prenote in a file of `at`."""
    over_on = prenote_over_on(effective_on(at))
    return datetime.combine(over_on, time(), NEW_YORK).astimezone(at.tzinfo)


def order_context(key: UUID) -> str:
    """The place of a sealed order."""
    return f"bank_payments.order:{key}"


def _rail(payment: Payment, order: Order, told: FundingAccount) -> str:
    """By which rail it goes: its own, or for a deposit that goes back any that can carry it.

    Raises `Rejected` with what is wrong with its own.
    """
    rails = (payment.rail,) if payment.returns is None else (payment.rail, *told.rails)
    reasons: list[str] = []
    for rail in rails:
        try:
            reason = why_not(replace(payment, rail=rail), order, _format(rail, told))
        except Rejected as error:
            reason = str(error)
        if reason is None:
            return rail
        reasons.append(reason)
    raise Rejected(reasons[0])


def _format(rail: str, told: FundingAccount) -> Format:
    found = format_of(rail)
    if found is None or rail not in told.rails:
        raise Rejected(f"the organisation's bank account does not pay by {rail}")
    return found


def _due_at(rail: str, at: datetime, told: FundingAccount, *, is_same_day: bool) -> datetime:
    """When the file has to go: a while before the cut-off, and not before `at`."""
    lead = timedelta(minutes=told.lead_minutes)
    until = cut_off(rail, at + lead, is_same_day=is_same_day)
    return max(at, until - lead)


def _expected_at(found: BankPayment, at: datetime) -> datetime:
    """When asking again is worth while, of what is in the bank's hands at `at`."""
    closing = closes_at(found.rail, at, is_same_day=found.is_same_day)
    settled = settles_at(found.rail, at, is_same_day=found.is_same_day)
    return closing or settled + _TOLD_WITHIN


def _ways(told: FundingAccount, number: str) -> tuple[Mapping[str, tuple[str, str]], str | None]:
    """By which rails money gets to a number of ours, and what else a payer must know."""
    if told.currency == "usd" and told.routing_number is not None:
        ways = [each for each in ("ach", "wire") if each in told.rails]
        return dict.fromkeys(ways, (told.routing_number, number)), None
    if told.currency == "eur":
        return {}, f"Pay by SEPA to IBAN {number}."
    at_bank = f" at {told.swift_code}" if told.swift_code else ""
    return {}, f"Pay by bank transfer to account {number}{at_bank}."


def _without_words(order: Order) -> Order:
    return msgspec.structs.replace(order, remittance=None, description=None, purpose=None)


def _is_same(found: BankPayment, payment: Payment) -> bool:
    if (payment.money, payment.returns) != (found.money, found.returns):
        return False
    # What goes back may go by another rail than it came.
    way = (payment.rail, payment.is_same_day)
    return payment.returns is not None or way == (found.rail, found.is_same_day)
