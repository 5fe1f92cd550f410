"""Adapter of the rails port that pays by bank files and receives on the funding account.

Guarantees:
- A payment is queued once per key, in a transaction of its own that commits before the call
  returns. A caller that crashes afterwards finds the payment by its key.
- A payment that its format or scheme can't carry is rejected before it is queued.
- SETTLED is final. It follows from the bank's statement or, for ACH, from the end of the return
  window, once all files that the bank had left until then were read.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta
from uuid import UUID

import msgspec

from landbridge.payments.bank_files import (
    funding_account_store,
    payment_store,
    statement_line_store,
)
from landbridge.payments.bank_files.contradictions import find_contradiction
from landbridge.payments.bank_files.file_builder import get_odfi
from landbridge.payments.bank_files.funding_account import FundingAccount, deposit_number
from landbridge.payments.bank_files.funding_accounts import FundingAccounts, FundingAccountView
from landbridge.payments.bank_files.model import BankFileFormat, BankPayment, BankPaymentStatus
from landbridge.payments.bank_files.orders import (
    PaymentOrder,
    build_order,
    format_of,
    payee_digest,
    rejection_reason,
    trace,
    uetr,
)
from landbridge.payments.bank_files.payments import ACTOR, BankPayments, record_change
from landbridge.platform.core.errors import InvariantBroken, Rejected, Unavailable
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.ids import derived_id
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.providers.nacha.dates import effective_on, prenote_over_on, returns_end_at
from landbridge.providers.rails.calendar import NEW_YORK, cut_off, settles_at
from landbridge.providers.rails.port import (
    DepositCoordinates,
    PayeeMatch,
    PayeeVerification,
    PaymentTracking,
    PayoutDestination,
    RailPayment,
    RailPaymentState,
    RailPaymentStatus,
)

# A bank reports executed payments in the statement of that day, which is read on the next.
_STATEMENT_DELAY = timedelta(days=1)
# Retry interval while files that the bank left within a return window are not read yet.
_READ_RETRY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class FileRails:
    """Moves fiat by bank files; implements the rails port."""

    database: Database
    vault: Vault
    accounts: FundingAccounts
    payments: BankPayments

    @property
    def key_lifetime(self) -> timedelta | None:
        """Return None: keys never expire, because payments are rows of our own, by key."""
        return None

    async def pay(self, payment: RailPayment) -> RailPaymentStatus:
        """Queue a payment for the next file; see the port."""
        found = await self._find(payment.org_id, payment.key)
        is_sent = found is not None and found.status is not BankPaymentStatus.QUEUED
        if payment.returns is not None and not is_sent:
            await self._check_uncontradicted(payment)
        if found is None:
            account = await self._account(payment)
            order = build_order(payment)
            rail = _rail(payment, order, account.settings)
            found = await self.database.transact(
                lambda tx: self._queue(tx, replace(payment, rail=rail), account, order)
            )
        if not _is_same(found, payment):
            raise InvariantBroken(f"the key {payment.key} came with another payment before")
        return paid(await self._settle_closed(found, payment.at), payment.at)

    async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> RailPaymentStatus | None:
        """Return the status of a payment; see the port."""
        found = await self._find(org_id, key)
        return None if found is None else paid(await self._settle_closed(found, at), at)

    async def rejection_reason(self, payment: RailPayment) -> str | None:
        """Return why no file could carry the payment; see the port."""
        try:
            account = await self._account(payment)
            _ = _rail(payment, build_order(payment), account.settings)
        except Rejected as error:
            return str(error)
        return None

    async def verify_payee(self, destination: PayoutDestination) -> PayeeVerification:
        """Return that the payee is not verified: files can't ask a bank. See the port."""
        del destination
        return PayeeVerification(match=PayeeMatch.UNAVAILABLE)

    async def coordinates(
        self, org_id: UUID, currency: str, account_number: str
    ) -> DepositCoordinates | None:
        """Return the bank details for deposits; see the port. None without a number range."""
        account = await self.accounts.find(org_id, currency)
        if account is None or account.settings.numbers is None:
            return None
        settings = account.settings
        rails, instruction = _payer_instructions(settings, account_number)
        return DepositCoordinates(
            bank_name=settings.bank_name,
            bank_address=settings.bank_address,
            swift_code=settings.swift_code,
            beneficiary_name=settings.holder.name,
            beneficiary_address=settings.holder.address,
            rails=rails,
            instruction=instruction,
        )

    async def takes_deposits(self, org_id: UUID, currency: str) -> bool:
        """Return whether the account has a number range for deposits; see the port."""
        return await self.coordinates(org_id, currency, "0") is not None

    async def new_account_number(self, org_id: UUID, currency: str, seed: UUID) -> str:
        """Return a number of the range that the bank assigned; see the port."""
        account = await self.accounts.find(org_id, currency)
        number = None if account is None else deposit_number(account.settings, seed)
        if number is None:
            raise Unavailable(f"the organisation has no range of account numbers for {currency}")
        return number

    async def _account(self, payment: RailPayment) -> FundingAccountView:
        if payment.money.units <= 0:
            raise Rejected("the amount must be positive")
        currency = payment.money.asset.currency
        account = await self.accounts.find(payment.org_id, currency)
        if account is None:
            raise Rejected(f"the organisation has no bank account that pays {currency}")
        return account

    async def _check_uncontradicted(self, payment: RailPayment) -> None:
        """Raise `Unavailable` while an earlier, failed return of the deposit may have been paid."""
        reason = await self.database.read(
            lambda tx: find_contradiction(tx, payment.org_id, payment.record_id)
        )
        if reason is not None:
            raise Unavailable(f"the deposit can't be returned now: {reason}")

    async def _find(self, org_id: UUID, key: UUID) -> BankPayment | None:
        return await self.database.single(lambda tx: self.payments.find(tx, org_id, key))

    async def _queue(
        self, tx: Tx, payment: RailPayment, account: FundingAccountView, order: PaymentOrder
    ) -> BankPayment:
        """Queue a payment; return it even if a concurrent call has queued it."""
        format_ = _format(payment.rail, account.settings)
        key = await self.vault.make(tx, payment.org_id, payment.org_id)
        due_at = _due_at(
            payment.rail, payment.at, account.settings, is_same_day=payment.is_same_day
        )
        created = copy_fields(
            payment,
            BankPayment,
            account_id=account.id,
            format=format_,
            is_prenote=False,
            payee_digest=payee_digest(order, key),
            trace_number=None,
            status=BankPaymentStatus.QUEUED,
            reason=None,
            file_id=None,
            sealed_order=key.seal(order, context=order_context(payment.key)),
            version=1,
            queued_at=payment.at,
            due_at=due_at,
            closes_at=None,
            updated_at=payment.at,
        )
        if format_ is BankFileFormat.NACHA:
            created = await self._with_trace_number(tx, created, account.settings)
        if (
            account.settings.ach is not None
            and account.settings.ach.prenotes
            and created.trace_number
        ):
            created = await self._after_prenote(tx, created, order, account.settings)
        return await self._add(tx, created)

    async def _add(self, tx: Tx, created: BankPayment) -> BankPayment:
        if await payment_store.add(tx, created):
            await record_change(
                tx,
                created,
                status=created.status,
                version=created.version,
                at=created.queued_at,
                actor=ACTOR,
            )
            return created
        known = await self.payments.find(tx, created.org_id, created.key)
        if known is None:
            raise InvariantBroken("a known payment is not there")
        return known

    async def _with_trace_number(
        self, tx: Tx, created: BankPayment, settings: FundingAccount
    ) -> BankPayment:
        running = await funding_account_store.reserve_traces(
            tx, created.org_id, created.account_id, 1
        )
        return replace(created, trace_number=trace(get_odfi(settings), running))

    async def _after_prenote(
        self, tx: Tx, created: BankPayment, order: PaymentOrder, settings: FundingAccount
    ) -> BankPayment:
        """Return the payment, due after its account's prenote; queue a prenote if there is none.

        Raises `Rejected` if the bank has responded that there is no such account.
        """
        key = await self.vault.make(tx, created.org_id, created.org_id)
        prenote_key = derived_id(created.account_id, f"prenote/{created.payee_digest.hex()}")
        if await self.payments.find(tx, created.org_id, prenote_key) is None:
            bare = _without_texts(order)
            prenote = await self._with_trace_number(
                tx,
                replace(
                    created,
                    key=prenote_key,
                    returns=None,
                    money=Money(0, created.money.asset),
                    is_same_day=False,
                    is_prenote=True,
                    sealed_order=key.seal(bare, context=order_context(prenote_key)),
                    due_at=_due_at("ach", created.queued_at, settings, is_same_day=False),
                ),
                settings,
            )
            await self._add(tx, prenote)
        # Locked, so that a rejection of the prenote is either applied before this payment is
        # queued, or finds this payment in the queue.
        prenote = await self.payments.lock(tx, created.org_id, prenote_key)
        if prenote.status is BankPaymentStatus.FAILED:
            raise Rejected(prenote.reason or "the account did not pass its test")
        # An estimate until the prenote is at the bank, when its real window is known.
        closes_at = prenote.closes_at or prenote_closes_at(prenote.due_at)
        if closes_at <= created.queued_at:
            # The prenote was delivered, and the bank did not object in time.
            if prenote.closes_at and await self._has_read(tx, prenote, until=closes_at):
                await self.payments.settle_in(tx, prenote, at=created.queued_at)
            return created
        due_at = _due_at("ach", closes_at, settings, is_same_day=created.is_same_day)
        return replace(created, due_at=due_at)

    async def _settle_closed(self, found: BankPayment, at: datetime) -> BankPayment:
        """Return the payment, settled if it is ACH and its return window is over.

        It is not settled before all files that the bank left within the window are applied.
        """
        closes_at = found.closes_at
        if found.status is not BankPaymentStatus.WRITTEN or closes_at is None or closes_at > at:
            return found

        async def work(tx: Tx) -> BankPayment | None:
            if await self._has_read(tx, found, until=closes_at):
                await self.payments.settle_in(tx, found, at=at)
            return await self.payments.find(tx, found.org_id, found.key)

        return await self.database.transact(work) or found

    async def _has_read(self, tx: Tx, payment: BankPayment, *, until: datetime) -> bool:
        """Return whether all files that the payment's bank had left by `until` are applied.

        An unreadable file may contain the payment's return, so a reviewer has to resolve it first.
        """
        org_id = payment.org_id
        accounts = await self.accounts.list_sharing_in(tx, org_id, payment.account_id)
        own = next((each for each in accounts if each.id == payment.account_id), None)
        if own is None or own.statements_read_at is None or own.statements_read_at < until:
            return False
        account_ids = [each.id for each in accounts]
        return not await statement_line_store.has_refused_file(tx, org_id, account_ids)


def paid(found: BankPayment, at: datetime) -> RailPaymentStatus:
    """Return the status of a payment at `at`, in the statuses of the port."""
    match found.status:
        case BankPaymentStatus.QUEUED:
            state, expected_at = RailPaymentState.PENDING, _expected_at(found, found.due_at)
        case BankPaymentStatus.WRITTEN:
            state = RailPaymentState.PENDING
            expected_at = found.closes_at or _expected_at(found, found.updated_at)
            if found.closes_at is not None and found.closes_at <= at:
                expected_at = at + _READ_RETRY
        case BankPaymentStatus.SETTLED:
            state, expected_at = RailPaymentState.SETTLED, None
        case BankPaymentStatus.FAILED:
            state, expected_at = RailPaymentState.FAILED, None
    has_uetr = found.rail in {"swift", "wire"}
    return RailPaymentStatus(
        state=state,
        tracking=PaymentTracking(
            payment_rail=found.rail,
            trace_number=found.trace_number,
            uetr=str(uetr(found.key)) if has_uetr else None,
        ),
        expected_at=expected_at,
        reason=found.reason,
    )


def closes_at(rail: str, at: datetime, *, is_same_day: bool) -> datetime | None:
    """Return the end of the return window of a file delivered at `at`; None for all but ACH."""
    return returns_end_at(effective_on(at, is_same_day=is_same_day)) if rail == "ach" else None


def prenote_closes_at(at: datetime) -> datetime:
    """Return when a payment may follow a prenote that is in a file delivered at `at`."""
    over_on = prenote_over_on(effective_on(at))
    return datetime.combine(over_on, time(), NEW_YORK).astimezone(at.tzinfo)


def order_context(key: UUID) -> str:
    """Encryption context of an order."""
    return f"bank_payments.order:{key}"


def _rail(payment: RailPayment, order: PaymentOrder, settings: FundingAccount) -> str:
    """Return the rail of a payment; for a returned deposit, any rail that can carry it.

    Raises `Rejected` with the reason of the payment's own rail if there is none.
    """
    rails = (payment.rail,) if payment.returns is None else (payment.rail, *settings.rails)
    reasons: list[str] = []
    for rail in rails:
        try:
            reason = rejection_reason(replace(payment, rail=rail), order, _format(rail, settings))
        except Rejected as error:
            reason = str(error)
        if reason is None:
            return rail
        reasons.append(reason)
    raise Rejected(reasons[0])


def _format(rail: str, settings: FundingAccount) -> BankFileFormat:
    found = format_of(rail)
    if found is None or rail not in settings.rails:
        raise Rejected(f"the organisation's bank account does not pay by {rail}")
    return found


def _due_at(rail: str, at: datetime, settings: FundingAccount, *, is_same_day: bool) -> datetime:
    """Return when a payment is put into a file: ahead of the next cut-off, not before `at`."""
    lead = timedelta(minutes=settings.lead_minutes)
    until = cut_off(rail, at + lead, is_same_day=is_same_day)
    return max(at, until - lead)


def _expected_at(found: BankPayment, at: datetime) -> datetime:
    """Return when a payment's result can be expected at the earliest, seen from `at`."""
    closing = closes_at(found.rail, at, is_same_day=found.is_same_day)
    settled = settles_at(found.rail, at, is_same_day=found.is_same_day)
    return closing or settled + _STATEMENT_DELAY


def _payer_instructions(
    settings: FundingAccount, number: str
) -> tuple[Mapping[str, tuple[str, str]], str | None]:
    """Return the rails that reach an account number, and further information for payers."""
    if settings.currency == "usd" and settings.routing_number is not None:
        ways = [each for each in ("ach", "wire") if each in settings.rails]
        return dict.fromkeys(ways, (settings.routing_number, number)), None
    if settings.currency == "eur":
        return {}, f"Pay by SEPA to IBAN {number}."
    at_bank = f" at {settings.swift_code}" if settings.swift_code else ""
    return {}, f"Pay by bank transfer to account {number}{at_bank}."


def _without_texts(order: PaymentOrder) -> PaymentOrder:
    return msgspec.structs.replace(order, remittance=None, description=None, purpose=None)


def _is_same(found: BankPayment, payment: RailPayment) -> bool:
    if (payment.money, payment.returns) != (found.money, found.returns):
        return False
    # A return may use another rail than the deposit did.
    way = (payment.rail, payment.is_same_day)
    return payment.returns is not None or way == (found.rail, found.is_same_day)
