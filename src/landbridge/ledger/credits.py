"""Credits: what wallets received, read from entries, so it can't differ from the ledger.

A credit is the amount that one record adds to an account, held or not. It does not count if the
wallet also paid into the same record: its own swap, money returned to it, a fee to itself.
Corrections and released holds are not credits either. A record credits an account at most once.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from landbridge.ledger import corrections, credit_store
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Database, Row, Tx
from landbridge.platform.db.rows import read_row

# Lines that one page scans: some tens of milliseconds. The page then ends early, with a cursor.
LINES_MAX = 2000

# Lower than any existing id, so that a bound in time is exclusive.
_LEAST_ID = UUID(int=0)


@dataclass(frozen=True, slots=True)
class WalletCredit:
    """Amount that a record added to an account, in smallest units.

    `record_data` holds the record's details, overridden by its facts.
    """

    account_id: UUID
    transfer_id: UUID
    kind: str
    units: int
    at: datetime
    record_data: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RecordedCredit:
    """Credit with the change that posted it; `asset` is the account's asset code."""

    seq: int
    asset: str
    credit: WalletCredit


@dataclass(frozen=True, slots=True)
class CreditPage:
    """Page of credits, newest first; `next_cursor` continues it, None for an empty last page.

    All credits down to `complete_to` are on the page; None if there are no more in the window.
    """

    credits: Sequence[WalletCredit]
    next_cursor: datetime | None
    complete_to: datetime | None = None


async def credits_of_account(
    database: Database,
    org_id: UUID,
    *,
    account_id: UUID,
    wallet_id: UUID,
    units_min: int,
    window: PageWindow,
    lines_max: int = LINES_MAX,
) -> CreditPage:
    """Return a page of what the wallet's account received, newest first, of at least `units_min`.

    After `lines_max` lines of the account the page ends early; its cursor continues from there.
    """
    before = (window.position.created_at, _LEAST_ID)

    async def read(tx: Tx) -> CreditPage:
        rows = await credit_store.page(
            tx,
            org_id,
            account_id=account_id,
            wallet_id=wallet_id,
            without=(corrections.KIND,),
            units_min=units_min,
            since=window.since,
            before=before,
            limit=window.limit,
            lines_max=lines_max,
        )
        found = [_credit(row) for row in rows]
        cursor = found[-1].at if found else None
        complete_to = cursor
        if len(found) < window.limit:
            # No more credits among the scanned lines, but perhaps in later ones.
            complete_to = await credit_store.last_line(
                tx,
                org_id,
                account_id=account_id,
                since=window.since,
                before=before,
                lines_max=lines_max,
            )
            cursor = complete_to or cursor
        return CreditPage(found, cursor, complete_to)

    return await database.read(read)


async def find_credits(
    database: Database, org_id: UUID, pairs: Collection[tuple[UUID, UUID]]
) -> Sequence[WalletCredit]:
    """Return the credits among these (account, record) pairs."""

    async def read(tx: Tx) -> list[WalletCredit]:
        rows = await credit_store.find(tx, org_id, pairs, without=(corrections.KIND,))
        return [_credit(row) for row in rows]

    return await database.single(read)


async def find_recorded_credits(
    tx: Tx, org_id: UUID, journals: Collection[tuple[UUID, int]]
) -> Sequence[RecordedCredit]:
    """Return the credits posted by these changes, each (record, number of the change).

    Credits of one change are in the order of its journal, independent of when they are read.
    """
    rows = await credit_store.find_recorded(tx, org_id, journals, without=(corrections.KIND,))
    return [RecordedCredit(row["seq"], row["asset"], _credit(row)) for row in rows]


def _credit(row: Row) -> WalletCredit:
    details, facts = (
        msgspec.json.decode(row[name], type=dict[str, Any]) for name in ("details", "facts")
    )
    at, units = row["occurred_at"], int(row["units"])
    return read_row(row, WalletCredit, units=units, at=at, record_data=details | facts)
