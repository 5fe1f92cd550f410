"""Statements that write records: the functions that move all money, locks, and due times alone."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, TypeAlias
from uuid import UUID

import msgspec

from landbridge.ledger.digests import creation_digest_of
from landbridge.ledger.functions import FUNCTIONS_OF_ONE, LOCK_AND_ADVANCE, LOCK_AND_CREATE
from landbridge.ledger.model import (
    AdvanceTransfer,
    CommitOutcome,
    CreateTransfer,
    HouseRole,
    Posting,
    Transfer,
)
from landbridge.platform.changes.service import register_change_as_proof
from landbridge.platform.core.money import Money
from landbridge.platform.db.arrays import array_text
from landbridge.platform.db.one_organisation import is_distributed, one_organisation
from landbridge.platform.db.pool import Tx

# The order of locks is that of the functions.
LOCK_RECORDS = """
select 1
from transfers
where (org_id, id) in (select * from unnest($1::uuid[], $2::uuid[]))
order by org_id, id
for update
"""

# Writes no change and keeps the version, so that concurrent advances are not affected. Run again
# after a commit that was not acknowledged, it finds the new due time.
POSTPONE = """
update transfers
set due_at = $5, facts = facts || $6::jsonb
where org_id = $1 and id = $2 and version = $3 and due_at in ($4, $5)
returning 1
"""

# The new due time is that of the last change, which is past on the clock of each organisation. A
# concurrent postponement changes nothing then, because the due time that it has read is replaced.
MAKE_DUE = """
update transfers t
set due_at = t.updated_at
from unnest($1::uuid[], $2::uuid[]) as i (org_id, id)
where t.org_id = i.org_id and t.id = i.id and t.due_at > t.updated_at
"""

_LOCK_AND_CREATE = LOCK_AND_CREATE.call
_LOCK_AND_ADVANCE = LOCK_AND_ADVANCE.call
_LOCK_AND_CREATE_OF_ONE, _LOCK_AND_ADVANCE_OF_ONE = (each.call for each in FUNCTIONS_OF_ONE)

# (organisation, id) of a record or an account.
Key: TypeAlias = tuple[UUID, UUID]

_encode = msgspec.json.Encoder().encode


async def lock_and_create(
    tx: Tx, creations: Sequence[CreateTransfer], *, lock_timeout: str | None = None
) -> list[CommitOutcome]:
    """Lock the wallets of the postings and create the records, in one call."""
    arrays = map(array_text, _creation_arrays(creations))
    if is_distributed(tx):
        org_id = one_organisation(each.org_id for each in creations)
        found = await tx.fetchval(_LOCK_AND_CREATE_OF_ONE, org_id, *arrays, lock_timeout)
    else:
        found = await tx.fetchval(_LOCK_AND_CREATE, *arrays, lock_timeout)
    outcomes = [CommitOutcome(each) for each in found]
    for creation, outcome in zip(creations, outcomes, strict=True):
        if outcome is CommitOutcome.DONE:
            register_change_as_proof(creation.org_id, creation.id, len(creation.path), creation.at)
    return outcomes


def _creation_arrays(creations: Sequence[CreateTransfer]) -> tuple[list[Any], ...]:
    return (
        [each.org_id for each in creations],
        [each.id for each in creations],
        [each.kind for each in creations],
        [each.user_id for each in creations],
        [each.request_id for each in creations],
        [_json(each.request) for each in creations],
        [each.path[-1] for each in creations],
        [len(each.path) for each in creations],
        [each.source.asset.code for each in creations],
        [each.source.units for each in creations],
        [each.destination.asset.code for each in creations],
        [each.destination.units for each in creations],
        [_json(each.details) for each in creations],
        [each.due_at for each in creations],
        [each.at for each in creations],
        [each.actor for each in creations],
        [f"\\x{creation_digest_of(each).hex()}" for each in creations],
        *_path_steps((0, None, each.path) for each in creations),
        *_postings((0, each.journals) for each in creations),
    )


async def lock_and_advance(
    tx: Tx, moves: Sequence[AdvanceTransfer], *, lock_timeout: str | None = None
) -> list[CommitOutcome]:
    """Lock the records, then the wallets of the postings, and advance, in one call."""
    arrays = map(array_text, _move_arrays(moves))
    if is_distributed(tx):
        org_id = one_organisation(each.transfer.org_id for each in moves)
        found = await tx.fetchval(_LOCK_AND_ADVANCE_OF_ONE, org_id, *arrays, lock_timeout)
    else:
        found = await tx.fetchval(_LOCK_AND_ADVANCE, *arrays, lock_timeout)
    outcomes = [CommitOutcome(each) for each in found]
    for move, outcome in zip(moves, outcomes, strict=True):
        if outcome is CommitOutcome.DONE:
            seq = move.transfer.version + len(move.path)
            register_change_as_proof(move.transfer.org_id, move.transfer.id, seq, move.at)
    return outcomes


def _move_arrays(moves: Sequence[AdvanceTransfer]) -> tuple[list[Any], ...]:
    return (
        [each.transfer.org_id for each in moves],
        [each.transfer.id for each in moves],
        [each.transfer.version for each in moves],
        [each.path[-1] for each in moves],
        [each.transfer.version + len(each.path) for each in moves],
        [_json(each.facts) for each in moves],
        [each.timing.value for each in moves],
        [each.due_at for each in moves],
        [each.at for each in moves],
        [each.change_type for each in moves],
        [each.actor for each in moves],
        *_amounts([each.source for each in moves]),
        *_amounts([each.destination for each in moves]),
        *_path_steps((each.transfer.version, each.transfer.status, each.path) for each in moves),
        *_postings((each.transfer.version, each.journals) for each in moves),
    )


async def postpone(tx: Tx, record: Transfer, due_at: datetime, facts: Mapping[str, Any]) -> bool:
    """Run `POSTPONE`; return whether the record was unchanged since it was read."""
    done = await tx.fetchval(
        POSTPONE,
        record.org_id,
        record.id,
        record.version,
        record.due_at,
        due_at,
        _json(facts),
    )
    return done is not None


async def make_due(tx: Tx, records: Sequence[Key]) -> None:
    """Run `MAKE_DUE` on records that the caller has locked."""
    await tx.execute(MAKE_DUE, [org_id for org_id, _ in records], [each for _, each in records])


async def lock_records(tx: Tx, records: Sequence[Key]) -> None:
    """Lock records until the transaction ends."""
    await tx.execute(LOCK_RECORDS, [org_id for org_id, _ in records], [each for _, each in records])


def _amounts(new: Sequence[Money | None]) -> tuple[list[str | None], list[int | None]]:
    """Return asset codes and units; None for amounts that are not replaced."""
    return (
        [None if each is None else each.asset.code for each in new],
        [None if each is None else each.units for each in new],
    )


def _path_steps(
    paths: Iterable[tuple[int, str | None, tuple[str, ...]]],
) -> tuple[list[Any], ...]:
    """Return flat arrays of (item, seq, status before, status after, is settled)."""
    flat: list[tuple[Any, ...]] = []
    for item, (version, before, path) in enumerate(paths, start=1):
        current = before
        for position, status in enumerate(path, start=1):
            flat.append((item, version + position, current, status, position == len(path)))
            current = status
    return _columns(flat, 5)


def _postings(
    journals: Iterable[tuple[int, Mapping[int, Sequence[Posting]]]],
) -> tuple[list[Any], ...]:
    """Return flat arrays of (item, seq, line, account, role, asset, available, held)."""
    flat: list[tuple[Any, ...]] = []
    for item, (version, of_item) in enumerate(journals, start=1):
        for position, postings in of_item.items():
            for line, posting in enumerate(postings, start=1):
                is_house = isinstance(posting.account, HouseRole)
                flat.append(
                    (
                        item,
                        version + position + 1,
                        line,
                        None if is_house else posting.account,
                        posting.account if is_house else None,
                        posting.available.asset.code,
                        posting.available.units,
                        posting.held_units,
                    )
                )
    return _columns(flat, 8)


def _columns(rows: list[tuple[Any, ...]], width: int) -> tuple[list[Any], ...]:
    if not rows:
        return tuple([] for _ in range(width))
    return tuple(list(column) for column in zip(*rows, strict=True))


def _json(value: Mapping[str, Any]) -> str:
    return _encode(value).decode()
