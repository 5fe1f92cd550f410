"""What arrives on virtual accounts and is no payment: cents of banks, and the sandbox's own.

Guarantees: a receipt makes one micro-deposit, which is booked in the same transaction; a simulated
deposit is asked for once per request id.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from landbridge.accounts.errors import InactiveAccount
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, FieldInvalid, ResourceConflict
from landbridge.core.ids import derived_id
from landbridge.core.made import Made
from landbridge.core.money import Money
from landbridge.core.pages import Position
from landbridge.db.pool import Database, Tx
from landbridge.ledger.model import Opening, Outcome
from landbridge.ledger.replays import first_difference
from landbridge.ledger.service import Ledger
from landbridge.privacy.service import DataKey, Vault
from landbridge.rails.currencies import FIAT
from landbridge.virtual_accounts import deposit_store as store
from landbridge.virtual_accounts.model import (
    MICRO_DEPOSIT_KIND,
    MICRO_DEPOSIT_MOVES,
    Credit,
    MicroDeposit,
    MicroDepositStatus,
    Source,
    VirtualAccount,
    micro_deposit_postings,
)
from landbridge.web.caller import Caller
from landbridge.web.replays import note_replay

_BEGINNING = Position(datetime(1970, 1, 1, tzinfo=UTC), UUID(int=0))
_END = Position(datetime(9999, 1, 1, tzinfo=UTC), UUID(int=0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """Between which micro-deposits: a moment (from it on, before it) or the id of one (beyond)."""

    after: datetime | UUID | None
    before: datetime | UUID | None
    limit: int


@dataclass(frozen=True, slots=True)
class Deposits:
    """Micro-deposits and simulated deposits of all organisations."""

    database: Database
    vault: Vault
    ledger: Ledger
    clock: Clock

    async def note(self, tx: Tx, account: VirtualAccount, credit: Credit) -> MicroDeposit:
        """Keep and book a micro-deposit, once per receipt."""
        source = _source(credit)
        key = await self.vault.find(tx, account.org_id, account.user_id)
        deposit_id = derived_id(credit.id, "micro-deposit")
        noted = store.StoredMicroDeposit(
            org_id=account.org_id,
            id=deposit_id,
            account_id=account.id,
            currency=credit.money.asset.currency,
            units=credit.money.units,
            sealed_source=None if key is None else key.seal(source, context=_context(deposit_id)),
            created_at=credit.received_at,
        )
        await self._book(tx, account, credit, deposit_id)
        await store.add(tx, noted)
        return _opened(noted, key)

    async def micro_deposits(
        self, account: VirtualAccount, bounds: Bounds
    ) -> Sequence[MicroDeposit]:
        """Micro-deposits of an account, newest first.

        Raises `FieldInvalid` for a bound that is the id of none of them.
        """
        return await self.database.transact(lambda tx: self.page(tx, account, bounds))

    async def page(self, tx: Tx, account: VirtualAccount, bounds: Bounds) -> Sequence[MicroDeposit]:
        """The same, as this transaction sees it."""
        # The key first: erased in between, the rows are blank and nothing is missed.
        key = await self.vault.find(tx, account.org_id, account.user_id)
        found = await store.page(
            tx,
            account.org_id,
            account.id,
            after=await _position(tx, account, "createdAfter", bounds.after) or _BEGINNING,
            before=await _position(tx, account, "createdBefore", bounds.before) or _END,
            limit=bounds.limit,
        )
        return [_opened(each, key) for each in found]

    async def ask_simulated(
        self, caller: Caller, account: VirtualAccount, request_id: UUID, request: dict[str, Any]
    ) -> datetime:
        """Note that a deposit is to be made up; answers since when this was asked for.

        `request` is the body as it was told. Raises `ResourceConflict`, naming the field, for a
        request id that was used with another body, and `InactiveAccount` for an account that takes
        no deposits, unless they were asked for before.
        """
        at = self.clock.stamp(caller.clock_offset)
        context = f"simulated_deposits.request:{account.org_id}:{request_id}"

        async def work(tx: Tx) -> datetime:
            key = await self.vault.find(tx, account.org_id, account.user_id)
            known = await store.simulated(tx, account.org_id, request_id)
            if known is None:
                if key is None or not account.is_active:
                    raise InactiveAccount(f"virtual account {account.id} is deactivated")
                asked = store.Simulated(
                    account_id=account.id,
                    sealed_request=key.seal(request, context=context),
                    created_at=at,
                )
                await store.add_simulated(tx, account.org_id, request_id, asked)
                known = await store.simulated(tx, account.org_id, request_id)
            if known is None:
                raise Broken(f"simulated deposit {request_id} was not stored")
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
        self, tx: Tx, account: VirtualAccount, credit: Credit, deposit_id: UUID
    ) -> None:
        """The cents are the organisation's: nobody is owed what only checks an account."""
        money = credit.money
        outcome = await self.ledger.open_in(
            tx,
            Opening(
                org_id=account.org_id,
                id=deposit_id,
                kind=MICRO_DEPOSIT_KIND,
                user_id=account.user_id,
                request_id=deposit_id,
                request={"virtualAccountId": str(account.id)},
                path=(MicroDepositStatus.COMPLETED,),
                source=money,
                destination=money,
                details={"virtual_account_id": str(account.id)},
                due_at=None,
                at=credit.received_at,
                actor="bank",
                journals={0: micro_deposit_postings(money)},
            ),
            MICRO_DEPOSIT_MOVES,
        )
        if isinstance(outcome, Outcome):
            raise Broken("a micro-deposit came out short")


async def made_by(tx: Tx, org_id: UUID, request_id: UUID) -> Made | None:
    """The account on which a request let a deposit arrive; its user is the owner."""
    return await store.made_by(tx, org_id, request_id)


def simulated_reference(request_id: UUID) -> str:
    """By what the bank tells a simulated credit apart: asked for again, it is the same one."""
    return f"simulated:{request_id}"


async def _position(
    tx: Tx, account: VirtualAccount, name: str, bound: datetime | UUID | None
) -> Position | None:
    """The place that a bound is, for comparisons that leave the place itself out."""
    match bound:
        case None:
            return None
        case datetime():
            # No id is below this one: what was created at that moment is after it.
            return Position(bound, UUID(int=0))
        case UUID():
            found = await store.get(tx, account.org_id, bound)
            if found is None or found.account_id != account.id:
                raise FieldInvalid(
                    f"{name} is the id of no micro-deposit of this account", field=name
                )
            return Position(found.created_at, found.id)


def _source(credit: Credit) -> Source:
    sender = credit.sender
    if sender is None:
        return Source(payment_rail=credit.rail, description=credit.description)
    return Source(
        payment_rail=credit.rail,
        bank_name=sender.bank_name,
        sender_name=sender.name,
        routing_number=sender.routing_number,
        account_number=sender.account_number,
        description=credit.description,
    )


def _opened(stored: store.StoredMicroDeposit, key: DataKey | None) -> MicroDeposit:
    source = None
    if key is not None and stored.sealed_source is not None:
        source = key.open(stored.sealed_source, context=_context(stored.id), type=Source)
    return MicroDeposit(
        org_id=stored.org_id,
        id=stored.id,
        account_id=stored.account_id,
        money=Money(stored.units, FIAT[stored.currency]),
        source=source,
        created_at=stored.created_at,
    )


def _context(deposit_id: UUID) -> str:
    return f"micro_deposits.source:{deposit_id}"
