"""The same seed makes the same payments, in the same hour of the same weekday."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.ids import new_id
from landbridge.sandbox.seeding.calendar import micros
from landbridge.sandbox.seeding.history import SeedContext, SeedHistory
from landbridge.sandbox.seeding.people import SeededPeople, SeededPerson
from landbridge.sandbox.seeding.ramp_scenarios import onramp
from landbridge.sandbox.seeding.random_source import Random
from landbridge.sandbox.seeding.row_templates import row_template
from landbridge.sandbox.seeding.transfer_scenarios import ScenarioEnd

CHAINS = {"POLYGON": ("usdc", "usdt"), "ETHEREUM": ("usdc", "usdt", "usdg")}
MONDAY, DAYS, PEOPLE, PAYMENTS = datetime(2026, 3, 2, 9, 5, tzinfo=UTC), 40, 8, 600


def crowd(since: datetime) -> SeededPeople:
    people: list[SeededPerson] = []
    ids: list[str] = []
    for place in range(PEOPLE):
        accounts: dict[str, int] = {}
        for chain, currencies in CHAINS.items():
            for currency in currencies:
                accounts[f"{currency}:{chain}"] = len(ids)
                ids.append(str(new_id()))
        wallets = {chain: (str(new_id()), f"0x{place:040x}") for chain in CHAINS}
        at = micros(since + timedelta(days=place))
        people.append(SeededPerson(str(new_id()), at, str(new_id()), wallets, accounts))
    return SeededPeople(people, ids)


def made(begin: datetime, number: int) -> list[tuple[str, ...]]:
    """Return kind, status, amounts and relative time of each payment."""
    place = SeedContext(
        org_id=str(new_id()),
        key_id=str(new_id()),
        houses=dict.fromkeys(CHAINS, "0x0"),
        account_number="1",
        begin_us=micros(begin),
        end_us=micros(begin + timedelta(days=DAYS)),
    )
    past = SeedHistory(place, crowd(begin), Random(number), new_id())
    records: list[tuple[str, ...]] = []
    for batch in past.batches(PAYMENTS, 200):
        for row in batch.rows["transfers"]:
            cells = row.split("\t")
            at = datetime.fromisoformat(cells[15]).replace(tzinfo=UTC) - begin
            records.append((cells[2], cells[6], *cells[8:12], str(at)))
    return records


def test_the_same_number_makes_the_same_payments_a_week_and_some_minutes_later() -> None:
    first = made(MONDAY, 3)
    assert len(first) == PAYMENTS + 2 * PEOPLE
    assert made(MONDAY + timedelta(days=14, minutes=50), 3) == first


def test_another_number_makes_others() -> None:
    assert made(MONDAY, 3) != made(MONDAY, 4)


def test_facts_without_a_recorded_change_are_rejected() -> None:
    play = onramp("usdc:POLYGON", ScenarioEnd.EXPIRED, "")
    play.record = replace(play.record, facts={**play.record.facts, "rate": "0.5"})
    with pytest.raises(InvariantBroken, match="none of its changes"):
        row_template(play)
