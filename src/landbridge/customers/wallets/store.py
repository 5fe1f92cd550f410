"""All SQL statements on wallet_seeds, wallets and external_wallets, and the lock of their user."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from uuid import UUID

from landbridge.customers.wallets.model import ExternalWallet, PartyContext, Wallet
from landbridge.ledger.model import AccountBalance
from landbridge.platform.core.pagination import PositionWindow
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row
from landbridge.providers.chains.tokens import Chain

_ADD_SEED = """
insert into wallet_seeds (org_id, sealed_seed, created_at) values ($1, $2, $3)
on conflict (org_id) do nothing
"""

_SEED = "select sealed_seed from wallet_seeds where org_id = $1"

_TAKE_INDEX = """
update wallet_seeds set next_index = next_index + 1 where org_id = $1
returning next_index - 1
"""

_INDEX_OF_USER = """
select derivation_index from wallets where org_id = $1 and user_id = $2 limit 1
"""

_ADD = """
insert into wallets (org_id, id, user_id, chain, address, derivation_index, created_at)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict (org_id, user_id, chain) do nothing
returning id
"""

_FIND = """
select i.place, w.org_id, w.id, w.user_id, w.chain, w.address, w.derivation_index, w.created_at
from unnest($1::uuid[], $2::uuid[], $3::text[]) with ordinality as i (org_id, user_id, chain, place)
join wallets w on w.org_id = i.org_id and w.user_id = i.user_id and w.chain = i.chain
"""

_PARTY_CONTEXTS = """
select i.position, u.frozen_at is not null as is_user_frozen, u.id as found_user_id,
    w.org_id, w.id, w.user_id, w.chain, w.address, w.derivation_index, w.created_at,
    a.id as account_id, a.available, a.held,
    o.id as other_account_id, o.available as other_available, o.held as other_held
from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[]) with ordinality
    as i (org_id, user_id, chain, asset, other_asset, position)
left join users u on u.org_id = i.org_id and u.id = i.user_id
left join wallets w on w.org_id = i.org_id and w.user_id = i.user_id and w.chain = i.chain
left join accounts a on a.org_id = i.org_id and a.wallet_id = w.id and a.asset = i.asset
left join accounts o on o.org_id = i.org_id and o.wallet_id = w.id and o.asset = i.other_asset
order by i.position
"""

_FIND_ADDRESS = """
select org_id, id, user_id, chain, address, derivation_index, created_at
from wallets
where org_id = $1 and chain = any($2::text[]) and address = $3
"""

_OWN_ADDRESSES = "select address from wallets where org_id = $1 and address = any($2::text[])"

_ADDRESSES = "select address from wallets where org_id = $1 and chain = $2"

_OF_USERS = """
select org_id, id, user_id, chain, address, derivation_index, created_at
from wallets
where org_id = $1 and user_id = any($2::uuid[])
order by user_id, chain
"""

_BY_IDS = """
select org_id, id, user_id, chain, address, derivation_index, created_at
from wallets
where org_id = $1 and id = any($2::uuid[])
"""

_ADD_EXTERNAL = """
insert into external_wallets
    (org_id, id, user_id, chain, address, sealed_label, is_active, created_at, updated_at)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
on conflict (org_id, user_id, chain, address) do nothing
returning id
"""

_EXTERNAL = """
select org_id, id, user_id, chain, address, sealed_label, is_active, created_at, updated_at
from external_wallets
where org_id = $1 and id = $2
"""

_FIND_EXTERNAL = """
select org_id, id, user_id, chain, address, sealed_label, is_active, created_at, updated_at
from external_wallets
where org_id = $1 and user_id = $2 and chain = $3 and address = $4 and is_active
"""

_EXTERNALS_AT = """
select org_id, id, user_id, chain, address, sealed_label, is_active, created_at, updated_at
from external_wallets
where org_id = $1 and address = $2
order by created_at desc, id desc
limit $3
"""

_EXTERNALS_OF_USER = """
select org_id, id, user_id, chain, address, sealed_label, is_active, created_at, updated_at
from external_wallets
where org_id = $1 and user_id = $2 and created_at >= $3 and (created_at, id) < ($4, $5)
    and ($7::text is null or chain = $7)
    and ($8::boolean is null or is_active = $8)
order by created_at desc, id desc
limit $6
"""

# Reads the newest rows of each state and chain from an index, then merges them.
EXTERNALS_OF_ORG = """
select w.org_id, w.id, w.user_id, w.chain, w.address, w.sealed_label, w.is_active, w.created_at,
    w.updated_at
from unnest($2::boolean[]) as s (is_active)
cross join unnest($3::text[]) as c (chain)
cross join lateral (
    select org_id, id, user_id, chain, address, sealed_label, is_active, created_at, updated_at
    from external_wallets
    where org_id = $1 and is_active = s.is_active and chain = c.chain
        and (created_at, id) < ($4, $5)
    order by created_at desc, id desc
    limit $6
) w
order by w.created_at desc, w.id desc
limit $6
"""

_KNOWN_SINCE = """
select user_id, address, min(created_at) as known_since
from external_wallets
where org_id = $1 and user_id = any($2::uuid[]) and address = any($3::text[])
group by user_id, address
"""

_REGISTERED_SINCE = """
select min(created_at) from external_wallets where org_id = $1 and address = $2 and is_active
"""

# Locks the user: an erasure waits for this transaction, or this waits for the erasure's end.
_HOLD_USER = "select id from users where org_id = $1 and id = $2 for key share"

_FORGET_LABELS = """
update external_wallets set sealed_label = null where org_id = $1 and user_id = $2
"""


@dataclass(frozen=True, slots=True)
class StoredExternal:
    """Registered address without name and reference, and their encrypted form."""

    wallet: ExternalWallet
    sealed_label: bytes | None


async def add_seed(tx: Tx, org_id: UUID, sealed_seed: bytes, at: datetime) -> None:
    """Store an organisation's seed, unless it has one."""
    await tx.execute(_ADD_SEED, org_id, sealed_seed, at)


async def seed(tx: Tx, org_id: UUID) -> bytes | None:
    """Return the organisation's encrypted seed; None if it has none."""
    return await tx.fetchval(_SEED, org_id)


async def derivation_index(tx: Tx, org_id: UUID, user_id: UUID) -> int:
    """Return the user's derivation index: the existing one, else the next free one."""
    index: int | None = await tx.fetchval(_INDEX_OF_USER, org_id, user_id)
    return await tx.fetchval(_TAKE_INDEX, org_id) if index is None else index


async def add(tx: Tx, wallet: Wallet) -> bool:
    """Store a wallet; False if the user has one on this chain."""
    added = await write_row(tx, _ADD, wallet)
    return added is not None


async def find(tx: Tx, keys: Sequence[tuple[UUID, UUID, Chain]]) -> list[Wallet | None]:
    """Return wallets by (organisation, user, chain), in the order of the input."""
    rows = await tx.fetch(
        _FIND,
        [org_id for org_id, _, _ in keys],
        [user_id for _, user_id, _ in keys],
        [chain for _, _, chain in keys],
    )
    found: list[Wallet | None] = [None] * len(keys)
    for row in rows:
        found[row["place"] - 1] = read_row(row, Wallet)
    return found


async def party_contexts(
    tx: Tx, keys: Sequence[tuple[UUID, UUID, Chain, str, str | None]]
) -> list[PartyContext]:
    """Return contexts by (organisation, user, chain, asset, other asset), in order of the keys."""
    rows = await tx.fetch(
        _PARTY_CONTEXTS,
        [org_id for org_id, _, _, _, _ in keys],
        [user_id for _, user_id, _, _, _ in keys],
        [chain for _, _, chain, _, _ in keys],
        [asset for _, _, _, asset, _ in keys],
        [other for _, _, _, _, other in keys],
    )
    return [
        PartyContext(
            is_user_frozen=None if row["found_user_id"] is None else row["is_user_frozen"],
            wallet=None if row["id"] is None else read_row(row, Wallet),
            account=_balance(row["account_id"], row["available"], row["held"]),
            other_account=_balance(
                row["other_account_id"], row["other_available"], row["other_held"]
            ),
        )
        for row in rows
    ]


async def find_address(
    tx: Tx, org_id: UUID, chains: Sequence[Chain], address: str
) -> Sequence[Wallet]:
    """Return the organisation's wallets at an address, on any of these chains."""
    return [read_row(row, Wallet) for row in await tx.fetch(_FIND_ADDRESS, org_id, chains, address)]


async def own_addresses(tx: Tx, org_id: UUID, addresses: Sequence[str]) -> set[str]:
    """Return those of the addresses that are wallets of the organisation, on any chain."""
    return {row["address"] for row in await tx.fetch(_OWN_ADDRESSES, org_id, addresses)}


async def addresses(tx: Tx, org_id: UUID, chain: Chain) -> list[str]:
    """Return the addresses of all wallets on a chain."""
    return [row["address"] for row in await tx.fetch(_ADDRESSES, org_id, chain)]


async def of_users(tx: Tx, org_id: UUID, user_ids: Sequence[UUID]) -> Sequence[Wallet]:
    """Return all wallets of these users."""
    return [read_row(row, Wallet) for row in await tx.fetch(_OF_USERS, org_id, user_ids)]


async def by_ids(tx: Tx, org_id: UUID, wallet_ids: Collection[UUID]) -> Sequence[Wallet]:
    """Return the existing wallets among these."""
    return [read_row(row, Wallet) for row in await tx.fetch(_BY_IDS, org_id, list(wallet_ids))]


async def add_external(tx: Tx, external: ExternalWallet, sealed_label: bytes) -> bool:
    """Store a registered address; False if the user has registered it before."""
    added = await write_row(tx, _ADD_EXTERNAL, external, sealed_label=sealed_label)
    return added is not None


async def external(tx: Tx, org_id: UUID, external_id: UUID) -> StoredExternal | None:
    """Return a registered address; None if there is none."""
    row = await tx.fetchrow(_EXTERNAL, org_id, external_id)
    return None if row is None else _external(row)


async def find_external(
    tx: Tx, org_id: UUID, user_id: UUID, chain: Chain, address: str
) -> StoredExternal | None:
    """Return a user's active registration of an address; None if there is none."""
    row = await tx.fetchrow(_FIND_EXTERNAL, org_id, user_id, chain, address)
    return None if row is None else _external(row)


async def externals_at(tx: Tx, org_id: UUID, address: str, limit: int) -> Sequence[StoredExternal]:
    """Return the registrations of an address, latest first."""
    return [_external(row) for row in await tx.fetch(_EXTERNALS_AT, org_id, address, limit)]


async def externals_of_user(
    tx: Tx,
    org_id: UUID,
    user_id: UUID,
    window: PositionWindow,
    *,
    chain: Chain | None = None,
    is_active: bool | None = None,
) -> Sequence[StoredExternal]:
    """Return a page of a user's registered addresses, newest first; None does not filter."""
    rows = await tx.fetch(
        _EXTERNALS_OF_USER, org_id, user_id, window.since, *window.bounds, chain, is_active
    )
    return [_external(row) for row in rows]


async def externals_of_org(
    tx: Tx,
    org_id: UUID,
    window: PositionWindow,
    *,
    states: Sequence[bool],
    chains: Sequence[Chain],
) -> Sequence[StoredExternal]:
    """Return registered addresses of all users, newest first; `states` filters `is_active`."""
    rows = await tx.fetch(EXTERNALS_OF_ORG, org_id, states, chains, *window.bounds)
    return [_external(row) for row in rows]


async def known_since(
    tx: Tx, org_id: UUID, user_ids: Collection[UUID], addresses: Collection[str]
) -> dict[tuple[UUID, str], datetime]:
    """Return the times at which these users registered these addresses, on any chain."""
    rows = await tx.fetch(_KNOWN_SINCE, org_id, list(user_ids), list(addresses))
    return {(row["user_id"], row["address"]): row["known_since"] for row in rows}


async def registered_since(tx: Tx, org_id: UUID, address: str) -> datetime | None:
    """Return since when an outside address is registered; None if nobody registered it."""
    since: datetime | None = await tx.fetchval(_REGISTERED_SINCE, org_id, address)
    return since


async def lock_user(tx: Tx, org_id: UUID, user_id: UUID) -> None:
    """Lock a user against erasure until this transaction ends."""
    await tx.execute(_HOLD_USER, org_id, user_id)


async def forget_labels(tx: Tx, org_id: UUID, user_id: UUID) -> None:
    """Blank the names and references of a user's registered addresses."""
    await tx.execute(_FORGET_LABELS, org_id, user_id)


def _balance(
    account_id: UUID | None, available: Decimal | None, held: Decimal | None
) -> AccountBalance | None:
    if account_id is None:
        return None
    return AccountBalance(account_id, int(available or 0), int(held or 0))


def _external(row: Row) -> StoredExternal:
    wallet = read_row(row, ExternalWallet, name="", reference_id="")
    return StoredExternal(wallet, row["sealed_label"])
