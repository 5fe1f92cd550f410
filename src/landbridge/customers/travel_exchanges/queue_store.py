"""SQL statements for the delivery queue of exchanges."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from landbridge.customers.travel_exchanges.model import Exchange
from landbridge.customers.travel_exchanges.store import read_exchange
from landbridge.platform.db.pool import Tx

# Returns a limited number per organisation, and per host in it; OUTGOING exchanges come first.
_DUE = """
select e.org_id, e.id, e.direction, e.status, e.host, e.request_identifier, e.is_authenticated,
    e.user_id, e.transfer_id, e.screening_id, e.wallet_address, e.token, e.amount, e.sealed_data,
    e.callback_hash, e.pending_message, e.transaction_hash, e.problem, e.attempts,
    e.next_attempt_at, e.created_at, e.updated_at, e.version, e.provider
from (
    select org_id, id, row_number() over (
        partition by org_id order by direction desc, next_attempt_at
    ) as org_turn
    from (
        select org_id, id, direction, next_attempt_at, row_number() over (
            partition by org_id, host order by direction desc, next_attempt_at
        ) as host_turn
        from travel_rule_exchanges
        where org_id = any($1) and next_attempt_at <= $2
            and (org_id, host) not in (
                select f.org_id, f.host from unnest($3::uuid[], $4::text[]) as f (org_id, host)
            )
    ) as of_hosts
    where host_turn <= $5
) as turns
join travel_rule_exchanges e on e.org_id = turns.org_id and e.id = turns.id
where turns.org_turn <= $6
order by turns.org_turn, e.next_attempt_at, e.id limit $7
"""

# Updates no row if another worker or an answer has changed the time or the number of attempts.
_CLAIM = """
update travel_rule_exchanges set attempts = attempts + 1, next_attempt_at = $5
where org_id = $1 and id = $2 and attempts = $3 and next_attempt_at = $4
returning true
"""

# Updates no row if an answer in the meantime has replaced the pending message.
_DELIVERED = """
update travel_rule_exchanges
set pending_message = null, problem = null, attempts = 0, next_attempt_at = $4
where org_id = $1 and id = $2 and pending_message = $3
"""

_NOT_DELIVERED = """
update travel_rule_exchanges set problem = $4, next_attempt_at = $5
where org_id = $1 and id = $2 and pending_message = $3
"""

_POSTPONE = """
update travel_rule_exchanges set next_attempt_at = $4
where org_id = $1 and id = $2 and version = $3 and pending_message is null
"""

# Changes the time only while an answer is expected, not while a message is sent or after the end.
_NOTE_WEBHOOK = """
update travel_rule_exchanges set next_attempt_at = case
    when status = 'OPEN' and pending_message is null then least(next_attempt_at, $3)
    else next_attempt_at
end
where id = $1 and provider = $2 and direction = 'OUTGOING'
returning true
"""


async def due(
    tx: Tx,
    org_ids: Collection[UUID],
    now: datetime,
    *,
    except_hosts: Collection[tuple[UUID, str]],
    org_max: int,
    host_max: int,
    limit: int,
) -> Sequence[Exchange]:
    """Return due exchanges: one of each organisation in turn, the longest due first.

    Skips `except_hosts`, which are pairs of an organisation and a host. `org_max` and `host_max`
    limit the exchanges of each organisation, and of each host in it.
    """
    orgs, hosts = [each for each, _ in except_hosts], [each for _, each in except_hosts]
    rows = await tx.fetch(_DUE, list(org_ids), now, orgs, hosts, host_max, org_max, limit)
    return [read_exchange(row) for row in rows]


async def claim(tx: Tx, exchange: Exchange, until: datetime) -> bool:
    """Claim a due exchange until this time; False if another worker has claimed it."""
    return (
        await tx.fetchval(
            _CLAIM,
            exchange.org_id,
            exchange.id,
            exchange.attempts,
            exchange.next_attempt_at,
            until,
        )
        is not None
    )


async def set_delivered(tx: Tx, exchange: Exchange, next_at: datetime | None) -> None:
    """Mark the pending message as delivered, unless another message has replaced it."""
    await tx.execute(_DELIVERED, exchange.org_id, exchange.id, exchange.pending_message, next_at)


async def set_problem(tx: Tx, exchange: Exchange, problem: str, next_at: datetime) -> None:
    """Store why a message was not delivered, and when it is sent again."""
    await tx.execute(
        _NOT_DELIVERED,
        exchange.org_id,
        exchange.id,
        exchange.pending_message,
        problem,
        next_at,
    )


async def postpone(tx: Tx, exchange: Exchange, next_at: datetime) -> None:
    """Store when an exchange without a pending message is checked again, if it is unchanged."""
    await tx.execute(_POSTPONE, exchange.org_id, exchange.id, exchange.version, next_at)


async def note_webhook(tx: Tx, provider: str, exchange_id: UUID, at: datetime) -> bool:
    """Make an inquiry of ours due at this time; False unless it was sent by this provider."""
    return await tx.fetchval(_NOTE_WEBHOOK, exchange_id, provider, at) is not None
