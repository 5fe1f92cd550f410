"""The same number makes the same payments, in the same hour of the same weekday."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from landbridge.core.errors import Broken
from landbridge.core.ids import new_id
from landbridge.seeding.calendar import micros
from landbridge.seeding.chance import Random
from landbridge.seeding.past import Past, Place
from landbridge.seeding.people import Crowd, Person
from landbridge.seeding.plays import End
from landbridge.seeding.ramp_plays import onramp
from landbridge.seeding.stencils import stencil

CHAINS = {"POLYGON": ("usdc", "usdt"), "ETHEREUM": ("usdc", "usdt", "usdg")}
MONDAY, DAYS, PEOPLE, PAYMENTS = datetime(2026, 3, 2, 9, 5, tzinfo=UTC), 40, 8, 600


def crowd(since: datetime) -> Crowd:
    people: list[Person] = []
    ids: list[str] = []
    for place in range(PEOPLE):
        accounts: dict[str, int] = {}
        for chain, currencies in CHAINS.items():
            for currency in currencies:
                accounts[f"{currency}:{chain}"] = len(ids)
                ids.append(str(new_id()))
        wallets = {chain: (str(new_id()), f"0x{place:040x}") for chain in CHAINS}
        at = micros(since + timedelta(days=place))
        people.append(Person(str(new_id()), at, str(new_id()), wallets, accounts))
    return Crowd(people, ids)


def made(begin: datetime, number: int) -> list[tuple[str, ...]]:
    """Of each payment its kind, status and amounts, and when it was asked for, from the begin."""
    place = Place(
        org_id=str(new_id()),
        key_id=str(new_id()),
        houses=dict.fromkeys(CHAINS, "0x0"),
        account_number="1",
        begin_us=micros(begin),
        end_us=micros(begin + timedelta(days=DAYS)),
    )
    past = Past(place, crowd(begin), Random(number), new_id())
    told: list[tuple[str, ...]] = []
    for batch in past.batches(PAYMENTS, 200):
        for row in batch.rows["transfers"]:
            cells = row.split("\t")
            at = datetime.fromisoformat(cells[15]).replace(tzinfo=UTC) - begin
            told.append((cells[2], cells[6], *cells[8:12], str(at)))
    return told


def test_the_same_number_makes_the_same_payments_a_week_and_some_minutes_later() -> None:
    first = made(MONDAY, 3)
    assert len(first) == PAYMENTS + 2 * PEOPLE
    assert made(MONDAY + timedelta(days=14, minutes=50), 3) == first


def test_another_number_makes_others() -> None:
    assert made(MONDAY, 3) != made(MONDAY, 4)


def test_facts_that_no_change_tells_are_refused() -> None:
    play = onramp("usdc:POLYGON", End.EXPIRED, "")
    play.record = replace(play.record, facts={**play.record.facts, "rate": "0.5"})
    with pytest.raises(Broken, match="no change"):
        stencil(play)
