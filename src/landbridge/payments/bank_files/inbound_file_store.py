"""Every statement on bank_inbound_files and bank_statements."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from landbridge.payments.bank_files.statement_line_model import InboundFileFields, StatementHead
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row

# A file that was refused, or that now has more lines, is ingested again: when it was read first, an
# account that it concerns was not set up yet.
_ADD = """
insert into bank_inbound_files (
    org_id, id, account_id, digest, sealed_name, format, line_count, known_count, omitted_count,
    credit_units, debit_units, started_at
)
values ($1, $2, $3, $4, $5, $6, $7, 0, $8, $9, $10, $11)
on conflict (org_id, id) do update
set format = excluded.format, line_count = excluded.line_count, known_count = 0,
    omitted_count = excluded.omitted_count, credit_units = excluded.credit_units,
    debit_units = excluded.debit_units, ingested_at = null
where bank_inbound_files.ingested_at is not null
    and (
        bank_inbound_files.format = 'refused'
        or bank_inbound_files.line_count < excluded.line_count
    )
    and excluded.format <> 'refused' and excluded.line_count > 0
"""

_FIND = """
select org_id, id, account_id, digest, sealed_name, format, line_count, known_count, omitted_count,
    credit_units, debit_units, started_at, ingested_at
from bank_inbound_files
where org_id = $1 and id = $2
"""

_LIST = """
select org_id, id, account_id, digest, sealed_name, format, line_count, known_count, omitted_count,
    credit_units, debit_units, started_at, ingested_at
from bank_inbound_files
where org_id = $1 and account_id = $2
order by started_at desc
limit $3
"""

_TAKEN = """
update bank_inbound_files
set ingested_at = $3, known_count = greatest(line_count - $4, 0)
where org_id = $1 and id = $2 and ingested_at is null
returning id
"""

# Number of a file's lines that no earlier file contained.
_OWN_COUNT = """
select count(*) from statement_lines where org_id = $1 and file_id = $2 and kind <> 'STATEMENT'
"""

_ADD_STATEMENT = """
insert into bank_statements (
    org_id, account_id, statement_id, file_id, number, opening_units, closing_units, created_at,
    closing_on
)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict do nothing
"""

# Whether a statement continues or overlaps a known one; true if no other statement is known.
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
class SealedInboundFile(InboundFileFields):
    """Row of `bank_inbound_files`, with the encrypted name."""

    sealed_name: bytes


async def add(tx: Tx, file: SealedInboundFile) -> None:
    """Store a file before its ingestion; do nothing if it is stored and needs no new ingestion."""
    await write_row(tx, _ADD, file)


async def find(tx: Tx, org_id: UUID, file_id: UUID) -> SealedInboundFile | None:
    """Return the file with this id; None if there is none."""
    row = await tx.fetchrow(_FIND, org_id, file_id)
    return None if row is None else _file(row)


async def list_latest(
    tx: Tx, org_id: UUID, account_id: UUID, limit: int
) -> Sequence[SealedInboundFile]:
    """Return the latest `limit` files of an account, newest first."""
    return [_file(row) for row in await tx.fetch(_LIST, org_id, account_id, limit)]


async def set_ingested(tx: Tx, org_id: UUID, file_id: UUID, at: datetime) -> bool:
    """Record that all lines of a file are stored; False if that was recorded before."""
    own_count: int = await tx.fetchval(_OWN_COUNT, org_id, file_id)
    return await tx.fetchval(_TAKEN, org_id, file_id, at, own_count) is not None


async def add_statement(
    tx: Tx, org_id: UUID, account_id: UUID, file_id: UUID, head: StatementHead
) -> None:
    """Store the balances of a statement; do nothing if the statement is known."""
    await write_row(tx, _ADD_STATEMENT, head, org_id=org_id, account_id=account_id, file_id=file_id)


async def is_continuous(tx: Tx, org_id: UUID, account_id: UUID, head: StatementHead) -> bool:
    """Return whether a statement is the account's first, or known, or continues a known one."""
    found = await tx.fetchval(
        _IS_CONTINUOUS, org_id, account_id, head.statement_id, head.opening_units
    )
    return bool(found)


async def find_latest_statement(tx: Tx, org_id: UUID, account_id: UUID) -> StatementHead | None:
    """Return the latest statement of an account, ordered by the times in its statements."""
    row = await tx.fetchrow(_LATEST, org_id, account_id)
    if row is None:
        return None
    units = {
        name: None if row[name] is None else int(row[name])
        for name in ("opening_units", "closing_units")
    }
    return read_row(row, StatementHead, **units)


def _file(row: Row) -> SealedInboundFile:
    credit, debit = int(row["credit_units"]), int(row["debit_units"])
    return read_row(row, SealedInboundFile, credit_units=credit, debit_units=debit)
