"""A seeded organisation is an ordinary one: its ledger balances, and every route shows it."""

from collections import defaultdict
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import httpx2
import msgspec
import pytest

from landbridge.app.container import AUDIT_RULES, TRANSITIONS, Container, wire
from landbridge.ledger.audit import audit, table
from landbridge.payments.approvals.digests import digest_of_record
from landbridge.payments.approvals.service import Approvals
from landbridge.platform.core.errors import Refused
from landbridge.platform.orgs.model import Mode
from landbridge.sandbox.seeding.service import SeedProgress, SeedRequest, seed
from tests.change_log import placed
from tests.reporting.reconciliation.compared import compared, open_from_the_start, position
from tests.tenants import SETTINGS, Tenant, full_caller

PAYMENTS, PEOPLE, DAYS = 2000, 30, 200
ROUTES = {
    "WALLET.SWAP": ("/v2/wallets/swaps", "data"),
    "WALLET.TRANSFER": ("/v2/wallets/transfers", "records"),
    "WALLET.TRANSFER.BATCH": ("/v2/wallets/transfers/batches", "records"),
    "WALLET.BRIDGE": ("/v2/wallets/bridges", "data"),
    "ONRAMP": ("/v2/onramps", "records"),
    "OFFRAMP": ("/v2/offramps", "records"),
}

_SAMPLES = """
select kind, status, min(id::text)::uuid as id, count(*) as count
from transfers
where org_id = $1
group by kind, status
"""


@pytest.fixture(scope="module")
async def seeded(container: Container, client: httpx2.AsyncClient) -> Tenant:
    """Seeded organisation, shared by read-only tests."""
    heard: defaultdict[str, int] = defaultdict(int)

    def listener_of(name: str) -> Any:
        def hear(count: int) -> None:
            heard[name] += count

        return hear

    request = SeedRequest(name="Seeded", payments=PAYMENTS, people=PEOPLE, days=DAYS, random_seed=7)
    listeners = SeedProgress(
        people=listener_of("people"),
        payments=listener_of("payments"),
        reach=listener_of("reach"),
        folded=listener_of("folded"),
    )
    created = await seed(container, request, listeners)
    await placed(container.database)
    assert heard["people"] == PEOPLE
    assert heard["payments"] == created.records == PAYMENTS + 2 * PEOPLE
    assert 0 < heard["folded"] <= heard["reach"]
    (key,) = await container.orgs.keys(created.org_id)
    return Tenant(container, client, full_caller(created.org_id, key.id), created.secret)


async def samples(org: Tenant) -> dict[tuple[str, str], tuple[UUID, int]]:
    """Return a record of each existing kind and status, and their number."""
    rows = await org.container.database.rows(_SAMPLES, org.org_id)
    return {(row["kind"], row["status"]): (row["id"], row["count"]) for row in rows}


async def test_the_ledger_of_a_seeded_organisation_balances(seeded: Tenant) -> None:
    audited = await audit(seeded.container.database, TRANSITIONS, AUDIT_RULES, org_id=seeded.org_id)
    assert audited.is_clean, table(audited)


async def test_the_simulated_chains_agree_with_the_ledger(seeded: Tenant) -> None:
    await open_from_the_start(seeded)
    status = await compared(seeded)
    assert not status.differences
    assert position(status, "usdc:POLYGON").outside_units > 0
    (matches,) = await seeded.container.database.rows(
        "select count(*) as count from recon_matches where org_id = $1", seeded.org_id
    )
    # One by one: all deposits, bridges and external transfers.
    assert matches["count"] > 2 * PEOPLE + 100


async def test_all_kinds_are_there_and_most_payments_are_completed(seeded: Tenant) -> None:
    found = await samples(seeded)
    counts: defaultdict[str, int] = defaultdict(int)
    for (kind, _), (_, count) in found.items():
        counts[kind] += count
    assert counts.pop("WALLET.DEPOSIT") == 2 * PEOPLE
    assert set(counts) == set(ROUTES)
    assert sum(counts.values()) == PAYMENTS
    done = sum(found[kind, "COMPLETED"][1] for kind in ROUTES)
    assert 0.85 < done / PAYMENTS < 0.95


async def test_every_sort_of_record_is_retrieved_with_its_timeline(seeded: Tenant) -> None:
    for (kind, status), (record_id, _) in (await samples(seeded)).items():
        if kind in ROUTES:
            path, _ = ROUTES[kind]
            reply = await seeded.get(f"{path}/{record_id}", expand="timeline")
            assert reply["transferDetails"]["status"] == status, (kind, status)
            assert reply["timeline"], (kind, status)


@pytest.mark.parametrize("kind", sorted(ROUTES))
async def test_lists_show_seeded_records_newest_first(seeded: Tenant, kind: str) -> None:
    path, member = ROUTES[kind]
    first = await seeded.get(path, limit=10)
    second = await seeded.get(path, limit=10, createdBefore=first["nextCursor"])
    times = [
        each["transferDetails"]["createdAt"] for page in (first, second) for each in page[member]
    ]
    assert len(times) > 10
    assert times == sorted(times, reverse=True)
    assert len(set(times)) == len(times)


async def test_events_of_seeded_records_are_read_to_the_end(seeded: Tenant) -> None:
    types: set[str] = set()
    query: dict[str, Any] = {"limit": 100}
    for _ in range(200):
        page = await seeded.get("/v2/events", **query)
        types |= {each["eventType"] for each in page["records"]}
        if page["nextCursor"] == query.get("cursor"):
            break
        query["cursor"] = page["nextCursor"]
    assert {each.partition(".")[0] for each in types} >= {"ONRAMP", "OFFRAMP"}


async def test_every_approval_is_bound_to_its_record(seeded: Tenant) -> None:
    container = seeded.container
    rows = await container.database.rows(
        "select transfer_id, digest from approvals where org_id = $1", seeded.org_id
    )
    assert rows
    for row in rows:
        record = await container.ledger.find(seeded.org_id, row["transfer_id"])
        assert record is not None
        assert digest_of_record(record) == row["digest"]
    approvals = Approvals(container.database, container.ledger, container.vault, container.clock)
    found = await approvals.of(seeded.org_id, [row["transfer_id"] for row in rows])
    assert all(each.votes or each.status == "EXPIRED" for each in found.values())


async def test_commands_stay_with_the_organisation_that_was_there(seeded: Tenant) -> None:
    """They choose the oldest, and a seeded one never counts as older, despite its past."""
    (org,) = [each for each in await seeded.container.orgs.all() if each.id == seeded.org_id]
    (key,) = await seeded.container.orgs.keys(seeded.org_id)
    now = seeded.container.clock.now()
    assert now - org.created_at < timedelta(hours=1)
    assert now - key.created_at < timedelta(hours=1)


async def test_facts_equal_the_changes_of_a_record(seeded: Tenant) -> None:
    rows = await seeded.container.database.rows(
        """
        select t.id, t.facts, c.facts as told
        from transfers t
        join changes c on c.org_id = t.org_id and c.object_id = t.id and c.kind = t.kind
        where t.org_id = $1
        order by t.id, c.seq
        """,
        seeded.org_id,
    )
    facts: dict[UUID, dict[str, Any]] = {}
    changed_facts: defaultdict[UUID, dict[str, Any]] = defaultdict(dict)
    for row in rows:
        facts[row["id"]] = msgspec.json.decode(row["facts"])
        changed_facts[row["id"]] |= msgspec.json.decode(row["told"] or "{}")
    assert facts
    assert [each for each in facts if facts[each] != changed_facts[each]] == []


async def test_a_quote_shows_the_rate_and_the_fee_that_it_was_made_with(seeded: Tenant) -> None:
    """The net source converts at the rate to the gross destination, up to rounding."""
    quoted: set[str] = set()
    for (kind, status), (record_id, _) in (await samples(seeded)).items():
        if kind not in ROUTES:
            continue
        path, _ = ROUTES[kind]
        details = (await seeded.get(f"{path}/{record_id}"))["transferDetails"]
        quote = details.get("quoteInformation")
        if quote is not None and "rate" in quote:
            quoted.add(kind)
            net, into = (Decimal(quote[each]["amount"]) for each in ("sendNet", "receiveGross"))
            created = net * Decimal(quote["rate"])
            assert abs(created - into) < Decimal("0.02"), (kind, status, quote)
    assert quoted >= {"WALLET.SWAP", "ONRAMP", "OFFRAMP"}


async def test_no_balance_was_ever_negative(seeded: Tenant) -> None:
    """Not only at the end, but after each entry."""
    rows = await seeded.container.database.rows(
        """
        select count(*) as wrong
        from (
            select sum(available) over (
                partition by account_id order by occurred_at, transfer_id, seq, line
            ) as available
            from entries
            where org_id = $1 and account_id is not null
        ) as balances
        where available < 0
        """,
        seeded.org_id,
    )
    assert rows[0]["wrong"] == 0


async def test_no_two_records_rest_at_one_moment(seeded: Tenant) -> None:
    rows = await seeded.container.database.rows(
        """
        select c.occurred_at
        from changes c
        join transfers t on t.org_id = c.org_id and t.id = c.object_id
        where c.org_id = $1 and c.is_settled
        group by c.occurred_at
        having count(*) > 1
        """,
        seeded.org_id,
    )
    assert rows == []


async def test_nothing_of_a_seeded_past_is_still_to_come(seeded: Tenant) -> None:
    rows = await seeded.container.database.rows(
        """
        select max(occurred_at) as last,
            (select count(*) from transfers where org_id = $1 and due_at is not null) as due
        from changes
        where org_id = $1
        """,
        seeded.org_id,
    )
    assert rows[0]["last"] < seeded.container.clock.now()
    assert rows[0]["due"] == 0


async def test_a_seeded_user_has_wallets_a_bank_account_and_balances(seeded: Tenant) -> None:
    users = await seeded.get("/v2/users", limit=1)
    user = users["users"][0]["id"]
    accounts = await seeded.get(f"/v2/users/{user}/accounts")
    assert accounts["count"] == 1
    balance = await seeded.get(
        f"/v2/users/{user}/wallets/balance", chain="POLYGON", currency="usdc"
    )
    assert "displayBalance" in balance


async def test_production_refuses_made_up_organisations(container: Container) -> None:
    settings = msgspec.structs.replace(SETTINGS, mode=Mode.PRODUCTION)
    real = wire(settings, container.database, container.clock)
    request = SeedRequest(name="No", payments=1, people=5, days=1, random_seed=1)
    progress = SeedProgress(people=_ignore, payments=_ignore, reach=_ignore, folded=_ignore)
    with pytest.raises(Refused):
        await seed(real, request, progress)


def _ignore(count: int) -> None:
    del count
