"""Rates over HTTP, in a house of few requests a second, whose time a test moves."""

from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import httpx2
import msgspec
import pytest

from landbridge.core.clock import Clock
from landbridge.db.pool import Database
from landbridge.orgs.service import take_lane
from landbridge.request_rates.service import RequestRates, TooManyRequests
from landbridge.web.bounds import HITS, Bound
from landbridge.wiring import House, wire
from tests.tenants import SETTINGS, Tenant, good, make_tenant, refusal, served

PING = "/v2/ping"
AT_ONCE = 10


@dataclass
class Time:
    """Seconds that pass when a test says so."""

    now_s: float = 1000.0

    def __call__(self) -> float:
        return self.now_s


@dataclass(frozen=True)
class Place:
    """A house with a client and its time; `rates` makes what another process would have."""

    house: House
    client: httpx2.AsyncClient
    time: Time
    rates: Callable[..., RequestRates]

    async def tenant(self) -> Tenant:
        return await make_tenant(self.house, self.client)


@pytest.fixture
async def place(database: Database) -> AsyncIterator[Place]:
    time = Time()
    clock = Clock(await take_lane(database))

    def rates(*, per_key: int = 1, per_org: int = 2, per_address: int = 1) -> RequestRates:
        return RequestRates(
            database,
            clock,
            per_key=per_key,
            per_org=per_org,
            per_address=per_address,
            proxies=["10.0.0.0/8"],
            now_s=time,
        )

    house = replace(wire(SETTINGS, database, clock), request_rates=rates())
    async with served(house) as client:
        yield Place(house, client, time, rates)


def hits(bound: Bound) -> float:
    sample: Any = HITS.labels(bound.value)
    return sample._value.get()


async def test_every_answer_to_a_key_says_what_is_left(place: Place) -> None:
    org = await place.tenant()
    for left in (9, 8):
        answer = await org.send("GET", PING)
        good(answer)
        assert answer.headers["ratelimit-policy"] == '"key";q=10;w=10, "org";q=20;w=10'
        assert answer.headers["ratelimit"] == (
            f'"key";r={left};t={10 - left}, "org";r={left + 10};t=1'
        )
    # A refusal of another kind counts as well.
    assert (await org.send("GET", "/v2/users/none")).headers["ratelimit"].startswith('"key";r=7')


async def test_one_request_too_many_is_refused_and_not_carried_out(place: Place) -> None:
    org, other = await place.tenant(), await place.tenant()
    before = hits(Bound.KEY_RATE)
    for _ in range(AT_ONCE):
        good(await org.send("GET", PING))
    body = {"url": "https://example.com/hooks", "eventTypes": ["*"]}
    for _ in range(3):
        answer = await org.send("POST", "/v2/webhooks", body)
        assert refusal(answer) == "429 TOO_MANY_REQUESTS"
        assert answer.json()["code"] == 200002
        assert answer.headers["retry-after"] == "1"
        assert answer.headers["ratelimit"] == '"key";r=0;t=10'
    assert hits(Bound.KEY_RATE) == before + 3
    good(await other.send("GET", PING))
    place.time.now_s += 1
    assert good(await org.send("GET", "/v2/webhooks"))["webhooks"] == []
    assert refusal(await org.send("GET", PING)) == "429 TOO_MANY_REQUESTS"


async def test_reporting_says_so_in_its_own_envelope(place: Place) -> None:
    org = await place.tenant()
    for _ in range(AT_ONCE):
        await org.send("GET", PING)
    answer = await org.send("GET", "/v2/reporting/time-zone")
    assert answer.status_code == 429
    assert answer.json()["error"]["code"] == "TOO_MANY_REQUESTS"
    assert answer.headers["retry-after"] == "1"


async def test_the_keys_of_an_organisation_share_its_rate(place: Place) -> None:
    org = await place.tenant()
    tenants = [org]
    for name in ("second", "third"):
        _, secret = await place.house.orgs.create_key(org.org_id, name, expires_at=None)
        tenants.append(replace(org, key=secret))
    answers = [await each.send("GET", PING) for each in tenants for _ in range(AT_ONCE)]
    assert [each.status_code for each in answers] == [200] * 20 + [429] * 10
    assert "this organisation" in answers[-1].json()["errorDetails"]
    # What the organisation refuses, the third key has taken.
    assert answers[-1].headers["ratelimit"] == '"key";r=0;t=10, "org";r=0;t=10'


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer nobody's"}])
async def test_whoever_has_no_valid_key_counts_by_address(
    place: Place, headers: dict[str, str]
) -> None:
    org = await place.tenant()
    paths = [PING, "/openapi.json", "/dashboard/sign-in"]
    answers = [await place.client.get(paths[at % 3], headers=headers) for at in range(AT_ONCE)]
    assert {each.status_code for each in answers} == {200, 401}
    for path in (*paths, f"/kyc/{org.org_id}", f"/tos/{org.org_id}"):
        answer = await place.client.get(path, headers=headers)
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
    # Whoever has a valid key, or asks whether the server is well, is let through.
    good(await org.send("GET", PING))
    assert (await place.client.get("/healthz")).status_code == 200


def test_addresses_are_told_apart_and_proxies_are_not_counted(place: Place) -> None:
    rates = place.rates(per_address=1)

    def ask(host: str) -> Any:
        rates.take_of_address({"client": (host, 1), "path": PING})

    for _ in range(50):
        ask("10.1.2.3")
    for host in ("192.0.2.1", "192.0.2.2", "2001:db8::1"):
        for _ in range(AT_ONCE):
            ask(host)
    for host in ("192.0.2.1", "2001:db8::ffff"):
        with pytest.raises(TooManyRequests, match="from this address"):
            ask(host)
    ask("2001:db8:0:1::1")


async def test_zero_is_no_bound(place: Place) -> None:
    org = await place.tenant()
    rates = place.rates(per_key=0, per_org=0, per_address=0)
    scope: dict[str, Any] = {"client": ("192.0.2.1", 1), "path": PING}
    for _ in range(100):
        rates.take_of_caller(scope, org.caller)
        rates.take_of_address(scope)
    assert "landbridge.headers" not in scope
    await rates.share()


async def test_processes_tell_each_other_what_was_taken(place: Place) -> None:
    org = await place.tenant()
    first, second = place.rates(per_org=0), place.rates(per_org=0)

    def take(rates: RequestRates, times: int) -> int:
        """How many of so many are let through."""
        done = 0
        for _ in range(times):
            with suppress(TooManyRequests):
                rates.take_of_caller({}, org.caller)
                done += 1
        return done

    # Of little nobody is told, and it is told with what follows.
    assert take(first, 2) == 2
    await first.share()
    assert await rows(place, org) == 0
    assert take(first, 4) == 4
    await first.share()
    assert await rows(place, org) == 1
    assert take(second, 3) == 3
    await second.share()
    # Nine of ten are gone; what was taken meanwhile is not forgotten.
    assert take(second, 5) == 1
    await second.share()
    await first.share()
    assert take(first, 10) == 4
    await first.share()
    assert take(first, 1) == take(second, 1) == 0
    place.time.now_s += 3
    assert take(first, 10) == 3


async def rows(place: Place, org: Tenant) -> int:
    found = await place.house.database.rows(
        "select count(*) as count from request_rates where org_id = $1", org.org_id
    )
    return found[0]["count"]


async def test_settings_say_how_many(place: Place) -> None:
    settings = msgspec.structs.replace(SETTINGS, rate_per_key=7, rate_per_org=8)
    house = wire(settings, place.house.database, place.house.clock)
    assert (house.request_rates.per_key, house.request_rates.per_org) == (7, 8)
