"""Ledger service. Its writes run in grouped transactions of their own."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import attrgetter
from typing import Any
from uuid import UUID

from landbridge.ledger import record_store, store
from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.model import (
    AccountBalance,
    AdvanceTransfer,
    CommitOutcome,
    CreateTransfer,
    NewAccount,
    Transfer,
    account_keys,
    advance_keys,
    advanced_record,
    created_record,
    creation_keys,
    is_due,
)
from landbridge.ledger.replays import check_replay
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.ids import derived_id, new_id
from landbridge.platform.core.money import Asset
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.group_commit import GroupCommit
from landbridge.platform.db.locking_group_commit import LockingGroupCommit
from landbridge.platform.db.organisation_groups import grouped
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.db.wakeups import DueNotifier
from landbridge.platform.db.worker_shares import WHOLE, WorkPart

# Concurrent batches; more would only make each batch smaller (measured: docs/internals/ledger.md).
MONEY_CONCURRENCY, READ_CONCURRENCY = 2, 2


@dataclass(frozen=True, slots=True)
class CreatedTransfer:
    """Record of a request id; `is_replay` is True if it existed before this call."""

    transfer: Transfer
    is_replay: bool


class Ledger:
    """Creates, advances and reads transfer records."""

    def __init__(self, database: Database, notifier: DueNotifier | None = None) -> None:
        self._database = database
        # Wakes the worker when a record becomes due at once.
        self.notifier = notifier or DueNotifier(database)
        self._creations = grouped(
            database,
            lambda: LockingGroupCommit(
                self._create_batch, concurrency=MONEY_CONCURRENCY, keys=creation_keys
            ),
            attrgetter("org_id"),
        )
        self._advances = grouped(
            database,
            lambda: LockingGroupCommit(
                self._advance_batch, concurrency=MONEY_CONCURRENCY, keys=advance_keys
            ),
            attrgetter("transfer.org_id"),
        )
        self._gets = grouped(
            database, lambda: GroupCommit(self._get_batch, concurrency=READ_CONCURRENCY)
        )
        self._accounts = grouped(
            database, lambda: GroupCommit(self._accounts_batch, concurrency=READ_CONCURRENCY)
        )

    async def create(
        self, creation: CreateTransfer, transitions: Transitions[Any]
    ) -> CreatedTransfer | CommitOutcome:
        """Create a record once per request id; return `INSUFFICIENT` if a wallet has too little.

        Raises `RequestIdTaken`, naming the field, if the request id or the record id belongs to a
        different request.
        """
        creation.check(transitions)
        outcome = await self._creations.call(creation)
        match outcome:
            case CommitOutcome.DONE:
                if is_due(creation):
                    self.notifier.notify()
                return CreatedTransfer(created_record(creation), is_replay=False)
            case CommitOutcome.DUPLICATE:
                replayed = await self.find_replay(
                    creation.org_id, creation.request_id, creation.kind, creation.request
                )
                if replayed is None:
                    found = await self._gets.call((creation.org_id, creation.id))
                    replayed = check_replay(found, creation.kind, creation.request)
                if replayed is None:
                    raise InvariantBroken("a known request id has no record")
                return CreatedTransfer(replayed, is_replay=True)
            case CommitOutcome.INSUFFICIENT:
                return outcome
            case _:
                raise InvariantBroken(f"creating a {creation.kind} resulted in {outcome}")

    async def advance(
        self, move: AdvanceTransfer, transitions: Transitions[Any]
    ) -> Transfer | CommitOutcome:
        """Advance a record and return it, or return `STALE`, `LATE`, `EARLY` or `INSUFFICIENT`."""
        move.check(transitions)
        outcome = await self._advances.call(move)
        if outcome is CommitOutcome.DONE and is_due(move):
            self.notifier.notify()
        return _advanced(move, outcome)

    async def create_in(
        self, tx: Tx, creation: CreateTransfer, transitions: Transitions[Any]
    ) -> CreatedTransfer | CommitOutcome:
        """Create a record as `create` does, in the caller's transaction.

        All callers take locks in this order: approval, record, its accounts, then leaf rows
        (requests for information, incoming payments, references, files). On `INSUFFICIENT` nothing
        is written.
        """
        creation.check(transitions)
        (outcome,) = await store.lock_and_create(tx, [creation])
        match outcome:
            case CommitOutcome.DONE:
                if is_due(creation):
                    await self.notifier.notify_in(tx)
                return CreatedTransfer(created_record(creation), is_replay=False)
            case CommitOutcome.DUPLICATE:
                return CreatedTransfer(await _find_known(tx, creation), is_replay=True)
            case CommitOutcome.INSUFFICIENT:
                return outcome
            case _:
                raise InvariantBroken(f"creating a {creation.kind} resulted in {outcome}")

    async def create_house_transfers_in(
        self, tx: Tx, creations: Sequence[CreateTransfer], transitions: Transitions[Any]
    ) -> Sequence[CommitOutcome]:
        """Create records that move no wallet's money, in one call in the caller's transaction.

        Returns `DONE` or `DUPLICATE` for each.
        """
        for each in creations:
            each.check(transitions)
            if account_keys(each.org_id, each.journals):
                raise InvariantBroken(f"the {each.kind} {each.id} moves money of a wallet")
        return await store.lock_and_create(tx, creations) if creations else ()

    async def advance_in(
        self, tx: Tx, move: AdvanceTransfer, transitions: Transitions[Any]
    ) -> Transfer | CommitOutcome:
        """Advance a record as `advance` does, in the caller's transaction.

        Nothing is written unless the outcome is success. The lock order is that of `create_in`.
        """
        move.check(transitions)
        (outcome,) = await store.lock_and_advance(tx, [move])
        if outcome is CommitOutcome.DONE and is_due(move):
            await self.notifier.notify_in(tx)
        return _advanced(move, outcome)

    async def lock_in(self, tx: Tx, record: Transfer) -> bool:
        """Lock a record until the transaction ends; return False if it has advanced since read.

        For writes that are only valid while the record stays unchanged. The lock order is that of
        `create_in`.
        """
        key = (record.org_id, record.id)
        await store.lock_records(tx, [key])
        # A separate statement, so that its snapshot is newer than the lock.
        (current,) = await record_store.get_batch(tx, [key])
        return current is not None and current.version == record.version

    async def postpone(
        self, record: Transfer, due_at: datetime, facts: Mapping[str, Any] | None = None
    ) -> bool:
        """Postpone a due record, if it is unchanged since it was read; return whether it was.

        `facts` describe the wait (such as the number of attempts). They are part of no change, so
        nothing derived from the change log may depend on them.
        """
        return await self._database.single(
            lambda tx: store.postpone(tx, record, due_at, facts or {})
        )

    async def find(self, org_id: UUID, transfer_id: UUID) -> Transfer | None:
        """Return a record of any kind; None if there is none."""
        return await self._gets.call((org_id, transfer_id))

    async def get(self, org_id: UUID, kind: str, transfer_id: UUID) -> Transfer:
        """Return a record; raises `TransactionNotFound`, even if another organisation has it."""
        found = await self._gets.call((org_id, transfer_id))
        if found is None or found.kind != kind:
            raise TransactionNotFound(f"there is no transaction {transfer_id}")
        return found

    async def find_replay(
        self, org_id: UUID, request_id: UUID, kind: str, request: Mapping[str, Any]
    ) -> Transfer | None:
        """Return the record of this request id, or None; raises `RequestIdTaken` if different."""
        found = await self.find_request(org_id, request_id)
        return check_replay(found, kind, request)

    async def find_request(self, org_id: UUID, request_id: UUID) -> Transfer | None:
        """Return the record of any kind with this request id; None if there is none."""
        return await self._database.single(
            lambda tx: record_store.find_request(tx, org_id, request_id)
        )

    async def page(
        self, org_id: UUID, kind: str, user_id: UUID | None, window: PageWindow
    ) -> Sequence[Transfer]:
        """Return a page, newest first; `window.before` is a bound or an earlier page's cursor."""

        async def read(tx: Tx) -> Sequence[Transfer]:
            before = window.position
            if window.before is not None:
                before = await record_store.find_settled_at(tx, org_id, window.before) or before
            return await record_store.list_transfers(
                tx,
                org_id,
                kind,
                user_id,
                after=window.since,
                before=before,
                limit=window.limit,
            )

        return await self._database.read_on_replica(read)

    async def due(
        self,
        clocks: Mapping[UUID, datetime],
        *,
        limit: int,
        skip: Collection[UUID] = (),
        part: WorkPart = WHOLE,
    ) -> Sequence[Transfer]:
        """Return due records without `skip`, the longest due of each organisation first."""
        return await self._database.single(
            lambda tx: record_store.due(tx, clocks, skip=skip, limit=limit, part=part)
        )

    async def next_due(self, org_id: UUID, *, after: datetime, until: datetime) -> datetime | None:
        """Return when the next record becomes due in this interval; None if none does."""
        return await self._database.single(
            lambda tx: record_store.next_due(tx, org_id, after=after, until=until)
        )

    async def find_account(self, org_id: UUID, wallet_id: UUID, asset: Asset) -> AccountBalance:
        """Return a wallet's account of one asset; `missing` is set if it does not exist yet."""
        found = await self._accounts.call((org_id, wallet_id, asset.code))
        if found is None:
            account = NewAccount(derived_id(wallet_id, asset.code), wallet_id, asset.code)
            return AccountBalance(account.id, 0, 0, missing=account)
        return AccountBalance(*found)

    async def account(self, org_id: UUID, wallet_id: UUID, asset: Asset) -> AccountBalance:
        """Return a wallet's account of one asset; creates it if it does not exist."""
        found = await self.find_account(org_id, wallet_id, asset)
        if found.missing is None:
            return found
        await self.open_accounts(org_id, [found.missing])
        opened = await self.find_account(org_id, wallet_id, asset)
        if opened.missing is not None:
            raise InvariantBroken(f"wallet {wallet_id} has no account of {asset.code}")
        return opened

    async def open_accounts(self, org_id: UUID, accounts: Sequence[NewAccount]) -> None:
        """Create these accounts; those that exist by now stay unchanged."""
        await self._database.transact(lambda tx: record_store.open_accounts(tx, org_id, accounts))

    async def _create_batch(
        self, creations: list[CreateTransfer], wait_ms: int
    ) -> list[CommitOutcome]:
        attempts = 0

        async def work(tx: Tx) -> list[CommitOutcome]:
            nonlocal attempts
            attempts += 1
            outcomes = await store.lock_and_create(tx, creations, lock_timeout=f"{wait_ms}ms")
            if attempts == 1:
                return outcomes
            return await record_store.mark_own_creations(tx, creations, outcomes)

        return await self._database.single(work)

    async def _advance_batch(
        self, moves: list[AdvanceTransfer], wait_ms: int
    ) -> list[CommitOutcome]:
        attempts = 0

        async def work(tx: Tx) -> list[CommitOutcome]:
            nonlocal attempts
            attempts += 1
            outcomes = await store.lock_and_advance(tx, moves, lock_timeout=f"{wait_ms}ms")
            if attempts == 1:
                return outcomes
            return await record_store.mark_own_moves(tx, moves, outcomes)

        return await self._database.single(work)

    async def _get_batch(self, keys: list[tuple[UUID, UUID]]) -> list[Transfer | None]:
        return await self._database.single(lambda tx: record_store.get_batch(tx, keys))

    async def _accounts_batch(
        self, keys: list[tuple[UUID, UUID, str]]
    ) -> list[tuple[UUID, int, int] | None]:
        return await self._database.single(lambda tx: record_store.find_accounts(tx, keys))


async def open_accounts(
    tx: Tx, org_id: UUID, wallets: Sequence[tuple[UUID, Sequence[Asset]]]
) -> None:
    """Create accounts of new wallets, each (wallet, assets), in the caller's transaction."""
    await record_store.open_accounts(
        tx,
        org_id,
        [(new_id(), wallet_id, asset.code) for wallet_id, assets in wallets for asset in assets],
    )


async def find_held_asset(tx: Tx, org_id: UUID, wallet_ids: Collection[UUID]) -> str | None:
    """Return an asset that these wallets hold; None if they are empty."""
    return await record_store.find_held_asset(tx, org_id, wallet_ids)


async def wallet_ids(tx: Tx, org_id: UUID, accounts: Collection[UUID]) -> Mapping[UUID, UUID]:
    """Return the wallet of each of these accounts."""
    return await record_store.wallet_ids(tx, org_id, accounts)


async def find_unfinished_kind(
    tx: Tx, org_id: UUID, user_id: UUID, transitions: Mapping[str, Transitions[Any]]
) -> str | None:
    """Return the kind of a non-terminal record of this user; None if there is none."""
    return await record_store.find_unfinished_kind(
        tx, org_id, user_id, _terminal_statuses(transitions)
    )


async def find_incoming_kind(
    tx: Tx,
    org_id: UUID,
    user_id: UUID,
    wallet_ids: Collection[UUID],
    transitions: Mapping[str, Transitions[Any]],
) -> str | None:
    """Return the kind of another user's non-terminal record that pays this user, or None.

    Such a record references the user, or an account of the wallets, anywhere in its details.
    """
    return await record_store.find_incoming_kind(
        tx, org_id, user_id, wallet_ids, _terminal_statuses(transitions)
    )


def _terminal_statuses(transitions: Mapping[str, Transitions[Any]]) -> list[tuple[str, str]]:
    """Return every terminal (kind, status) pair."""
    return [
        (kind, str(status))
        for kind, each in transitions.items()
        for status in each.table
        if each.is_terminal(status)
    ]


def _advanced(move: AdvanceTransfer, outcome: CommitOutcome) -> Transfer | CommitOutcome:
    """Return the advanced record, or the outcome for which it was not advanced."""
    match outcome:
        case CommitOutcome.DONE:
            return advanced_record(move)
        case (
            CommitOutcome.STALE
            | CommitOutcome.LATE
            | CommitOutcome.EARLY
            | CommitOutcome.INSUFFICIENT
        ):
            return outcome
        case _:
            raise InvariantBroken(f"advancing a {move.transfer.kind} resulted in {outcome}")


async def _find_known(tx: Tx, creation: CreateTransfer) -> Transfer:
    """Return the existing record of a create command; raises `RequestIdTaken` if it differs."""
    known = await record_store.find_request(tx, creation.org_id, creation.request_id)
    if known is None:
        (known,) = await record_store.get_batch(tx, [(creation.org_id, creation.id)])
    replayed = check_replay(known, creation.kind, creation.request)
    if replayed is None:
        raise InvariantBroken("a known request id has no record")
    return replayed
