"""The worker's step, concurrent runs, and who may read the chain's record."""

import ast
import asyncio
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from uuid import UUID

import pytest
from typing_extensions import override

from landbridge.platform.core.errors import Unavailable
from landbridge.platform.db.worker_shares import WHOLE, WorkPart
from landbridge.providers.chains.records import RecordedBlock
from landbridge.providers.chains.tokens import Chain
from landbridge.reporting.reconciliation.connected_chains import ConnectedChain
from tests.change_log import placed
from tests.reporting.reconciliation.compared import (
    OUTSIDE,
    address_of,
    compared,
    opened_user,
    plant,
    position,
    send_out,
)
from tests.reporting.reconciliation.test_planted import WrappedRecords
from tests.sources import PACKAGE, sources
from tests.tenants import METRICS_TOKEN, Tenant, fund, make_tenant


@dataclass(frozen=True, slots=True)
class _CountedSilence(WrappedRecords):
    """A chain that does not answer, and counts the calls."""

    calls: list[UUID] = field(default_factory=list[UUID])

    @override
    async def final_block(self, org_id: UUID, chain: str, at: datetime) -> RecordedBlock:
        del chain, at
        self.calls.append(org_id)
        raise Unavailable("no answer")


_TABLES = ("sandbox_movements", "sandbox_blocks", "sandbox_balances")
# The simulated chains, and the seeding, which makes up ledger and chains alike.
_MAY_NAME = ("providers/simulation/", "sandbox/seeding/store.py", "platform/db/migrations/")

_ADD_MANY = """
insert into sandbox_movements
    (org_id, chain, transaction_hash, log_index, asset, units, source, destination, settles_at)
select $1, 'POLYGON', '0x' || encode(sha256(n::text::bytea), 'hex'), 0, 'usdc:POLYGON', n, $2, $3,
    '2020-01-01T00:00:00Z'
from generate_series(1, 10000) as n
"""
# As if the ledger had credited them by now.
_BOOK_ALL = "update recon_matches set ledger_units = outside_units where org_id = $1"


async def test_an_organisation_is_compared_every_quarter_of_an_hour(org: Tenant) -> None:
    assert await _due(org)
    assert not await _due(org)
    await _pass(org, 14 * 60)
    assert not await _due(org)
    await _pass(org, 61)
    assert await _due(org)


async def test_an_organisation_without_addresses_is_compared_once_a_day(org: Tenant) -> None:
    noon, day = _noon(org), timedelta(days=1)
    # The first run of all, and the first of the day after it.
    assert await _compares(org, noon)
    assert await _compares(org, noon + day)
    ahead, before = noon + day + timedelta(minutes=16), await _runs(org.org_id, org)
    assert not await _compares(org, ahead)
    # It counts as compared: nothing can have moved.
    assert await _runs(org.org_id, org) != before
    assert not (await org.container.reconciliation.status(org.org_id)).differences
    assert await _compares(org, noon + 2 * day)
    assert not await _compares(org, noon + 2 * day + timedelta(minutes=16))
    # Its log has grown.
    await org.container.orgs.freeze(org.org_id)
    await placed(org.container.database)
    assert await _compares(org, noon + 2 * day + timedelta(minutes=32))
    assert not await _compares(org, noon + 2 * day + timedelta(minutes=48))


async def test_an_organisation_with_addresses_is_always_compared(org: Tenant) -> None:
    await opened_user(org)
    for minutes in (0, 16, 32):
        assert await _compares(org, timedelta(days=1, minutes=minutes))


async def test_a_worker_compares_the_organisations_of_its_part(org: Tenant) -> None:
    noon, last = _noon(org), org.org_id.bytes[-1]
    ahead = noon + timedelta(minutes=16)
    assert await _compares(org, noon)
    assert not await _compares(org, ahead, part=WorkPart((last + 1) % 2, 2))
    before = await _runs(org.org_id, org)
    assert not await _compares(org, ahead, part=WorkPart(last % 2, 2))
    assert await _runs(org.org_id, org) != before


async def test_a_difference_is_compared_again_once_timing_no_longer_explains_it(
    org: Tenant,
) -> None:
    user = await opened_user(org)
    await plant(org, 3, source=await address_of(org, user), destination=OUTSIDE)
    assert (await compared(org)).open_count == 0
    # The clock goes on by itself, too: a second of the minute would be too little.
    await _pass(org, 40)
    assert not await _due(org)
    await _pass(org, 21)
    assert await _due(org)
    assert (await org.container.reconciliation.status(org.org_id)).open_count == 1


async def test_metrics_count_open_differences(org: Tenant) -> None:
    user = await opened_user(org)
    await compared(org)
    await org.container.database.rows(
        "update sandbox_balances set units = units + 3 where org_id = $1 and address = $2",
        *(org.org_id, await address_of(org, user)),
    )
    await _pass(org, 15 * 60)
    assert await _due(org)
    answer = await org.client.get("/metrics", headers={"Authorization": f"Bearer {METRICS_TOKEN}"})
    lines = answer.text.splitlines()
    assert 'landbridge_reconciliation_open_units{asset="usdc:POLYGON"} 3.0' in lines
    assert 'landbridge_reconciliation_oldest_difference_seconds{source="POLYGON"} 0.0' in lines
    assert 'landbridge_reconciliation_open_differences{asset="usdc:POLYGON"} 1.0' in lines
    assert 'landbridge_reconciliation_seconds_since_good_run{source="POLYGON"} 0.0' in lines


async def test_concurrent_runs_count_everything_once(org: Tenant) -> None:
    user = await opened_user(org)
    for _ in range(3):
        await send_out(org, user, 5)
        await fund(org, user, "2")
        await placed(org.container.database)
        run = org.container.reconciliation.run
        await asyncio.gather(*(run(org.org_id, timedelta()) for _ in range(4)))
    status = await compared(org)
    assert not status.differences
    assert position(status, "usdc:POLYGON").ledger_units == 91 * 10**6
    (matches,) = await org.container.database.rows(
        "select count(*) as count, sum(ledger_units) as ledger, sum(outside_units) as outside"
        " from recon_matches where org_id = $1",
        org.org_id,
    )
    assert tuple(int(each) for each in matches) == (7, 91 * 10**6, 91 * 10**6)  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType, reportGeneralTypeIssues]


@pytest.mark.long
async def test_ten_thousand_differences_are_found_in_one_run_and_end_in_another(
    org: Tenant,
) -> None:
    """Without statistics on the new rows, as after an outage."""
    user = await opened_user(org)
    await compared(org)
    database = org.container.database
    await database.rows(_ADD_MANY, org.org_id, OUTSIDE, await address_of(org, user))
    await compared(org)
    assert await _statuses(org) == {"TIMING": 10_000}
    await compared(org)
    assert await _statuses(org) == {"TIMING": 10_000}
    await database.rows(_BOOK_ALL, org.org_id)
    await compared(org)
    assert await _statuses(org) == {"RESOLVED": 10_000}


async def test_every_wallet_chain_of_a_sandbox_is_compared(org: Tenant) -> None:
    status = await compared(org)
    assert {each.source for each in status.sources} == set(Chain)


async def test_a_silent_chain_delays_few_of_many_organisations(org: Tenant) -> None:
    others = [await make_tenant(org.container, org.client) for _ in range(4)]
    tenants = [org, *others]
    for each in tenants:
        await opened_user(each)
        await compared(each)
    connected = org.container.reconciliation
    polygon = connected.chains[Chain.POLYGON]
    records = _CountedSilence(polygon.records)
    chains = {**connected.chains, Chain.POLYGON: ConnectedChain(records, polygon.patience)}
    ahead = timedelta(minutes=16)
    await replace(connected, chains=chains).run_due({each.org_id: ahead for each in tenants})
    assert len(records.calls) == 3
    for each in tenants:
        found = (await connected.status(each.org_id)).sources
        failed = {source.source for source in found if source.failure is not None}
        assert failed == {Chain.POLYGON}
    # The next run asks again.
    await connected.run_due({each.org_id: ahead + timedelta(minutes=2) for each in tenants})
    for each in tenants:
        assert all(not source.failure for source in (await connected.status(each.org_id)).sources)


def test_only_the_simulation_names_the_tables_of_its_chains() -> None:
    naming = {
        str(source.path.relative_to(PACKAGE))
        for source in sources("src")
        if any(table in source.text for table in _TABLES)
        for node in source.nodes
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and any(table in node.value for table in _TABLES)
    }
    assert naming
    assert not [each for each in naming if not each.startswith(_MAY_NAME)]


async def _statuses(org: Tenant) -> dict[str, int]:
    """Return the number of unmatched movements by status."""
    rows = await org.container.database.rows(
        "select status, count(*) as count from recon_differences"
        " where org_id = $1 and kind = 'UNKNOWN_OUTSIDE' group by status",
        org.org_id,
    )
    return {row["status"]: row["count"] for row in rows}


async def test_a_chain_that_is_connected_no_more_makes_no_organisation_due(org: Tenant) -> None:
    reconciliation = org.container.reconciliation
    assert await _due(org)
    await _pass(org, 16 * 60)
    only = replace(reconciliation, chains={Chain.POLYGON: reconciliation.chains[Chain.POLYGON]})
    await placed(org.container.database)
    offset = await org.container.orgs.clock_offset(org.org_id)
    for _ in range(2):
        await only.run_due({org.org_id: offset})
    (row,) = await org.container.database.rows(
        "select count(*) as count from recon_runs where org_id = $1 and source = 'POLYGON'",
        org.org_id,
    )
    assert row["count"] == 2


async def _due(org: Tenant) -> bool:
    """Run the worker's step; return whether it has compared the organisation."""
    before = await _runs(org.org_id, org)
    await placed(org.container.database)
    offset = await org.container.orgs.clock_offset(org.org_id)
    assert not await org.container.reconciliation.run_due({org.org_id: offset})
    return await _runs(org.org_id, org) != before


def _noon(org: Tenant) -> timedelta:
    """Return the way to tomorrow's noon: the minutes after it cross no midnight."""
    now = org.container.clock.now()
    return now.replace(hour=12, minute=0) + timedelta(days=1) - now


async def _compares(org: Tenant, offset: timedelta, part: WorkPart = WHOLE) -> bool:
    """Run the worker's step at another time; return whether it has read the chains."""
    count = "select count(*) as count from recon_runs where org_id = $1"
    before = (await org.container.database.rows(count, org.org_id))[0]["count"]
    await placed(org.container.database)
    await org.container.reconciliation.run_due({org.org_id: offset}, part=part)
    return (await org.container.database.rows(count, org.org_id))[0]["count"] != before


async def _runs(org_id: UUID, org: Tenant) -> object:
    status = await org.container.reconciliation.status(org_id)
    return [each.last_run_at for each in status.sources]


async def _pass(org: Tenant, seconds: int) -> None:
    await org.post("/v2/sandbox/clock/advance", {"seconds": seconds})
