"""SQL statements on settlement_rules and settlement_rule_requests."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

import msgspec

from landbridge.payments.virtual_accounts.rule_model import RulePart, SettlementRule
from landbridge.platform.core.created_resource import CreatedResource
from landbridge.platform.core.pagination import PositionWindow
from landbridge.platform.db.pool import Row, Tx
from landbridge.platform.db.rows import read_row, write_row
from landbridge.providers.chains.tokens import Chain

Action = Literal["create", "update"]

# Status of a deleted rule; a rule has no other status.
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

# Shared lock: applying a rule excludes changes of the rule, but not other applications.
_LOCK_SHARED = """
select org_id, id, chain, includes_fee, parts, version, created_at, updated_at
from settlement_rules
where org_id = $1 and id = $2
for share
"""

# The version is compared, because a changed account may have another rule or deliver on another
# chain.
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

_FIND_CREATED = """
select q.rule_id, coalesce(r.created_at, q.created_at) as created_at,
    coalesce(r.updated_at, q.created_at) as updated_at, r.id is null as is_deleted
from settlement_rule_requests q
left join settlement_rules r on r.org_id = q.org_id and r.id = q.rule_id
where q.org_id = $1 and q.request_id = $2
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleRequestRecord:
    """Request that was stored under a request id, with the rule that it created or changed."""

    rule_id: UUID
    action: Action
    request: dict[str, Any]
    at: datetime


async def add(tx: Tx, rule: SettlementRule) -> None:
    """Store a rule."""
    await write_row(tx, _ADD, rule, parts=_json(rule.parts))


async def get(tx: Tx, org_id: UUID, rule_id: UUID) -> SettlementRule | None:
    """Return the rule with this id; None if there is none or it was deleted."""
    row = await tx.fetchrow(_GET, org_id, rule_id)
    return None if row is None else _rule(row)


async def lock(tx: Tx, org_id: UUID, rule_id: UUID) -> SettlementRule | None:
    """Return a rule, locked against changes and applications until the transaction ends."""
    row = await tx.fetchrow(_LOCK, org_id, rule_id)
    return None if row is None else _rule(row)


async def lock_shared(tx: Tx, org_id: UUID, rule_id: UUID) -> SettlementRule | None:
    """Return a rule, locked against changes until the transaction ends."""
    row = await tx.fetchrow(_LOCK_SHARED, org_id, rule_id)
    return None if row is None else _rule(row)


async def of_account(
    tx: Tx, org_id: UUID, account_id: UUID, *, version: int
) -> SettlementRule | None:
    """Return the rule applied to a virtual account; None if the account is not at `version`."""
    row = await tx.fetchrow(_OF_ACCOUNT, org_id, account_id, version)
    return None if row is None else _rule(row)


async def update(tx: Tx, rule: SettlementRule) -> None:
    """Update a locked rule."""
    await write_row(tx, _UPDATE, rule, parts=_json(rule.parts))


async def delete(tx: Tx, org_id: UUID, rule_id: UUID) -> None:
    """Delete a locked rule."""
    await tx.execute(_DELETE, org_id, rule_id)


async def find_use(tx: Tx, org_id: UUID, rule_id: UUID) -> UUID | None:
    """Return the id of a virtual account to which the rule is applied; None if there is none."""
    return await tx.fetchval(_FIND_USE, org_id, rule_id)


async def page(
    tx: Tx, org_id: UUID, window: PositionWindow, chain: Chain | None
) -> Sequence[SettlementRule]:
    """Return a page of rules, newest first; with a chain, only rules for that chain."""
    rows = await tx.fetch(_PAGE, org_id, window.since, *window.bounds, chain)
    return [_rule(row) for row in rows]


async def add_request(tx: Tx, org_id: UUID, request_id: UUID, request: RuleRequestRecord) -> bool:
    """Store a request; False if the request id was used before."""
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


async def find_request(tx: Tx, org_id: UUID, request_id: UUID) -> RuleRequestRecord | None:
    """Return the request with this request id; None if there is none."""
    row = await tx.fetchrow(_FIND_REQUEST, org_id, request_id)
    if row is None:
        return None
    request = msgspec.json.decode(row["request"], type=dict[str, Any])
    return read_row(row, RuleRequestRecord, request=request, at=row["created_at"])


async def find_created(tx: Tx, org_id: UUID, request_id: UUID) -> CreatedResource | None:
    """Return the rule that a request created or changed; None if there is no such request."""
    row = await tx.fetchrow(_FIND_CREATED, org_id, request_id)
    if row is None:
        return None
    return CreatedResource(
        id=row["rule_id"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        status=_DELETED if row["is_deleted"] else None,
    )


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _rule(row: Row) -> SettlementRule:
    parts = msgspec.json.decode(row["parts"], type=tuple[RulePart, ...])
    return read_row(row, SettlementRule, parts=parts)
