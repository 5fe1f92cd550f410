"""Lookups of the offramp that a treasury deposit is for."""

from uuid import UUID

from landbridge.customers.chain_deposits.model import TreasuryDeposit
from landbridge.platform.db.pool import Tx

# Each return costs gas, and on Solana the rent of an account that its owner may close to get it: a
# sender who sends the same coin again and again would drain the relayers.
DEPOSITS_EACH = 10

# The oldest one that awaits this asset, best one of exactly this amount; otherwise the latest one,
# which returns the coins. One that other coins were assigned to already awaits none.
# None if several users have offramps from this sender: anybody can register the address of another,
# and would be paid, or get a refund, for coins that are not theirs. Also none if all of them have
# had as many deposits as one may have.
_FIND = """
select c.id
from (
    select t.id, t.user_id, t.created_at, case
        when (t.status = 'AWAITING_FUNDS'
                or t.status = 'IN_REVIEW' and t.facts ->> 'reviewed_from' = 'AWAITING_FUNDS')
            and t.source_asset = $4
            and not exists (
                select from treasury_deposits d
                where d.org_id = $1 and d.transfer_id = t.id and d.status = 'FINAL'
            )
        then case when t.source_units = $5 then 0 else 1 end
        else 2
    end as rank
    from transfers t
    where t.org_id = $1 and t.kind = 'OFFRAMP' and t.details ->> 'external_wallet_id' is not null
        and t.details ->> 'destination_address' = $2 and t.details ->> 'source_address' = $3
        and not exists (
            select from treasury_deposits d
            where d.org_id = $1 and d.transfer_id = t.id and d.asset = $4
                and d.transaction_hash = $6
        )
) c
where not exists (
    select from transfers o
    where o.org_id = $1 and o.kind = 'OFFRAMP' and o.details ->> 'external_wallet_id' is not null
        and o.details ->> 'destination_address' = $2 and o.details ->> 'source_address' = $3
        and o.user_id <> c.user_id
) and (
    c.rank < 2
    or (
        select count(*) from treasury_deposits d where d.org_id = $1 and d.transfer_id = c.id
    ) < $7
)
order by c.rank, case when c.rank < 2 then c.created_at end, c.created_at desc
limit 1
"""


async def find(tx: Tx, deposit: TreasuryDeposit) -> UUID | None:
    """Return the offramp that a deposit is for.

    None if its sender has none, if offramps of several users are from this sender, or if those of
    the sender have returned coins too often.
    """
    return await tx.fetchval(
        _FIND,
        deposit.org_id,
        deposit.destination_address,
        deposit.source_address,
        deposit.asset,
        deposit.units,
        deposit.transaction_hash,
        DEPOSITS_EACH,
    )
