"""Every statement on settlement_rules and settlement_rule_requests."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import msgspec

from landbridge.chains.tokens import Chain
from landbridge.core.made import Made
from landbridge.core.pages import Position
from landbridge.db.pool import Row, Tx
from landbridge.virtual_accounts.rule_model import Part, SettlementRule

Action = Literal["create", "update"]

# A rule has no status but this, once it is gone.
_DELETED = "DELETED"

_ADD = """
insert into settlement_rules (
    org_id, id, chain, includes_fee, parts, version, created_at, updated_at
)
values ($1, $2, $3, $4, $5, $6, $7, $8)
"""

_GET = """
select org_id, id, chain, includes_fee, parts, version, created_at, updated_at
from settlement_rules
where org_id = $1 and id = $2
"""

_LOCK = """
select org_id, id, chain, includes_fee, parts, version, created_at, updated_at
from settlement_rules
where org_id = $1 and id = $2
for update
"""

# Whoever applies a rule keeps it as it is meanwhile; many may at once.
_HOLD = """
select org_id, id, chain, includes_fee, parts, version, created_at, updated_at
from settlement_rules
where org_id = $1 and id = $2
for share
"""

# At another version the account has another rule, or delivers on another chain.
_OF_ACCOUNT = """
select r.org_id, r.id, r.chain, r.includes_fee, r.parts, r.version, r.created_at, r.updated_at
from virtual_accounts a
join settlement_rules r on r.org_id = a.org_id and r.id = a.settlement_rule_id
where a.org_id = $1 and a.id = $2 and a.version = $3
"""

_UPDATE = """
update settlement_rules
set chain = $3, includes_fee = $4, parts = $5, version = $6, updated_at = $7
where org_id = $1 and id = $2
"""

_DELETE = "delete from settlement_rules where org_id = $1 and id = $2"

_FIND_USE = """
select id from virtual_accounts where org_id = $1 and settlement_rule_id = $2 limit 1
"""

_PAGE = """
select org_id, id, chain, includes_fee, parts, version, created_at, updated_at
from settlement_rules
where org_id = $1 and created_at >= $2 and (created_at, id) < ($3, $4)
    and ($6::text is null or chain = $6)
order by created_at desc, id desc
limit $5
"""

_ADD_REQUEST = """
insert into settlement_rule_requests (org_id, request_id, rule_id, action, request, created_at)
values ($1, $2, $3, $4, $5, $6)
on conflict do nothing
returning request_id
"""

_FIND_REQUEST = """
select rule_id, action, request, created_at
from settlement_rule_requests
where org_id = $1 and request_id = $2
"""

_MADE_BY = """
select q.rule_id, coalesce(r.created_at, q.created_at) as created_at,
    coalesce(r.updated_at, q.created_at) as updated_at, r.id is null as is_deleted
from settlement_rule_requests q
left join settlement_rules r on r.org_id = q.org_id and r.id = q.rule_id
where q.org_id = $1 and q.request_id = $2
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What was asked under a request id, and of which rule."""

    rule_id: UUID
    action: Action
    request: dict[str, Any]
    at: datetime


async def add(tx: Tx, rule: SettlementRule) -> None:
    """Store a rule."""
    await tx.execute(
        _ADD,
        rule.org_id,
        rule.id,
        rule.chain,
        rule.includes_fee,
        _json(rule.parts),
        rule.version,
        rule.created_at,
        rule.updated_at,
    )


async def get(tx: Tx, org_id: UUID, rule_id: UUID) -> SettlementRule | None:
    """A rule."""
    row = await tx.fetchrow(_GET, org_id, rule_id)
    return None if row is None else _rule(row)


async def lock(tx: Tx, org_id: UUID, rule_id: UUID) -> SettlementRule | None:
    """A rule that nobody else changes, and nobody applies, until this transaction ends."""
    row = await tx.fetchrow(_LOCK, org_id, rule_id)
    return None if row is None else _rule(row)


async def hold(tx: Tx, org_id: UUID, rule_id: UUID) -> SettlementRule | None:
    """A rule that nobody changes until this transaction ends."""
    row = await tx.fetchrow(_HOLD, org_id, rule_id)
    return None if row is None else _rule(row)


async def of_account(
    tx: Tx, org_id: UUID, account_id: UUID, *, version: int
) -> SettlementRule | None:
    """The rule that is applied to a virtual account; None if that is not at `version` any more."""
    row = await tx.fetchrow(_OF_ACCOUNT, org_id, account_id, version)
    return None if row is None else _rule(row)


async def update(tx: Tx, rule: SettlementRule) -> None:
    """Store a rule that is locked."""
    await tx.execute(
        _UPDATE,
        rule.org_id,
        rule.id,
        rule.chain,
        rule.includes_fee,
        _json(rule.parts),
        rule.version,
        rule.updated_at,
    )


async def delete(tx: Tx, org_id: UUID, rule_id: UUID) -> None:
    """Delete a rule that is locked."""
    await tx.execute(_DELETE, org_id, rule_id)


async def find_use(tx: Tx, org_id: UUID, rule_id: UUID) -> UUID | None:
    """A virtual account that the rule is applied to, if there is one."""
    return await tx.fetchval(_FIND_USE, org_id, rule_id)


async def page(
    tx: Tx,
    org_id: UUID,
    *,
    since: datetime,
    before: Position,
    limit: int,
    chain: Chain | None,
) -> Sequence[SettlementRule]:
    """A page of rules, newest first."""
    rows = await tx.fetch(_PAGE, org_id, since, before.created_at, before.id, limit, chain)
    return [_rule(row) for row in rows]


async def add_request(tx: Tx, org_id: UUID, request_id: UUID, request: Request) -> bool:
    """Store what was asked; False if the request id was used before."""
    added = await tx.fetchval(
        _ADD_REQUEST,
        org_id,
        request_id,
        request.rule_id,
        request.action,
        _json(request.request),
        request.at,
    )
    return added is not None


async def find_request(tx: Tx, org_id: UUID, request_id: UUID) -> Request | None:
    """What was asked under this request id."""
    row = await tx.fetchrow(_FIND_REQUEST, org_id, request_id)
    if row is None:
        return None
    return Request(
        rule_id=row["rule_id"],
        action=row["action"],
        request=msgspec.json.decode(row["request"], type=dict[str, Any]),
        at=row["created_at"],
    )


async def made_by(tx: Tx, org_id: UUID, request_id: UUID) -> Made | None:
    """The rule that a request made or changed."""
    row = await tx.fetchrow(_MADE_BY, org_id, request_id)
    if row is None:
        return None
    return Made(
        id=row["rule_id"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        status=_DELETED if row["is_deleted"] else None,
    )


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _rule(row: Row) -> SettlementRule:
    return SettlementRule(
        org_id=row["org_id"],
        id=row["id"],
        chain=Chain(row["chain"]),
        includes_fee=row["includes_fee"],
        parts=msgspec.json.decode(row["parts"], type=tuple[Part, ...]),
        version=row["version"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
    )
