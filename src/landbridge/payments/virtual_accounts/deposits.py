"""Micro-deposits and simulated deposits of virtual accounts.

Guarantees:
- An incoming payment creates at most one micro-deposit, which is booked in the same transaction.
- A deposit is simulated once per request id.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from landbridge.customers.bank_accounts.errors import InactiveAccount
from landbridge.ledger.model import CommitOutcome, CreateTransfer
from landbridge.ledger.replays import first_difference
from landbridge.ledger.service import Ledger
from landbridge.payments.incoming_payments.model import IncomingPayment
from landbridge.payments.virtual_accounts.model import (
    MICRO_DEPOSIT_KIND,
    MICRO_DEPOSIT_TRANSITIONS,
    MicroDeposit,
    MicroDepositSource,
    MicroDepositStatus,
    VirtualAccount,
    micro_deposit_postings,
)
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.created_resource import CreatedResource
from landbridge.platform.core.errors import FieldInvalid, InvariantBroken, ResourceConflict
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.ids import derived_id, new_id
from landbridge.platform.core.money import Money
from landbridge.platform.core.pagination import PagePosition
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.db.rows import read_optional_row, read_row, write_row
from landbridge.platform.encryption.service import DataKey, Vault
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.replays import note_replay
from landbridge.providers.rails.currencies import FIAT

_ADD = """
insert into micro_deposits (org_id, id, account_id, currency, units, sealed_source, created_at)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict do nothing
"""

_GET = """
select org_id, id, account_id, currency, units, sealed_source, created_at
from micro_deposits
where org_id = $1 and id = $2
"""

_PAGE = """
select org_id, id, account_id, currency, units, sealed_source, created_at
from micro_deposits
where org_id = $1 and account_id = $2
    and (created_at, id) > ($3, $4) and (created_at, id) < ($5, $6)
order by created_at desc, id desc
limit $7
"""

_FORGET = """
update micro_deposits d
set sealed_source = null
from virtual_accounts a
where a.org_id = $1 and a.user_id = $2 and d.org_id = a.org_id and d.account_id = a.id
    and d.sealed_source is not null
"""

_ADD_SIMULATED = """
insert into simulated_deposits (org_id, request_id, account_id, sealed_request, created_at)
values ($1, $2, $3, $4, $5)
on conflict do nothing
"""

_SIMULATED = """
select account_id, sealed_request, created_at
from simulated_deposits
where org_id = $1 and request_id = $2
"""

_FIND_CREATED = """
select a.id, a.user_id, d.created_at
from simulated_deposits d
join virtual_accounts a on a.org_id = d.org_id and a.id = d.account_id
where d.org_id = $1 and d.request_id = $2
"""

_FORGET_SIMULATED = """
update simulated_deposits d
set sealed_request = null
from virtual_accounts a
where a.org_id = $1 and a.user_id = $2 and d.org_id = a.org_id and d.account_id = a.id
    and d.sealed_request is not null
"""

_BEGINNING = PagePosition(datetime(1970, 1, 1, tzinfo=UTC), UUID(int=0))
_END = PagePosition(datetime(9999, 1, 1, tzinfo=UTC), UUID(int=0))


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredMicroDeposit:
    """Row of `micro_deposits`; `sealed_source` is None once its user was erased."""

    org_id: UUID
    id: UUID
    account_id: UUID
    currency: str
    units: int
    sealed_source: bytes | None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedDepositRecord:
    """Row of `simulated_deposits`; `sealed_request` is None once its user was erased."""

    account_id: UUID
    sealed_request: bytes | None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class MicroDepositBounds:
    """Bounds of a list of micro-deposits: times or ids.

    The time `after` is included, the time `before` and both ids are excluded.
    """

    after: datetime | UUID | None
    before: datetime | UUID | None
    limit: int


@dataclass(frozen=True, slots=True)
class VirtualAccountDeposits:
    """Micro-deposits and simulated deposits of all organisations."""

    database: Database
    vault: Vault
    ledger: Ledger
    clock: Clock

    async def record_once(
        self, tx: Tx, account: VirtualAccount, credit: IncomingPayment, at: datetime
    ) -> MicroDeposit:
        """Store and book a micro-deposit at `at`, once per incoming payment."""
        source = _source(credit)
        key = await self.vault.find(tx, account.org_id, account.user_id)
        deposit_id = derived_id(credit.id, "micro-deposit")
        noted = StoredMicroDeposit(
            org_id=account.org_id,
            id=deposit_id,
            account_id=account.id,
            currency=credit.money.asset.currency,
            units=credit.money.units,
            sealed_source=None if key is None else key.seal(source, context=_context(deposit_id)),
            created_at=credit.received_at,
        )
        await self._book(tx, account, credit, deposit_id, at=at)
        await write_row(tx, _ADD, noted)
        return _opened(noted, key)

    async def micro_deposits(
        self, account: VirtualAccount, bounds: MicroDepositBounds
    ) -> Sequence[MicroDeposit]:
        """List micro-deposits of an account, newest first.

        Raises `FieldInvalid` for a bound that is an id, but of no micro-deposit of the account.
        """
        return await self.database.read(lambda tx: self.page(tx, account, bounds))

    async def page(
        self, tx: Tx, account: VirtualAccount, bounds: MicroDepositBounds
    ) -> Sequence[MicroDeposit]:
        """Do the same as `micro_deposits` in the caller's transaction."""
        # The key is read first: if the user is erased in between, the senders are blank, and no row
        # is left that can't be decrypted.
        key = await self.vault.find(tx, account.org_id, account.user_id)
        after = await _position(tx, account, "createdAfter", bounds.after) or _BEGINNING
        before = await _position(tx, account, "createdBefore", bounds.before) or _END
        rows = await tx.fetch(
            _PAGE,
            *(account.org_id, account.id, after.created_at, after.id),
            *(before.created_at, before.id, bounds.limit),
        )
        return [_opened(read_row(row, StoredMicroDeposit), key) for row in rows]

    async def request_simulated(
        self, caller: Caller, account: VirtualAccount, request_id: UUID, request: dict[str, Any]
    ) -> datetime:
        """Record a request for a simulated deposit; return the time of the first request.

        `request` is the body as submitted. Raises `ResourceConflict`, naming the field, for a
        request id used with another body. Raises `InactiveAccount` for an inactive account, unless
        the deposit was requested before.
        """
        at = self.clock.stamp(caller.clock_offset)
        context = f"simulated_deposits.request:{account.org_id}:{request_id}"

        async def work(tx: Tx) -> datetime:
            key = await self.vault.find(tx, account.org_id, account.user_id)
            known = await _simulated(tx, account.org_id, request_id)
            if known is None:
                if key is None or not account.is_active:
                    raise InactiveAccount(f"virtual account {account.id} is deactivated")
                body = SimulatedDepositRecord(
                    account_id=account.id,
                    sealed_request=key.seal(request, context=context),
                    created_at=at,
                )
                ids = {"org_id": account.org_id, "request_id": request_id}
                await write_row(tx, _ADD_SIMULATED, body, **ids)
                known = await _simulated(tx, account.org_id, request_id)
            if known is None:
                raise InvariantBroken(f"simulated deposit {request_id} was not stored")
            if known.account_id != account.id or known.sealed_request is None or key is None:
                raise ResourceConflict(
                    f"requestId {request_id} was already used for another account",
                    field="requestId",
                )
            before = key.open(known.sealed_request, context=context, type=dict[str, Any])
            if field := first_difference(before, request):
                raise ResourceConflict(
                    f"requestId {request_id} was already used with another {field}", field=field
                )
            if known.created_at != at:
                note_replay()
            return known.created_at

        return await self.database.transact(work)

    async def _book(
        self,
        tx: Tx,
        account: VirtualAccount,
        credit: IncomingPayment,
        deposit_id: UUID,
        *,
        at: datetime,
    ) -> None:
        """Book the cents to the organisation, because a micro-deposit is not owed to any user."""
        money = credit.money
        outcome = await self.ledger.create_in(
            tx,
            CreateTransfer(
                org_id=account.org_id,
                id=deposit_id,
                kind=MICRO_DEPOSIT_KIND,
                user_id=account.user_id,
                request_id=new_id(),
                request={"virtualAccountId": str(account.id)},
                path=(MicroDepositStatus.COMPLETED,),
                source=money,
                destination=money,
                details={
                    "virtual_account_id": str(account.id),
                    "incoming_payment_id": str(credit.id),
                },
                due_at=None,
                at=at,
                actor="bank",
                journals={0: micro_deposit_postings(money)},
            ),
            MICRO_DEPOSIT_TRANSITIONS,
        )
        if isinstance(outcome, CommitOutcome):
            raise InvariantBroken("booking a micro-deposit reported insufficient balance")


async def find_created(tx: Tx, org_id: UUID, request_id: UUID) -> CreatedResource | None:
    """Return the account and user of a simulated deposit, by request id; None if unknown."""
    row = await tx.fetchrow(_FIND_CREATED, org_id, request_id)
    if row is None:
        return None
    at = row["created_at"]
    return CreatedResource(id=row["id"], created_at=at, updated_at=at, owner_id=row["user_id"])


async def forget(tx: Tx, org_id: UUID, user_id: UUID) -> None:
    """Blank the senders of deposits to a user's accounts."""
    await tx.execute(_FORGET, org_id, user_id)
    await tx.execute(_FORGET_SIMULATED, org_id, user_id)


def simulated_reference(request_id: UUID) -> str:
    """Derive the bank reference of a simulated credit from its request id."""
    return f"simulated:{request_id}"


async def _simulated(tx: Tx, org_id: UUID, request_id: UUID) -> SimulatedDepositRecord | None:
    """Return the simulated deposit with this request id; None if there is none."""
    row = await tx.fetchrow(_SIMULATED, org_id, request_id)
    return read_optional_row(row, SimulatedDepositRecord)


async def _position(
    tx: Tx, account: VirtualAccount, name: str, bound: datetime | UUID | None
) -> PagePosition | None:
    """Return the list position of a bound, for exclusive comparisons; None without a bound."""
    match bound:
        case None:
            return None
        case datetime():
            # The lowest id, so that rows created at exactly that time come after the position.
            return PagePosition(bound, UUID(int=0))
        case UUID():
            found = await tx.fetchrow(_GET, account.org_id, bound)
            if found is None or found["account_id"] != account.id:
                raise FieldInvalid(
                    f"{name} is the id of no micro-deposit of this account", field=name
                )
            return PagePosition(found["created_at"], found["id"])


def _source(credit: IncomingPayment) -> MicroDepositSource:
    sender = credit.sender
    if sender is None:
        return MicroDepositSource(payment_rail=credit.rail, description=credit.description)
    return MicroDepositSource(
        payment_rail=credit.rail,
        bank_name=sender.bank_name,
        sender_name=sender.name,
        routing_number=sender.routing_number,
        account_number=sender.account_number,
        description=credit.description,
    )


def _opened(stored: StoredMicroDeposit, key: DataKey | None) -> MicroDeposit:
    source = None
    if key is not None and stored.sealed_source is not None:
        source = key.open(
            stored.sealed_source, context=_context(stored.id), type=MicroDepositSource
        )
    return copy_fields(
        stored, MicroDeposit, money=Money(stored.units, FIAT[stored.currency]), source=source
    )


def _context(deposit_id: UUID) -> str:
    return f"micro_deposits.source:{deposit_id}"
