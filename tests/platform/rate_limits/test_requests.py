"""Rate limits over HTTP, with a few requests per second and a clock set by the test."""

from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import httpx2
import msgspec
import pytest

from landbridge.app.container import Container, wire
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.http.bound_hits import HITS, RequestBound
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.platform.rate_limits.service import RateLimits, TooManyRequests
from tests.tenants import SETTINGS, Tenant, good, make_tenant, refusal, served

PING = "/v2/ping"
AT_ONCE = 10


@dataclass
class Time:
    """Clock in seconds that a test advances."""

    now_s: float = 1000.0

    def __call__(self) -> float:
        return self.now_s


@dataclass(frozen=True)
class RateLimitedServer:
    """Container with a client and a clock; `rates` creates the limits of another process."""

    container: Container
    client: httpx2.AsyncClient
    time: Time
    rates: Callable[..., RateLimits]

    async def tenant(self) -> Tenant:
        return await make_tenant(self.container, self.client)


@pytest.fixture
async def server(database: Database) -> AsyncIterator[RateLimitedServer]:
    time = Time()
    clock = Clock(await take_node(database))

    def rates(*, per_key: int = 1, per_org: int = 2, per_address: int = 1) -> RateLimits:
        return RateLimits(
            database,
            clock,
            per_key=per_key,
            per_org=per_org,
            per_address=per_address,
            proxies=["10.0.0.0/8"],
            now_s=time,
        )

    container = replace(wire(SETTINGS, database, clock), rate_limits=rates())
    async with served(container) as client:
        yield RateLimitedServer(container, client, time, rates)


def hits(bound: RequestBound) -> float:
    sample: Any = HITS.labels(bound.value)
    return sample._value.get()


async def test_every_response_to_a_key_shows_the_remaining_requests(
    server: RateLimitedServer,
) -> None:
    org = await server.tenant()
    for remaining in (9, 8):
        answer = await org.send("GET", PING)
        good(answer)
        assert answer.headers["ratelimit-policy"] == '"key";q=10;w=10, "org";q=20;w=10'
        assert answer.headers["ratelimit"] == (
            f'"key";r={remaining};t={10 - remaining}, "org";r={remaining + 10};t=1'
        )
    # A refusal for another reason counts as well.
    assert (await org.send("GET", "/v2/users/none")).headers["ratelimit"].startswith('"key";r=7')


async def test_excess_request_is_refused_and_not_executed(server: RateLimitedServer) -> None:
    org, other = await server.tenant(), await server.tenant()
    before = hits(RequestBound.KEY_RATE)
    for _ in range(AT_ONCE):
        good(await org.send("GET", PING))
    body = {"url": "https://example.com/hooks", "eventTypes": ["*"]}
    for _ in range(3):
        answer = await org.send("POST", "/v2/webhooks", body)
        assert refusal(answer) == "429 TOO_MANY_REQUESTS"
        assert answer.json()["code"] == 200002
        assert answer.headers["retry-after"] == "1"
        assert answer.headers["ratelimit"] == '"key";r=0;t=10'
    assert hits(RequestBound.KEY_RATE) == before + 3
    good(await other.send("GET", PING))
    server.time.now_s += 1
    assert good(await org.send("GET", "/v2/webhooks"))["webhooks"] == []
    assert refusal(await org.send("GET", PING)) == "429 TOO_MANY_REQUESTS"


async def test_reporting_refuses_in_its_own_envelope(server: RateLimitedServer) -> None:
    org = await server.tenant()
    for _ in range(AT_ONCE):
        await org.send("GET", PING)
    answer = await org.send("GET", "/v2/reporting/time-zone")
    assert answer.status_code == 429
    assert answer.json()["error"]["code"] == "TOO_MANY_REQUESTS"
    assert answer.headers["retry-after"] == "1"


async def test_keys_of_an_organisation_share_its_rate(server: RateLimitedServer) -> None:
    org = await server.tenant()
    tenants = [org]
    for name in ("second", "third"):
        _, secret = await server.container.orgs.create_key(org.org_id, name, expires_at=None)
        tenants.append(replace(org, key=secret))
    answers = [await each.send("GET", PING) for each in tenants for _ in range(AT_ONCE)]
    assert [each.status_code for each in answers] == [200] * 20 + [429] * 10
    assert "this organisation" in answers[-1].json()["errorDetails"]
    # Requests refused by the organisation's rate count for the third key.
    assert answers[-1].headers["ratelimit"] == '"key";r=0;t=10, "org";r=0;t=10'


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer nobody's"}])
async def test_requests_without_a_valid_key_count_by_address(
    server: RateLimitedServer, headers: dict[str, str]
) -> None:
    org = await server.tenant()
    paths = [PING, "/openapi.json", "/dashboard/sign-in"]
    answers = [await server.client.get(paths[at % 3], headers=headers) for at in range(AT_ONCE)]
    assert {each.status_code for each in answers} == {200, 401}
    for path in (*paths, f"/kyc/{org.org_id}", f"/tos/{org.org_id}"):
        answer = await server.client.get(path, headers=headers)
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
    # Clients with a valid key, and health checks, are admitted.
    good(await org.send("GET", PING))
    assert (await server.client.get("/healthz")).status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing", 404),
        ("DELETE", PING, 405),
        ("PUT", "/healthz", 405),
        ("DELETE", "/dashboard/profile", 405),
    ],
)
async def test_requests_without_a_route_count_by_address(
    server: RateLimitedServer, method: str, path: str, status: int
) -> None:
    answers = [await server.client.request(method, path) for _ in range(AT_ONCE + 2)]
    assert [each.status_code for each in answers] == [status] * AT_ONCE + [429] * 2
    assert (await server.client.get(PING)).status_code == 429


async def test_refusals_of_a_rate_fill_no_log(
    server: RateLimitedServer, logged: Callable[[], str]
) -> None:
    org = await server.tenant()
    before = logged().count('"http.request"')
    for _ in range(AT_ONCE + 5):
        await server.client.get("/nothing")
        await org.send("GET", PING)
    assert logged().count('"http.request"') == before + 2 * AT_ONCE


def test_addresses_are_distinguished_and_proxies_not_counted(server: RateLimitedServer) -> None:
    rates = server.rates(per_address=1)

    def connect_from(host: str) -> Any:
        rates.count_address({"client": (host, 1), "method": "GET", "path": PING})

    for _ in range(50):
        connect_from("10.1.2.3")
    for host in ("192.0.2.1", "192.0.2.2", "2001:db8::1"):
        for _ in range(AT_ONCE):
            connect_from(host)
    for host in ("192.0.2.1", "2001:db8::ffff"):
        with pytest.raises(TooManyRequests, match="from this address"):
            connect_from(host)
    connect_from("2001:db8:0:1::1")


async def test_zero_is_no_bound(server: RateLimitedServer) -> None:
    org = await server.tenant()
    rates = server.rates(per_key=0, per_org=0, per_address=0)
    scope: dict[str, Any] = {"client": ("192.0.2.1", 1), "method": "GET", "path": PING}
    for _ in range(100):
        rates.count_caller(scope, org.caller)
        rates.count_address(scope)
    assert "landbridge.headers" not in scope
    await rates.share()


async def test_processes_share_their_usage(server: RateLimitedServer) -> None:
    org = await server.tenant()
    first, second = server.rates(per_org=0), server.rates(per_org=0)

    def take(rates: RateLimits, times: int) -> int:
        """Return how many of this many requests are admitted."""
        done = 0
        for _ in range(times):
            with suppress(TooManyRequests):
                rates.count_caller({}, org.caller)
                done += 1
        return done

    # A small number is not shared, but added to the next update.
    assert take(first, 2) == 2
    await first.share()
    assert await rows(server, org) == 0
    assert take(first, 4) == 4
    await first.share()
    assert await rows(server, org) == 1
    assert take(second, 3) == 3
    await second.share()
    # Nine of ten are used up; requests in the meantime are counted.
    assert take(second, 5) == 1
    await second.share()
    await first.share()
    assert take(first, 10) == 4
    await first.share()
    assert take(first, 1) == take(second, 1) == 0
    server.time.now_s += 3
    assert take(first, 10) == 3


async def rows(server: RateLimitedServer, org: Tenant) -> int:
    found = await server.container.database.rows(
        "select count(*) as count from rate_limit_usage where org_id = $1", org.org_id
    )
    return found[0]["count"]


async def test_settings_define_the_rates(server: RateLimitedServer) -> None:
    settings = msgspec.structs.replace(SETTINGS, rate_per_key=7, rate_per_org=8)
    container = wire(settings, server.container.database, server.container.clock)
    assert (container.rate_limits.per_key, container.rate_limits.per_org) == (7, 8)
