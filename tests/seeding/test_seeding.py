"""A seeded organisation is one like any other: its books balance, and every route shows it."""

from collections import defaultdict
from datetime import timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

import httpx2
import msgspec
import pytest

from landbridge.approvals.digests import digest_of_record
from landbridge.approvals.service import Approvals
from landbridge.core.errors import Refused
from landbridge.ledger.audit import audit, table
from landbridge.orgs.model import Mode
from landbridge.seeding.service import Told, Wanted, seed
from landbridge.web.caller import Caller
from landbridge.wiring import AUDIT_RULES, MOVES, House, wire
from tests.settled import settled
from tests.tenants import SETTINGS, Tenant

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
async def seeded(house: House, client: httpx2.AsyncClient) -> Tenant:
    """Seeded once; the tests only look."""
    heard: defaultdict[str, int] = defaultdict(int)

    def told(name: str) -> Any:
        def hear(count: int) -> None:
            heard[name] += count

        return hear

    wanted = Wanted(name="Seeded", payments=PAYMENTS, people=PEOPLE, days=DAYS, random_seed=7)
    listeners = Told(
        people=told("people"),
        payments=told("payments"),
        reach=told("reach"),
        folded=told("folded"),
    )
    made = await seed(house, wanted, listeners)
    await settled(house.database)
    assert heard["people"] == PEOPLE
    assert heard["payments"] == made.records == PAYMENTS + 2 * PEOPLE
    assert 0 < heard["folded"] <= heard["reach"]
    (key,) = await house.orgs.keys(made.org_id)
    return Tenant(house, client, Caller(made.org_id, key.id, timedelta()), made.secret)


async def samples(org: Tenant) -> dict[tuple[str, str], tuple[UUID, int]]:
    """A record of each kind and status that there is, and how many there are."""
    rows = await org.house.database.rows(_SAMPLES, org.org_id)
    return {(row["kind"], row["status"]): (row["id"], row["count"]) for row in rows}


async def test_the_books_of_a_seeded_organisation_balance(seeded: Tenant) -> None:
    audited = await audit(seeded.house.database, MOVES, AUDIT_RULES, org_id=seeded.org_id)
    assert audited.is_clean, table(audited)


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
    seen: set[str] = set()
    query: dict[str, Any] = {"limit": 100}
    for _ in range(200):
        page = await seeded.get("/v2/events", **query)
        seen |= {each["eventType"] for each in page["records"]}
        if page["nextCursor"] == query.get("cursor"):
            break
        query["cursor"] = page["nextCursor"]
    assert {each.partition(".")[0] for each in seen} >= {"ONRAMP", "OFFRAMP"}


async def test_every_approval_is_bound_to_its_record(seeded: Tenant) -> None:
    house = seeded.house
    rows = await house.database.rows(
        "select transfer_id, digest from approvals where org_id = $1", seeded.org_id
    )
    assert rows
    for row in rows:
        record = await house.ledger.find(seeded.org_id, row["transfer_id"])
        assert record is not None
        assert digest_of_record(record) == row["digest"]
    approvals = Approvals(house.database, house.ledger, house.vault)
    found = await approvals.of(seeded.org_id, [row["transfer_id"] for row in rows])
    assert all(each.votes or each.status == "EXPIRED" for each in found.values())


async def test_commands_stay_with_the_organisation_that_was_there(seeded: Tenant) -> None:
    """They take the oldest, and a made-up one is never that for the past it has."""
    (org,) = [each for each in await seeded.house.orgs.all() if each.id == seeded.org_id]
    (key,) = await seeded.house.orgs.keys(seeded.org_id)
    now = seeded.house.clock.now()
    assert now - org.created_at < timedelta(hours=1)
    assert now - key.created_at < timedelta(hours=1)


async def test_facts_are_what_the_changes_of_a_record_tell(seeded: Tenant) -> None:
    rows = await seeded.house.database.rows(
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
    told: defaultdict[UUID, dict[str, Any]] = defaultdict(dict)
    for row in rows:
        facts[row["id"]] = msgspec.json.decode(row["facts"])
        told[row["id"]] |= msgspec.json.decode(row["told"] or "{}")
    assert facts
    assert [each for each in facts if facts[each] != told[each]] == []


async def test_a_quote_shows_the_rate_and_the_fee_that_it_was_made_with(seeded: Tenant) -> None:
    """What is sent, net, comes at the rate to what arrives, gross, but for rounding."""
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
            made = net * Decimal(quote["rate"])
            assert abs(made - into) < Decimal("0.02"), (kind, status, quote)
    assert quoted >= {"WALLET.SWAP", "ONRAMP", "OFFRAMP"}


async def test_nobody_was_ever_below_zero(seeded: Tenant) -> None:
    """Not only at the end: at each moment, as the entries say."""
    rows = await seeded.house.database.rows(
        """
        select count(*) as wrong
        from (
            select sum(available) over (
                partition by account_id order by at, transfer_id, seq, line
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
    rows = await seeded.house.database.rows(
        """
        select c.at
        from changes c
        join transfers t on t.org_id = c.org_id and t.id = c.object_id
        where c.org_id = $1 and c.rests
        group by c.at
        having count(*) > 1
        """,
        seeded.org_id,
    )
    assert rows == []


async def test_nothing_of_a_seeded_past_is_still_to_come(seeded: Tenant) -> None:
    rows = await seeded.house.database.rows(
        """
        select max(at) as last,
            (select count(*) from transfers where org_id = $1 and due_at is not null) as due
        from changes
        where org_id = $1
        """,
        seeded.org_id,
    )
    assert rows[0]["last"] < seeded.house.clock.now()
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


async def test_production_refuses_made_up_organisations(house: House) -> None:
    settings = msgspec.structs.replace(SETTINGS, mode=Mode.PRODUCTION)
    real = wire(settings, house.database, house.clock)
    wanted = Wanted(name="No", payments=1, people=5, days=1, random_seed=1)
    nobody = Told(people=_ignore, payments=_ignore, reach=_ignore, folded=_ignore)
    with pytest.raises(Refused):
        await seed(real, wanted, nobody)


def _ignore(count: int) -> None:
    del count
