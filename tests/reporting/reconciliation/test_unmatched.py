"""Very many movements that the ledger lacks: no transaction stores them all."""

from landbridge.reporting.reconciliation.unmatched import PAGE_MATCHES
from tests.reporting.reconciliation.compared import compared
from tests.tenants import Tenant

# As if a stranger had paid the organisation's own address in so many transactions.
_PLANT_MATCHES = """
insert into recon_matches
    (org_id, source, reference, asset, ledger_units, outside_units, first_seen_at)
select $1, 'POLYGON', '0x' || md5(n::text), 'usdc:POLYGON', 0, 1, now() - interval '3 hours'
from generate_series(1, $2) as s (n)
"""
_COUNT = """
select count(*) as found, count(distinct xmin::text) as transactions
from recon_differences where org_id = $1 and reference <> '' and status = 'OPEN'
"""


async def test_very_many_differences_are_stored_in_several_transactions(org: Tenant) -> None:
    await compared(org)
    database = org.container.database
    await database.rows(_PLANT_MATCHES, org.org_id, PAGE_MATCHES + 1)
    await compared(org)
    (row,) = await database.rows(_COUNT, org.org_id)
    assert (row["found"], row["transactions"]) == (PAGE_MATCHES + 1, 2)
