"""Receiver responses, stored sealed: a receiver that echoes its request returns personal data.

Guarantees:
- A response is stored only under the data key of the event's owner: once the owner is erased, it
  can no longer be opened.
- Without such a key, no response is stored.

Rows without a response cost nothing; the others take two reads in total.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from uuid import UUID

from msgspec import structs

from landbridge.developers.webhooks.model import Delivery, DeliveryAttempt
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import DataKey, Vault

# Owner of an event without a snapshot: the payer of a payment, or of the payment that a request for
# information is about, or the object's own, as with links. Queried in this order, and no further
# than needed. The inner ordering makes each lookup use its primary key, however few rows there were
# when it was planned.
_OWNERS = """
select e.object_id, coalesce(
    (
        select t.user_id
        from (
            select id, user_id from transfers
            where org_id = $1 and id >= e.object_id
            order by id
            limit 1
        ) t
        where t.id = e.object_id
    ),
    (
        select r.user_id
        from (
            select id, user_id from rfis
            where org_id = $1 and id >= e.object_id
            order by id
            limit 1
        ) r
        where r.id = e.object_id
    ),
    e.object_id
) as owner_id
from unnest($2::uuid[]) as e (object_id)
"""


async def seal(
    tx: Tx, vault: Vault, org_id: UUID, rows: Sequence[Delivery]
) -> tuple[Delivery, ...]:
    """Return the deliveries as they are stored: with sealed responses.

    An opened row is sealed again with all its responses; one without responses stays as it is.
    """
    with_response = [each for each in rows if any(_texts(each))]
    if not with_response:
        return tuple(rows)
    owners = await _owners(tx, org_id, with_response)
    keys = await vault.find_many(tx, org_id, set(owners.values()))
    return tuple(_sealed(each, owners, keys) for each in rows)


async def opened(
    database: Database, vault: Vault, org_id: UUID, rows: Sequence[Delivery]
) -> tuple[Delivery, ...]:
    """Return the deliveries with their responses, except those whose owner was erased."""
    owners = {each.owner_id for each in rows if each.owner_id and each.sealed_responses}
    if not owners:
        return tuple(rows)
    keys = await database.single(lambda tx: vault.find_many(tx, org_id, owners))
    return tuple(_opened(each, keys) for each in rows)


async def _owners(tx: Tx, org_id: UUID, rows: Sequence[Delivery]) -> Mapping[UUID, UUID]:
    """Return the owners of the responses, by delivery."""
    known = {each.id: each.owner_id for each in rows if each.owner_id is not None}
    object_ids = {each.key.object_id for each in rows if each.id not in known}
    if not object_ids:
        return known
    owners = {
        row["object_id"]: row["owner_id"]
        for row in await tx.fetch(_OWNERS, org_id, list(object_ids))
    }
    return {each.id: known.get(each.id) or owners[each.key.object_id] for each in rows}


def _sealed(row: Delivery, owners: Mapping[UUID, UUID], keys: Mapping[UUID, DataKey]) -> Delivery:
    owner_id = owners.get(row.id)
    if owner_id is None:
        return row
    key = keys.get(owner_id)
    if key is None:
        return replace(row, owner_id=None, sealed_responses=None)
    sealed = key.seal(_texts(row), context=_context(row.id))
    return replace(row, owner_id=owner_id, sealed_responses=sealed)


def _opened(row: Delivery, keys: Mapping[UUID, DataKey]) -> Delivery:
    key = None if row.owner_id is None else keys.get(row.owner_id)
    if key is None or row.sealed_responses is None:
        return row
    texts = key.open(row.sealed_responses, context=_context(row.id), type=list[str | None])
    # Lists show the last attempt only.
    last = texts[len(texts) - len(row.attempts) :]
    attempts = tuple(
        _answered(attempt, text) for attempt, text in zip(row.attempts, last, strict=True)
    )
    return replace(row, attempts=attempts)


def _answered(attempt: DeliveryAttempt, text: str | None) -> DeliveryAttempt:
    return attempt if text is None else structs.replace(attempt, answer=text)


def _texts(row: Delivery) -> list[str | None]:
    """Return the response of each retained attempt; empty ones are left out."""
    return [each.answer or None for each in row.attempts]


def _context(delivery_id: UUID) -> str:
    return f"webhook_deliveries.responses:{delivery_id}"
