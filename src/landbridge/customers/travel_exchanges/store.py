"""SQL statements on the tables of exchanges. Times of exchanges are real time."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

import msgspec

from landbridge.customers.travel_exchanges.model import (
    Exchange,
    ExchangeDirection,
    ExchangeSetting,
    ExchangeStatus,
)
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row

_SETTING = """
select is_on, requires_address, assets::text as assets, counterparties::text as counterparties,
    version
from travel_rule_exchange_settings where org_id = $1
"""

# Returns no row if the same setting is in force already, or if the version in force is not $7.
_SET = """
insert into travel_rule_exchange_settings as s
    (org_id, is_on, requires_address, assets, counterparties, version, updated_at)
values ($1, $2, $3, $4::text::jsonb, $5::text::jsonb, 1, $6)
on conflict (org_id) do update
set is_on = excluded.is_on, requires_address = excluded.requires_address,
    assets = excluded.assets, counterparties = excluded.counterparties,
    version = s.version + 1, updated_at = excluded.updated_at
where ($7::integer is null or s.version = $7)
    and (s.is_on, s.requires_address, s.assets, s.counterparties) is distinct from
        (excluded.is_on, excluded.requires_address, excluded.assets, excluded.counterparties)
returning version
"""

# Returns no row if the inquiry is stored already.
_ADD = """
insert into travel_rule_exchanges
    (org_id, id, direction, status, host, request_identifier, is_authenticated, user_id,
    transfer_id, screening_id, wallet_address, token, amount, sealed_data, callback_hash,
    pending_message, attempts, next_attempt_at, created_at, updated_at, version, provider)
values ($1, $2, $3, 'OPEN', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, 0, $16, $17, $17,
    1, $18)
on conflict do nothing
returning id
"""

_FIND = """
select org_id, id, direction, status, host, request_identifier, is_authenticated, user_id,
    transfer_id, screening_id, wallet_address, token, amount, sealed_data, callback_hash,
    pending_message, transaction_hash, problem, attempts, next_attempt_at, created_at, updated_at,
    version, provider
from travel_rule_exchanges where org_id = $1 and id = $2
"""

_LOCK = """
select org_id, id, direction, status, host, request_identifier, is_authenticated, user_id,
    transfer_id, screening_id, wallet_address, token, amount, sealed_data, callback_hash,
    pending_message, transaction_hash, problem, attempts, next_attempt_at, created_at, updated_at,
    version, provider
from travel_rule_exchanges where org_id = $1 and id = $2 for update
"""

_FIND_CALLBACK = """
select org_id, id, direction, status, host, request_identifier, is_authenticated, user_id,
    transfer_id, screening_id, wallet_address, token, amount, sealed_data, callback_hash,
    pending_message, transaction_hash, problem, attempts, next_attempt_at, created_at, updated_at,
    version, provider
from travel_rule_exchanges where org_id = $1 and callback_hash = $2
"""

_FIND_INQUIRY = """
select org_id, id, direction, status, host, request_identifier, is_authenticated, user_id,
    transfer_id, screening_id, wallet_address, token, amount, sealed_data, callback_hash,
    pending_message, transaction_hash, problem, attempts, next_attempt_at, created_at, updated_at,
    version, provider
from travel_rule_exchanges
where org_id = $1 and direction = 'INCOMING' and host = $2 and request_identifier = $3
"""

_OF_SCREENING = """
select org_id, id, direction, status, host, request_identifier, is_authenticated, user_id,
    transfer_id, screening_id, wallet_address, token, amount, sealed_data, callback_hash,
    pending_message, transaction_hash, problem, attempts, next_attempt_at, created_at, updated_at,
    version, provider
from travel_rule_exchanges where org_id = $1 and screening_id = $2
"""

_OF_TRANSACTION = """
select org_id, id, direction, status, host, request_identifier, is_authenticated, user_id,
    transfer_id, screening_id, wallet_address, token, amount, sealed_data, callback_hash,
    pending_message, transaction_hash, problem, attempts, next_attempt_at, created_at, updated_at,
    version, provider
from travel_rule_exchanges
where org_id = $1 and direction = 'INCOMING' and transaction_hash = $2 and status = 'CONFIRMED'
order by created_at, id limit $3
"""

_LIST = """
select org_id, id, direction, status, host, request_identifier, is_authenticated, user_id,
    transfer_id, screening_id, wallet_address, token, amount, sealed_data, callback_hash,
    pending_message, transaction_hash, problem, attempts, next_attempt_at, created_at, updated_at,
    version, provider
from travel_rule_exchanges
where org_id = $1 and ($2::text is null or direction = $2) and ($3::text is null or status = $3)
    and ($4::uuid is null or transfer_id = $4)
order by created_at desc, id limit $5
"""

# Lists exchanges of hosts $4 first: anybody may send inquiries, and could fill the list.
_LIST_OPEN = """
select org_id, id, direction, status, host, request_identifier, is_authenticated, user_id,
    transfer_id, screening_id, wallet_address, token, amount, sealed_data, callback_hash,
    pending_message, transaction_hash, problem, attempts, next_attempt_at, created_at, updated_at,
    version, provider
from travel_rule_exchanges
where org_id = $1 and status = 'OPEN' and ($2::text is null or direction = $2)
    and ($3::uuid is null or transfer_id = $3)
order by host = any($4::text[]) desc, created_at desc, id limit $5
"""

# Counts the inquiries of host $2 or, if $2 is null, of all hosts but $3.
_COUNT_OPEN = """
select count(*) from travel_rule_exchanges
where org_id = $1 and direction = 'INCOMING' and status = 'OPEN'
    and case when $2::text is null then host <> all($3::text[]) else host = $2 end
"""

_ADVANCE = """
update travel_rule_exchanges
set status = $4, wallet_address = $5, user_id = $6, sealed_data = $7, pending_message = $8,
    transaction_hash = $9, next_attempt_at = $10, updated_at = $11, problem = null, attempts = 0,
    version = version + 1
where org_id = $1 and id = $2 and version = $3
returning version
"""

_MATCH = """
update travel_rule_exchanges e set screening_id = $3
where e.org_id = $1 and e.id = $2 and e.direction = 'INCOMING'
    and (e.screening_id is null or e.screening_id = $3)
    and not exists (
        select from travel_rule_exchanges o
        where o.org_id = $1 and o.screening_id = $3 and o.id <> $2
    )
returning true
"""

# Rejects open inquiries about an erased user, because nobody can answer them without data.
_END_OPEN = """
update travel_rule_exchanges
set status = 'REJECTED', updated_at = $3, version = version + 1
where org_id = $1 and user_id = $2 and direction = 'INCOMING' and status = 'OPEN'
returning org_id, id, direction, status, host, request_identifier, is_authenticated, user_id,
    transfer_id, screening_id, wallet_address, token, amount, sealed_data, callback_hash,
    pending_message, transaction_hash, problem, attempts, next_attempt_at, created_at, updated_at,
    version, provider
"""

_FORGET = """
update travel_rule_exchanges
set sealed_data = null, pending_message = null, next_attempt_at = null
where org_id = $1 and user_id = $2
"""


async def setting(tx: Tx, org_id: UUID) -> ExchangeSetting:
    """Return the setting of an organisation."""
    row = await tx.fetchrow(_SETTING, org_id)
    if row is None:
        return ExchangeSetting()
    return read_row(
        row,
        ExchangeSetting,
        assets=msgspec.json.decode(row["assets"]),
        counterparties=msgspec.json.decode(row["counterparties"]),
    )


async def set_setting(
    tx: Tx, org_id: UUID, wanted: ExchangeSetting, at: datetime, *, instead_of: int | None
) -> int | None:
    """Store a setting and return its version.

    Return None if the same setting is in force already, or another version than `instead_of`.
    """
    version: int | None = await tx.fetchval(
        _SET,
        org_id,
        wanted.is_on,
        wanted.requires_address,
        msgspec.json.encode(wanted.assets).decode(),
        msgspec.json.encode(wanted.counterparties).decode(),
        at,
        instead_of,
    )
    return version


async def add(tx: Tx, exchange: Exchange) -> bool:
    """Store a new exchange; False if it is stored already."""
    found = await write_row(tx, _ADD, exchange)
    return found is not None


async def find(tx: Tx, org_id: UUID, exchange_id: UUID) -> Exchange | None:
    """Return an exchange; None if the organisation has none with this id."""
    return _existing(await tx.fetchrow(_FIND, org_id, exchange_id))


async def lock(tx: Tx, org_id: UUID, exchange_id: UUID) -> Exchange | None:
    """Lock an exchange until the transaction ends, and return it; None if there is none."""
    return _existing(await tx.fetchrow(_LOCK, org_id, exchange_id))


async def find_callback(tx: Tx, org_id: UUID, callback_hash: bytes) -> Exchange | None:
    """Return the exchange with a callback URL that contains the secret with this hash."""
    return _existing(await tx.fetchrow(_FIND_CALLBACK, org_id, callback_hash))


async def find_inquiry(tx: Tx, org_id: UUID, host: str, request_identifier: str) -> Exchange | None:
    """Return the inquiry of another provider with this request identifier."""
    return _existing(await tx.fetchrow(_FIND_INQUIRY, org_id, host, request_identifier))


async def of_screening(tx: Tx, org_id: UUID, screening_id: UUID) -> Exchange | None:
    """Return the exchange of a payment's screening, or the one matched with a deposit's."""
    return _existing(await tx.fetchrow(_OF_SCREENING, org_id, screening_id))


async def of_transaction(tx: Tx, org_id: UUID, hash_: str, limit: int) -> Sequence[Exchange]:
    """Return the confirmed inquiries of other providers that name a transaction."""
    return [read_exchange(row) for row in await tx.fetch(_OF_TRANSACTION, org_id, hash_, limit)]


async def newest(
    tx: Tx,
    org_id: UUID,
    *,
    direction: ExchangeDirection | None,
    status: ExchangeStatus | None,
    transfer_id: UUID | None,
    limit: int,
) -> Sequence[Exchange]:
    """Return exchanges, the newest first."""
    rows = await tx.fetch(_LIST, org_id, direction, status, transfer_id, limit)
    return [read_exchange(row) for row in rows]


async def newest_open(
    tx: Tx,
    org_id: UUID,
    *,
    direction: ExchangeDirection | None,
    transfer_id: UUID | None,
    first_hosts: Collection[str],
    limit: int,
) -> Sequence[Exchange]:
    """Return open exchanges, newest first, those with `first_hosts` before all others."""
    hosts = list(first_hosts)
    rows = await tx.fetch(_LIST_OPEN, org_id, direction, transfer_id, hosts, limit)
    return [read_exchange(row) for row in rows]


async def count_open(tx: Tx, org_id: UUID, host: str, known_hosts: Collection[str]) -> int:
    """Count inquiries that wait for reviewers: of a known host, or of all unknown ones together."""
    known = list(known_hosts)
    count: int = await tx.fetchval(_COUNT_OPEN, org_id, host if host in known else None, known)
    return count


async def advance(tx: Tx, before: Exchange, after: Exchange) -> int | None:
    """Store an exchange's next state, and return its version; None if it is not `before` now."""
    version: int | None = await write_row(
        tx, _ADVANCE, after, org_id=before.org_id, id=before.id, version=before.version
    )
    return version


async def match(tx: Tx, exchange: Exchange, screening_id: UUID) -> bool:
    """Match an inquiry with a deposit's screening; False if either is matched with another."""
    found = await tx.fetchval(_MATCH, exchange.org_id, exchange.id, screening_id)
    return found is not None


async def end_open(tx: Tx, org_id: UUID, user_id: UUID, at: datetime) -> Sequence[Exchange]:
    """Reject the open inquiries about a user's wallets, and return them."""
    return [read_exchange(row) for row in await tx.fetch(_END_OPEN, org_id, user_id, at)]


async def forget(tx: Tx, org_id: UUID, user_id: UUID) -> None:
    """Delete the encrypted data of a user's exchanges."""
    await tx.execute(_FORGET, org_id, user_id)


def _existing(row: Row | None) -> Exchange | None:
    return None if row is None else read_exchange(row)


def read_exchange(row: Row) -> Exchange:
    """Return the exchange of a row with all columns."""
    return read_row(row, Exchange)
