"""Statements on provider_cursors and provider_credits."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row
from landbridge.providers.rails.currencies import FIAT_ASSETS
from landbridge.providers.sidecar.credits import StoredCredit

_ADD_CURSOR = """
insert into provider_cursors (provider, poll_at, answered_at) values ($1, $2, $2)
on conflict (provider) do nothing
"""

# Only one of several workers gets the poll.
_CLAIM = """
update provider_cursors set poll_at = $3
where provider = $1 and poll_at <= $2
returning cursor
"""

# Writes nothing if another worker has stored this page.
_MOVE = """
update provider_cursors set cursor = coalesce($3, cursor), answered_at = $4, is_unusable = false
where provider = $1 and cursor is not distinct from $2
returning true
"""

_SET_UNUSABLE = """
update provider_cursors set is_unusable = true
where provider = $1 and not is_unusable
returning true
"""

_POLL_SOON = """
update provider_cursors set poll_at = least(poll_at, $2) where provider = $1 returning true
"""

_REREAD = """
update provider_cursors set cursor = null, poll_at = least(poll_at, $2) where provider = $1
returning true
"""

_CURSORS = "select provider, answered_at from provider_cursors order by provider"

_FIND = """
select org_id, provider, credit_id, incoming_payment_id, account_number, asset, units, problem,
    received_at
from provider_credits where provider = $1 and credit_id = any($2)
"""

_PUT = """
insert into provider_credits
    (org_id, provider, credit_id, incoming_payment_id, account_number, asset, units, problem,
    received_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict (provider, credit_id) do update
set org_id = excluded.org_id, incoming_payment_id = excluded.incoming_payment_id,
    account_number = excluded.account_number, asset = excluded.asset, units = excluded.units,
    problem = excluded.problem,
    is_closed = coalesce(provider_credits.is_closed
        and provider_credits.problem = excluded.problem, false)
"""

_CLOSE = """
update provider_credits set is_closed = true
where provider = $1 and credit_id = $2 and problem is not null and not is_closed
returning true
"""

_OF_PAYMENT = """
select org_id, provider, credit_id, incoming_payment_id, account_number, asset, units, problem,
    received_at
from provider_credits where org_id = $1 and incoming_payment_id = $2
"""

_IS_REVERSED = """
select exists (
    select from provider_credits
    where org_id = $1 and incoming_payment_id = $2 and problem = 'REVERSED' and not is_closed
)
"""

_PROBLEMS = """
select org_id, provider, credit_id, incoming_payment_id, account_number, asset, units, problem,
    received_at
from provider_credits where (org_id = $1 or org_id is null) and problem is not null
    and not is_closed
order by received_at limit $2
"""


@dataclass(frozen=True, slots=True)
class PollClaim:
    """Claimed poll of a provider, and the cursor where it continues."""

    provider: str
    cursor: str | None


async def add_cursor(tx: Tx, provider: str, at: datetime) -> None:
    """Add a cursor, so that the provider is polled; does nothing if it has one."""
    await tx.execute(_ADD_CURSOR, provider, at)


async def claim(tx: Tx, provider: str, *, now: datetime, next_at: datetime) -> PollClaim | None:
    """Claim a due poll until `next_at`; None if no poll is due."""
    row = await tx.fetchrow(_CLAIM, provider, now, next_at)
    return None if row is None else PollClaim(provider, row["cursor"])


async def move_cursor(tx: Tx, poll: PollClaim, cursor: str | None, at: datetime) -> bool:
    """Move the cursor after a page (None after the last one); False if another worker did.

    Locks the cursor until the transaction ends.
    """
    return bool(await tx.fetchval(_MOVE, poll.provider, poll.cursor, cursor, at))


async def set_unusable(tx: Tx, provider: str) -> bool:
    """Mark that an answer could not be used; return False if that is marked already."""
    return bool(await tx.fetchval(_SET_UNUSABLE, provider))


async def poll_soon(tx: Tx, provider: str, at: datetime) -> bool:
    """Make a poll of a provider due at `at`; return False if the provider is not polled."""
    return bool(await tx.fetchval(_POLL_SOON, provider, at))


async def reread(tx: Tx, provider: str, at: datetime) -> bool:
    """Make a poll from the first credit on due at `at`; return False if it is not polled."""
    return bool(await tx.fetchval(_REREAD, provider, at))


async def answered_at(tx: Tx) -> Mapping[str, datetime]:
    """Return when each provider last answered."""
    return {row["provider"]: row["answered_at"] for row in await tx.fetch(_CURSORS)}


async def find(tx: Tx, provider: str, credit_ids: Collection[str]) -> Mapping[str, StoredCredit]:
    """Return those of these credits that are stored, by id."""
    rows = await tx.fetch(_FIND, provider, list(credit_ids))
    return {row["credit_id"]: _credit(row) for row in rows}


async def put(tx: Tx, credit: StoredCredit) -> None:
    """Store a credit, or replace its stored state."""
    money = credit.money
    await write_row(
        tx,
        _PUT,
        credit,
        asset=None if money is None else money.asset.code,
        units=None if money is None else money.units,
    )


async def close(tx: Tx, provider: str, credit_id: str) -> bool:
    """Close the problem of a credit until it has another; return False if it has no open one."""
    return bool(await tx.fetchval(_CLOSE, provider, credit_id))


async def of_payment(tx: Tx, org_id: UUID, incoming_payment_id: UUID) -> StoredCredit | None:
    """Return the credit of an incoming payment; None if it came from no provider."""
    row = await tx.fetchrow(_OF_PAYMENT, org_id, incoming_payment_id)
    return None if row is None else _credit(row)


async def is_reversed(tx: Tx, org_id: UUID, incoming_payment_id: UUID) -> bool:
    """Return whether the credit of an incoming payment is listed as reversed."""
    return bool(await tx.fetchval(_IS_REVERSED, org_id, incoming_payment_id))


async def problems(tx: Tx, org_id: UUID, *, limit: int) -> Sequence[StoredCredit]:
    """Return credits with open problems, oldest first, including those of no organisation."""
    return [_credit(row) for row in await tx.fetch(_PROBLEMS, org_id, limit)]


def _credit(row: Row) -> StoredCredit:
    units = row["units"]
    return read_row(
        row,
        StoredCredit,
        money=None if units is None else Money(int(units), FIAT_ASSETS[row["asset"]]),
    )
