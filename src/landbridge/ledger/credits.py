"""What wallets received: a reading of entries, so it can't differ from the books.

A credit is what one record adds to an account, held or not. It is one unless the wallet paid into
the same record too: its own swap, money that came back to it, a fee to itself. Corrections and
money that is let go are none either. A record pays an account at most once.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec

from landbridge.core.pages import Window
from landbridge.db.pool import Database, Row, Tx
from landbridge.ledger import corrections, credit_store

# Lines that one page looks through: some tens of milliseconds. The page then ends early, with a
# cursor.
LINES_MAX = 2000

# Before any id that there is, so that a bound in time is exclusive.
_LEAST_ID = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Credit:
    """What a record added to an account, in smallest units.

    `told` is what the record says of itself: its details, and over them its facts.
    """

    account_id: UUID
    transfer_id: UUID
    kind: str
    units: int
    at: datetime
    told: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class MadeCredit:
    """A credit, and the change that it came with; `asset` is the account's, by its code."""

    seq: int
    asset: str
    credit: Credit


@dataclass(frozen=True, slots=True)
class CreditPage:
    """Credits newest first; `next_cursor` is where to go on, None for an empty page at the end."""

    credits: Sequence[Credit]
    next_cursor: datetime | None


async def credits_of_account(
    database: Database,
    org_id: UUID,
    *,
    account_id: UUID,
    wallet_id: UUID,
    units_min: int,
    window: Window,
    lines_max: int = LINES_MAX,
) -> CreditPage:
    """A page of what the wallet's account received, newest first, of at least `units_min`.

    After `lines_max` lines of the account the page ends as it is; its cursor goes on from there.
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
        if len(found) < window.limit:
            # Nothing more among the lines that were looked through; perhaps behind them.
            last = await credit_store.last_line(
                tx,
                org_id,
                account_id=account_id,
                since=window.since,
                before=before,
                lines_max=lines_max,
            )
            cursor = last or cursor
        return CreditPage(found, cursor)

    return await database.transact(read)


async def find_credits(
    database: Database, org_id: UUID, wanted: Collection[tuple[UUID, UUID]]
) -> Sequence[Credit]:
    """Those of these (account, record) in which the account received something."""

    async def read(tx: Tx) -> list[Credit]:
        rows = await credit_store.find(tx, org_id, wanted, without=(corrections.KIND,))
        return [_credit(row) for row in rows]

    return await database.single(read)


async def credits_made(
    tx: Tx, org_id: UUID, journals: Collection[tuple[UUID, int]]
) -> Sequence[MadeCredit]:
    """The credits that came with these changes, each (record, number of the change).

    Those of one change are in the order of its journal, the same whenever they are asked for.
    """
    rows = await credit_store.made(tx, org_id, journals, without=(corrections.KIND,))
    return [MadeCredit(row["seq"], row["asset"], _credit(row)) for row in rows]


def _credit(row: Row) -> Credit:
    details, facts = (
        msgspec.json.decode(row[name], type=dict[str, Any]) for name in ("details", "facts")
    )
    return Credit(
        account_id=row["account_id"],
        transfer_id=row["transfer_id"],
        kind=row["kind"],
        units=int(row["units"]),
        at=row["at"],
        told=details | facts,
    )
