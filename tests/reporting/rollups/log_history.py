"""Records at moments of a test's choice: rows of the books and of the log, without money."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from uuid import UUID

from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx

KINDS = ("WALLET.SWAP", "WALLET.TRANSFER", "ONRAMP", "OFFRAMP")
_PATHS = {
    "WALLET.SWAP": ("OPEN_QUOTE", "CREATED", "PENDING", "COMPLETED"),
    "WALLET.TRANSFER": ("CREATED", "PENDING", "COMPLETED"),
    "ONRAMP": ("CREATED", "OPEN_QUOTE", "AWAITING_FUNDS", "FIAT_PENDING", "COMPLETED"),
    "OFFRAMP": ("CREATED", "OPEN_QUOTE", "CRYPTO_INITIATED", "COMPLETED"),
}
_FAILURES = {"WALLET.SWAP": "QUOTE_FAILED", "ONRAMP": "QUOTE_FAILED", "OFFRAMP": "QUOTE_FAILED"}

_RECORD = """
insert into transfers (
    org_id, id, kind, user_id, request_id, request, status, version, source_asset, source_units,
    destination_asset, destination_units, details, facts, created_at, updated_at
)
values (
    $1, $2, $3, $4, $2, '{}', $5, $6, 'usdc:POLYGON', $7, 'usdt:POLYGON', $7,
    jsonb_build_object('amount_units', $7::numeric::text, 'worth_usd', ($7 / 1000000.0)::text),
    jsonb_strip_nulls(jsonb_build_object('failed_reason', $8::text)), $9, $10
)
"""
_CHANGE = """
with batch as (
    insert into change_batches (org_id, number)
    values ($1, nextval('change_batch_numbers'))
    returning number
)
insert into changes (
    org_id, object_id, seq, kind, change_type, status_before, status_after, actor, occurred_at,
    is_settled, batch
)
select $1, $2, $3, $4, $5, $6, $7, 'test', $8, true, number
from batch
"""


@dataclass(frozen=True, slots=True)
class Record:
    """Record of the history."""

    id: UUID
    kind: str
    path: tuple[str, ...]
    created_at: datetime


async def add_record(
    tx: Tx, org_id: UUID, dice: Random, user_ids: Sequence[UUID], at: datetime
) -> Record:
    """Add a record with its changes."""
    kind = dice.choice(KINDS)
    path = _PATHS[kind][: dice.choice((1, 2, 9, 9, 9))]
    reason = None
    if kind in _FAILURES and path[-1] == "OPEN_QUOTE" and dice.random() < 0.5:
        path, reason = (*path, _FAILURES[kind]), dice.choice(("too late", "no luck", None))
    record = Record(new_id(), kind, path, at)
    took = timedelta(milliseconds=dice.randrange(1, 10 ** dice.randrange(1, 7)))
    units = dice.randrange(1, 10**10)
    await _add(tx, org_id, record, dice.choice(user_ids), took=took, units=units, reason=reason)
    return record


async def add_completed(tx: Tx, org_id: UUID, at: datetime, took: timedelta) -> None:
    """Add a completed transfer with this duration."""
    kind = "WALLET.TRANSFER"
    record = Record(new_id(), kind, ("CREATED", "COMPLETED"), at)
    await _add(tx, org_id, record, new_id(), took=took, units=1, reason=None)


async def add_micro_deposit(tx: Tx, org_id: UUID, at: datetime) -> None:
    """Add a record that is completed at creation, with no duration."""
    record = Record(new_id(), "ACCOUNT.MICRO_DEPOSIT", ("COMPLETED",), at)
    await _add(tx, org_id, record, new_id(), took=timedelta(), units=1, reason=None)


async def _add(
    tx: Tx,
    org_id: UUID,
    record: Record,
    user_id: UUID,
    *,
    took: timedelta,
    units: int,
    reason: str | None,
) -> None:
    """Each step of its path took so long."""
    kind, path, at = record.kind, record.path, record.created_at
    await tx.execute(
        _RECORD,
        *(org_id, record.id, kind, user_id, path[-1], len(path), units, reason),
        *(at, at + took * (len(path) - 1)),
    )
    for index, status in enumerate(path):
        before = path[index - 1] if index else None
        change_type = "advance" if index else "open"
        moment = at + took * index
        await tx.execute(
            _CHANGE, *(org_id, record.id, index + 1, kind, change_type, before, status, moment)
        )


async def add_user(tx: Tx, org_id: UUID, at: datetime) -> None:
    """Add the log entry of a created user."""
    await tx.execute(_CHANGE, *(org_id, new_id(), 1, "USER", "create", None, None, at))


async def add_past(
    database: Database, org_id: UUID, dice: Random, moments: Sequence[datetime]
) -> list[UUID]:
    """Add a record and a user at each moment; return the user ids."""
    user_ids = [new_id() for _ in range(5)]
    for index in range(0, len(moments), 12):

        async def work(tx: Tx, some: Sequence[datetime] = moments[index : index + 12]) -> None:
            for at in some:
                await add_record(tx, org_id, dice, user_ids, at)
                await add_user(tx, org_id, at)

        await database.transact(work)
    return user_ids
