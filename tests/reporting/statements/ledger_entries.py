"""Ledger entries for tests of statements, and reads that bypass the statements' code."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import httpx2

from landbridge.ledger.model import HouseRole, Posting
from landbridge.ledger.service import Ledger
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.money import Money
from tests import make
from tests.make import TRANSITIONS, USDC, Status
from tests.tenants import Tenant, good

STATEMENTS = "/v2/reporting/statements"
BEGINNING = "2020-01-01"

_ACCOUNT = """
select a.id
from wallets w
join accounts a on a.org_id = w.org_id and a.wallet_id = w.id
where w.org_id = $1 and w.user_id = $2 and w.chain = 'POLYGON' and a.asset = 'usdc:POLYGON'
"""

# The account's entries, journal by journal.
_MOVED = """
select e.occurred_at, e.transfer_id, e.seq, sum(e.available + e.held) as units
from entries e
where e.org_id = $1 and e.account_id = $2
group by e.occurred_at, e.transfer_id, e.seq
having sum(e.available + e.held) <> 0
order by e.occurred_at, e.transfer_id, e.seq
"""

# The servers of tests gather no statistics. Without, a plan made for few rows reads thousands of
# entries again for each of them, for half a minute.
_MANY_ROWS = 1_000

# Deposits of one unit each, a second apart, as the ledger would have written them.
_MANY = """
with batch as (
    insert into change_batches (org_id, number)
    values ($1, nextval('change_batch_numbers'))
    returning number
), made as (
    select gen_random_uuid() as id, $4::timestamptz + n * interval '1 second' as occurred_at
    from generate_series(1, $5::integer) n
), record as (
    insert into transfers (
        org_id, id, kind, user_id, request_id, request, status, version, source_asset,
        source_units, destination_asset, destination_units, details, created_at, updated_at
    )
    select $1, m.id, 'TEST.PAYMENT', $2, gen_random_uuid(), '{}', 'FUNDED', 1, 'usdc:POLYGON', 1,
        'usdc:POLYGON', 1, '{}', m.occurred_at, m.occurred_at
    from made m
), entry as (
    insert into entries
        (org_id, transfer_id, seq, line, account_id, role, asset, available, held, occurred_at)
    select $1, m.id, 1, l.line, l.account_id, l.role, 'usdc:POLYGON', l.units, 0, m.occurred_at
    from made m
    cross join (values (1, $3::uuid, null, 1), (2, null, 'outside', -1))
        as l (line, account_id, role, units)
), change as (
    insert into changes
        (org_id, object_id, seq, kind, change_type, status_before, status_after, actor,
            occurred_at, is_settled, batch)
    select $1, m.id, 1, 'TEST.PAYMENT', 'open', null, 'FUNDED', 'test', m.occurred_at, true,
        b.number
    from made m
    cross join batch b
)
update accounts set available = available + $5::integer where org_id = $1 and id = $3
"""


async def account_of(org: Tenant, user: str) -> UUID:
    """Return the usdc account of the user's wallet on POLYGON."""
    (row,) = await org.container.database.rows(_ACCOUNT, org.org_id, UUID(user))
    return row["id"]


async def moved(org: Tenant, account: UUID) -> list[tuple[datetime, UUID, int, int]]:
    """Return (time, record, number of the change, units) of every movement."""
    rows = await org.container.database.rows(_MOVED, org.org_id, account)
    return [(row["occurred_at"], row["transfer_id"], row["seq"], int(row["units"])) for row in rows]


async def deposit_many(org: Tenant, user: str, count: int, since: datetime) -> None:
    """Insert deposits of one unit, a second apart, straight into the tables."""
    account = await account_of(org, user)
    database = org.container.database
    await database.rows(_MANY, org.org_id, UUID(user), account, since, count)
    if count >= _MANY_ROWS:
        await database.rows("analyze entries, changes, transfers")


async def receive(org: Tenant, account: UUID, units: int, at: datetime) -> None:
    """Money from outside, at this moment."""
    money = Money(units, USDC)
    opening = make.opening(
        org.org_id,
        Status.FUNDED,
        units=units,
        at=at,
        journals={0: [Posting(HouseRole.OUTSIDE, -money), Posting(account, money)]},
    )
    make.opened(await Ledger(org.container.database).create(opening, TRANSITIONS))


async def pay(
    org: Tenant, account: UUID, units: int, moments: Sequence[datetime], end: Status
) -> None:
    """Money that is held at the first moment, and settled or returned at the second."""
    ledger = Ledger(org.container.database)
    held = make.opened(
        await ledger.create(
            make.opening(org.org_id, Status.HELD, units=units, account_id=account, at=moments[0]),
            TRANSITIONS,
        )
    )
    make.moved(await ledger.advance(make.move(held, end, at=moments[1]), TRANSITIONS))


async def pay_out(
    org: Tenant, account: UUID, units: int, at: datetime, *, returned_at: datetime | None = None
) -> None:
    """Money that goes out at this moment and, if returned, comes back as a second step."""
    ledger, money = Ledger(org.container.database), Money(units, USDC)
    out = [Posting(account, -money), Posting(HouseRole.OUTSIDE, money)]
    opening = make.opening(org.org_id, Status.HELD, units=units, at=at, journals={0: out})
    paid = make.opened(await ledger.create(opening, TRANSITIONS))
    if returned_at is not None:
        back = [Posting(account, money), Posting(HouseRole.OUTSIDE, -money)]
        move = make.move(paid, Status.RETURNED, at=returned_at, journals={0: back})
        make.moved(await ledger.advance(move, TRANSITIONS))


async def ask(org: Tenant, user: str, **query: str) -> httpx2.Response:
    """Request a statement, by default from 2020 until now."""
    params = {"userId": user, "createdAfter": BEGINNING, "createdBefore": until_now(), **query}
    return await org.send("GET", STATEMENTS, **params)


async def statement(org: Tenant, user: str, **query: str) -> dict[str, Any]:
    """Its data."""
    return good(await ask(org, user, **query))["data"]


def until_now() -> str:
    """Return a moment after everything so far that is still today."""
    now = Clock(node=0).now()
    return min(now + timedelta(seconds=5), _end_of_day(now)).isoformat()


def _end_of_day(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
