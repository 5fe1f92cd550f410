"""Every statement on bank_answers and bank_statements."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.bank_files.line_model import StatementHead, Told
from landbridge.db.pool import Row, Tx

_ADD = """
insert into bank_answers (
    org_id, id, account_id, digest, sealed_name, format, line_count, known_count, left_out_count,
    credit_units, debit_units, began_at
)
values ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9, $10, $11)
on conflict do nothing
"""

_FIND = """
select org_id, id, account_id, digest, sealed_name, format, line_count, known_count, left_out_count,
    credit_units, debit_units, began_at, taken_at
from bank_answers
where org_id = $1 and id = $2
"""

_LIST = """
select org_id, id, account_id, digest, sealed_name, format, line_count, known_count, left_out_count,
    credit_units, debit_units, began_at, taken_at
from bank_answers
where org_id = $1 and account_id = $2
order by began_at desc
limit $3
"""

_TAKEN = """
update bank_answers
set taken_at = $3, known_count = line_count - $4
where org_id = $1 and id = $2 and taken_at is null
returning id
"""

# What it brought that no file had told before.
_OWN_COUNT = """
select count(*) from bank_lines where org_id = $1 and file_id = $2 and kind <> 'STATEMENT'
"""

_ADD_STATEMENT = """
insert into bank_statements (
    org_id, account_id, statement_id, file_id, number, opening_units, closing_units, created_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict do nothing
"""

# Whether it follows on one that is known, or overlaps it; all is well as long as none is known.
_IS_CONTINUOUS = """
select not exists (
    select from bank_statements
    where org_id = $1 and account_id = $2 and statement_id <> $3
) or exists (
    select from bank_statements
    where org_id = $1 and account_id = $2
        and (statement_id = $3 or closing_units = $4 or opening_units = $4)
)
"""

_LATEST = """
select statement_id, number, opening_units, closing_units, created_at
from bank_statements
where org_id = $1 and account_id = $2
order by created_at desc, number desc nulls last, statement_id desc
limit 1
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SealedAnswer:
    """A row."""

    org_id: UUID
    id: UUID
    account_id: UUID
    digest: bytes
    sealed_name: bytes
    format: Told
    line_count: int
    known_count: int
    left_out_count: int
    credit_units: int
    debit_units: int
    began_at: datetime
    taken_at: datetime | None


async def add(tx: Tx, answer: SealedAnswer) -> None:
    """Store a file that is going to be taken; nothing if it is there already."""
    await tx.execute(
        _ADD,
        answer.org_id,
        answer.id,
        answer.account_id,
        answer.digest,
        answer.sealed_name,
        answer.format,
        answer.line_count,
        answer.left_out_count,
        answer.credit_units,
        answer.debit_units,
        answer.began_at,
    )


async def find(tx: Tx, org_id: UUID, answer_id: UUID) -> SealedAnswer | None:
    """The file of this id."""
    row = await tx.fetchrow(_FIND, org_id, answer_id)
    return None if row is None else _answer(row)


async def listed(tx: Tx, org_id: UUID, account_id: UUID, limit: int) -> Sequence[SealedAnswer]:
    """The last files of an account, the last one first."""
    return [_answer(row) for row in await tx.fetch(_LIST, org_id, account_id, limit)]


async def taken(tx: Tx, org_id: UUID, answer_id: UUID, at: datetime) -> bool:
    """Note that all of its lines are here; False if that was noted."""
    own_count: int = await tx.fetchval(_OWN_COUNT, org_id, answer_id)
    return await tx.fetchval(_TAKEN, org_id, answer_id, at, own_count) is not None


async def add_statement(
    tx: Tx, org_id: UUID, account_id: UUID, file_id: UUID, head: StatementHead
) -> None:
    """Store the balances of a statement; nothing if it is known."""
    await tx.execute(
        _ADD_STATEMENT,
        org_id,
        account_id,
        head.statement_id,
        file_id,
        head.number,
        head.opening_units,
        head.closing_units,
        head.created_at,
    )


async def is_continuous(tx: Tx, org_id: UUID, account_id: UUID, head: StatementHead) -> bool:
    """Whether a statement is the first of its account, known, or joins one that is."""
    found = await tx.fetchval(
        _IS_CONTINUOUS, org_id, account_id, head.statement_id, head.opening_units
    )
    return bool(found)


async def latest(tx: Tx, org_id: UUID, account_id: UUID) -> StatementHead | None:
    """The last statement of an account, by the bank's own time."""
    row = await tx.fetchrow(_LATEST, org_id, account_id)
    if row is None:
        return None
    opening, closing = row["opening_units"], row["closing_units"]
    return StatementHead(
        statement_id=row["statement_id"],
        number=row["number"],
        opening_units=None if opening is None else int(opening),
        closing_units=None if closing is None else int(closing),
        created_at=row["created_at"],
    )


def _answer(row: Row) -> SealedAnswer:
    return SealedAnswer(
        org_id=row["org_id"],
        id=row["id"],
        account_id=row["account_id"],
        digest=row["digest"],
        sealed_name=row["sealed_name"],
        format=Told(row["format"]),
        line_count=row["line_count"],
        known_count=row["known_count"],
        left_out_count=row["left_out_count"],
        credit_units=int(row["credit_units"]),
        debit_units=int(row["debit_units"]),
        began_at=row["began_at"],
        taken_at=row["taken_at"],
    )
