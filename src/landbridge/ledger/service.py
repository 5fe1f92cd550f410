"""The ledger's verbs. Money verbs run in the ledger's own grouped transactions."""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from landbridge.core.errors import Broken
from landbridge.core.ids import derived_id, new_id
from landbridge.core.money import Asset
from landbridge.core.pages import Window
from landbridge.core.states import Moves
from landbridge.db.group import Group
from landbridge.db.lock_group import LockGroup
from landbridge.db.pool import Database, Tx
from landbridge.ledger import record_store, store
from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.model import (
    Move,
    Opening,
    Outcome,
    Posting,
    Role,
    Transfer,
    as_moved,
    as_opened,
)
from landbridge.ledger.replays import check_replay
from landbridge.ledger.trial import TRIAL, Trial

# Two batches of each kind at a time keep both the database and this process busy; more only
# makes batches smaller (measured: docs/internals/ledger.md).
MONEY_LANES = 2
READ_LANES = 2


@dataclass(frozen=True, slots=True)
class Account:
    """What a wallet holds of one asset, in smallest units; `held` can't be spent."""

    id: UUID
    available_units: int
    held_units: int


@dataclass(frozen=True, slots=True)
class Opened:
    """The record of a request id; `is_replay` if it was there before this call."""

    transfer: Transfer
    is_replay: bool


class Ledger:
    """Opens records, moves them on, reads them."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._opens = LockGroup(self._open_batch, lanes=MONEY_LANES, keys=_opening_keys)
        self._moves = LockGroup(self._advance_batch, lanes=MONEY_LANES, keys=_move_keys)
        self._gets = Group(self._get_batch, lanes=READ_LANES)
        self._accounts = Group(self._accounts_batch, lanes=READ_LANES)

    async def open(self, opening: Opening, moves: Moves[Any]) -> Opened | Outcome:
        """Open a record, once per request id and id; `SHORT` if a wallet has too little.

        Raises `RequestIdTaken`, naming the field, if one of them has a record that was asked for
        in other words.
        """
        opening.check(moves)
        outcome = await self._opens.call(opening)
        match outcome:
            case Outcome.DONE:
                return Opened(as_opened(opening), is_replay=False)
            case Outcome.KNOWN:
                replayed = await self.find_replay(
                    opening.org_id, opening.request_id, opening.kind, opening.request
                )
                if replayed is None:
                    twin = await self._gets.call((opening.org_id, opening.id))
                    replayed = check_replay(twin, opening.kind, opening.request)
                if replayed is None:
                    raise Broken("a known request id has no record")
                return Opened(replayed, is_replay=True)
            case Outcome.SHORT:
                return outcome
            case _:
                raise Broken(f"opening a {opening.kind} came out as {outcome}")

    async def advance(self, move: Move, moves: Moves[Any]) -> Transfer | Outcome:
        """Move a record on; the record as it is then, or `LOST`, `LATE`, `EARLY` or `SHORT`."""
        move.check(moves)
        outcome = await self._moves.call(move)
        match outcome:
            case Outcome.DONE:
                return as_moved(move)
            case Outcome.LOST | Outcome.LATE | Outcome.EARLY | Outcome.SHORT:
                return outcome
            case _:
                raise Broken(f"moving a {move.transfer.kind} on came out as {outcome}")

    async def open_in(self, tx: Tx, opening: Opening, moves: Moves[Any]) -> Opened | Outcome:
        """As `open`, in the caller's transaction: for what writes rows of its own beside the money.

        Locks are taken in one order by all: an approval, the record, its accounts, and then leaf
        rows (requests for information, receipts, references, files). On `SHORT` nothing was
        written.
        """
        opening.check(moves)
        accounts = _account_keys(opening.org_id, opening.journals)
        if accounts:
            await store.lock(tx, transfers=(), accounts=accounts)
        (outcome,) = await store.open_batch(tx, [opening])
        match outcome:
            case Outcome.DONE:
                return Opened(as_opened(opening), is_replay=False)
            case Outcome.KNOWN:
                return Opened(await _find_known(tx, opening), is_replay=True)
            case Outcome.SHORT:
                return outcome
            case _:
                raise Broken(f"opening a {opening.kind} came out as {outcome}")

    async def advance_in(self, tx: Tx, move: Move, moves: Moves[Any]) -> Transfer | Outcome:
        """As `advance`, in the caller's transaction; on any other outcome nothing was written.

        The order of locks is that of `open_in`.
        """
        move.check(moves)
        record = (move.transfer.org_id, move.transfer.id)
        accounts = _account_keys(move.transfer.org_id, move.journals)
        await store.lock(tx, transfers=[record], accounts=accounts)
        (outcome,) = await store.advance_batch(tx, [move])
        match outcome:
            case Outcome.DONE:
                return as_moved(move)
            case Outcome.LOST | Outcome.LATE | Outcome.EARLY | Outcome.SHORT:
                return outcome
            case _:
                raise Broken(f"moving a {move.transfer.kind} on came out as {outcome}")

    async def lock_in(self, tx: Tx, record: Transfer) -> bool:
        """Lock a record until the transaction ends; False if it has moved since it was read.

        For what may only be written while the record stays as it is. The order of locks is that of
        `open_in`.
        """
        key = (record.org_id, record.id)
        await store.lock(tx, transfers=[key], accounts=())
        # A statement of its own: its snapshot is newer than the lock.
        (current,) = await record_store.get_batch(tx, [key])
        return current is not None and current.version == record.version

    async def postpone(
        self, record: Transfer, due_at: datetime, facts: Mapping[str, Any] | None = None
    ) -> bool:
        """Put a due record off, if it is as it was read: nothing happened, it waits for longer.

        `facts` are how it waits (how often it was tried): they are in no change, so nothing that
        is told of the record may rest on them.
        """
        return await self._database.single(
            lambda tx: store.postpone(tx, record, due_at, facts or {})
        )

    async def find(self, org_id: UUID, transfer_id: UUID) -> Transfer | None:
        """The record of any kind, if there is one."""
        return await self._gets.call((org_id, transfer_id))

    async def get(self, org_id: UUID, kind: str, transfer_id: UUID) -> Transfer:
        """The record; raises `TransactionNotFound`, also for another organisation's."""
        found = await self._gets.call((org_id, transfer_id))
        if found is None or found.kind != kind:
            raise TransactionNotFound(f"there is no transaction {transfer_id}")
        return found

    async def find_replay(
        self, org_id: UUID, request_id: UUID, kind: str, request: Mapping[str, Any]
    ) -> Transfer | None:
        """The record that this request id made, if any; raises `RequestIdTaken` as `open` does."""
        found = await self._database.transact(
            lambda tx: record_store.find_request(tx, org_id, request_id)
        )
        return check_replay(found, kind, request)

    async def find_request(self, org_id: UUID, request_id: UUID) -> Transfer | None:
        """The record of any kind that this request id made, if there is one."""
        return await self._database.single(
            lambda tx: record_store.find_request(tx, org_id, request_id)
        )

    async def page(
        self, org_id: UUID, kind: str, user_id: UUID | None, window: Window
    ) -> Sequence[Transfer]:
        """A page, newest first. `window.before` is a bound, or the cursor of an earlier page."""

        async def read(tx: Tx) -> Sequence[Transfer]:
            before = window.position
            if window.before is not None:
                before = await record_store.rested_at(tx, org_id, window.before) or before
            return await record_store.list_transfers(
                tx,
                org_id,
                kind,
                user_id,
                after=window.since,
                before=before,
                limit=window.limit,
            )

        return await self._database.transact(read)

    async def due(
        self, clocks: Mapping[UUID, datetime], *, limit: int, skip: Collection[UUID] = ()
    ) -> Sequence[Transfer]:
        """Records whose time has come, the longest due first, but for those to `skip`."""
        return await self._database.single(
            lambda tx: record_store.due(tx, clocks, skip=skip, limit=limit)
        )

    async def next_due(self, org_id: UUID, *, after: datetime, until: datetime) -> datetime | None:
        """When the next record falls due, if one does after `after` and by `until`."""
        return await self._database.single(
            lambda tx: record_store.next_due(tx, org_id, after=after, until=until)
        )

    async def account(self, org_id: UUID, wallet_id: UUID, asset: Asset) -> Account:
        """A wallet's account of one asset; made here if the wallet is older than the asset.

        A trial makes none: what is missing is noted, and empty.
        """
        wanted = (org_id, wallet_id, asset.code)
        found = await self._accounts.call(wanted)
        if found is None:
            made = (derived_id(wallet_id, asset.code), wallet_id, asset.code)
            if (trial := TRIAL.get()) is not None:
                trial.missing.append(made)
                return Account(made[0], available_units=0, held_units=0)
            await self._database.transact(lambda tx: record_store.open_accounts(tx, org_id, [made]))
            found = await self._accounts.call(wanted)
        if found is None:
            raise Broken(f"wallet {wallet_id} has no account of {asset.code}")
        return Account(*found)

    async def _open_batch(self, openings: list[Opening], wait_ms: int) -> list[Outcome]:
        accounts = {key for each in openings for key in _account_keys(each.org_id, each.journals)}
        lock_timeout, attempts = f"{wait_ms}ms", 0

        async def work(tx: Tx) -> list[Outcome]:
            nonlocal attempts
            attempts += 1
            if accounts:
                await store.lock(tx, transfers=(), accounts=accounts, lock_timeout=lock_timeout)
            outcomes = await store.open_batch(tx, openings, lock_timeout=lock_timeout)
            if attempts == 1:
                return outcomes
            return await record_store.own_openings(tx, openings, outcomes)

        if not accounts:
            return await self._database.single(work)
        return await self._database.transact(work)

    async def _advance_batch(self, moves: list[Move], wait_ms: int) -> list[Outcome]:
        records = {(each.transfer.org_id, each.transfer.id) for each in moves}
        accounts = {
            key for each in moves for key in _account_keys(each.transfer.org_id, each.journals)
        }

        async def work(tx: Tx) -> list[Outcome]:
            await store.lock(tx, transfers=records, accounts=accounts, lock_timeout=f"{wait_ms}ms")
            return await store.advance_batch(tx, moves)

        return await self._database.transact(work)

    async def _get_batch(self, wanted: list[tuple[UUID, UUID]]) -> list[Transfer | None]:
        return await self._database.single(lambda tx: record_store.get_batch(tx, wanted))

    async def _accounts_batch(
        self, wanted: list[tuple[UUID, UUID, str]]
    ) -> list[tuple[UUID, int, int] | None]:
        return await self._database.single(lambda tx: record_store.find_accounts(tx, wanted))


async def open_accounts(
    tx: Tx, org_id: UUID, wallets: Sequence[tuple[UUID, Sequence[Asset]]]
) -> None:
    """Make the accounts of new wallets, each (wallet, assets), in the caller's transaction."""
    await record_store.open_accounts(
        tx,
        org_id,
        [(new_id(), wallet_id, asset.code) for wallet_id, assets in wallets for asset in assets],
    )


async def open_missing(tx: Tx, org_id: UUID, trial: Trial) -> None:
    """Make the accounts that a trial found missing, in a transaction that is rolled back."""
    await record_store.open_accounts(tx, org_id, trial.missing)


async def find_held(tx: Tx, org_id: UUID, wallet_ids: Collection[UUID]) -> str | None:
    """The asset of something that these wallets hold, if they hold anything."""
    return await record_store.find_held(tx, org_id, wallet_ids)


async def wallet_ids(tx: Tx, org_id: UUID, accounts: Collection[UUID]) -> Mapping[UUID, UUID]:
    """The wallets that these accounts belong to, by account."""
    return await record_store.wallet_ids(tx, org_id, accounts)


async def find_unfinished(
    tx: Tx, org_id: UUID, user_id: UUID, moves: Mapping[str, Moves[Any]]
) -> str | None:
    """The kind of a record of this user that may still move, if there is one."""
    return await record_store.find_unfinished(tx, org_id, user_id, _ends(moves))


async def find_paying(
    tx: Tx,
    org_id: UUID,
    user_id: UUID,
    wallet_ids: Collection[UUID],
    moves: Mapping[str, Moves[Any]],
) -> str | None:
    """The kind of another user's record that may still move and pays this one, if there is one.

    It names the user, or an account of the wallets, wherever in its details.
    """
    return await record_store.find_paying(tx, org_id, user_id, wallet_ids, _ends(moves))


def _ends(moves: Mapping[str, Moves[Any]]) -> list[tuple[str, str]]:
    """Each kind and status that is an end."""
    return [
        (kind, str(status))
        for kind, each in moves.items()
        for status in each.table
        if each.is_terminal(status)
    ]


async def _find_known(tx: Tx, opening: Opening) -> Transfer:
    """The record that an opening found in its place, if it was asked for in the same words."""
    known = await record_store.find_request(tx, opening.org_id, opening.request_id)
    if known is None:
        (known,) = await record_store.get_batch(tx, [(opening.org_id, opening.id)])
    replayed = check_replay(known, opening.kind, opening.request)
    if replayed is None:
        raise Broken("a known request id has no record")
    return replayed


def _account_keys(
    org_id: UUID, journals: Mapping[int, Sequence[Posting]]
) -> set[tuple[UUID, UUID]]:
    return {
        (org_id, posting.account)
        for postings in journals.values()
        for posting in postings
        if not isinstance(posting.account, Role)
    }


def _opening_keys(opening: Opening) -> Collection[Hashable]:
    return {
        (opening.org_id, opening.request_id),
        (opening.org_id, opening.id),
        *_account_keys(opening.org_id, opening.journals),
    }


def _move_keys(move: Move) -> Collection[Hashable]:
    org_id = move.transfer.org_id
    return {(org_id, move.transfer.id), *_account_keys(org_id, move.journals)}
