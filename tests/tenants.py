"""Makers above the ledger: organisations with a key, users, money and swaps, over HTTP.

A `Tenant` is what a customer's own program would be: a key, and requests sent with it.
"""

import asyncio
import tempfile
from collections import defaultdict
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, cast
from uuid import UUID, uuid4

import httpx2
from litestar import Litestar

from landbridge.app import build_app
from landbridge.flows.swaps.model import Status, Swap
from landbridge.settings import Settings
from landbridge.web.caller import Caller
from landbridge.web.observe import observe
from landbridge.wiring import House

URL = "http://landbridge.test"
# Where files are kept; gone when the test process ends.
_data_dir = tempfile.TemporaryDirectory(prefix="landbridge-tests-", ignore_cleanup_errors=True)
METRICS_TOKEN = "metrics-of-the-tests-only"
SETTINGS = Settings(
    metrics_token=METRICS_TOKEN,
    master_key="bGFuZGJyaWRnZSB0ZXN0cyBvbmx5IC0gMzIgYnl0ZXM=",
    public_url=URL,
    data_dir=_data_dir.name,
    # All tests come from one address.
    rate_per_address=0,
)
SWAPS = "/v2/wallets/swaps"
TRANSFERS = "/v2/wallets/transfers"
BATCHES = "/v2/wallets/transfers/batches"
BRIDGES = "/v2/wallets/bridges"


class _Occupied:
    """The house that an application serves now: making one takes a second, and tests are many."""

    def __init__(self, house: House) -> None:
        self.house = house

    def __getattr__(self, name: str) -> Any:
        return getattr(self.house, name)


# Applications that nobody uses, by the one thing that is asked of a house when they are made.
_idle: defaultdict[bool, list[tuple[_Occupied, Litestar]]] = defaultdict(list)


@asynccontextmanager
async def served(house: House) -> AsyncGenerator[httpx2.AsyncClient]:
    """A client of the application over `house`, in this process; its lifespan runs."""
    idle = _idle[house.request_log.is_on]
    occupied, app = idle.pop() if idle else _built(house)
    occupied.house = house
    transport = httpx2.ASGITransport(cast("Any", observe(cast("Any", app))))
    is_up, stop = asyncio.Event(), asyncio.Event()

    async def live() -> None:
        # In a task of its own: a fixture may be torn down in another task than it was set up in.
        async with app.lifespan():
            is_up.set()
            await stop.wait()

    living = asyncio.create_task(live())
    await is_up.wait()
    # Many tests share it: who has signed in with it in one would be signed in in the next.
    no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    async with httpx2.AsyncClient(transport=transport, base_url=URL, cookies=no_cookies) as client:
        yield client
    stop.set()
    await living
    idle.append((occupied, app))


def _built(house: House) -> tuple[_Occupied, Litestar]:
    occupied = _Occupied(house)
    return occupied, build_app(cast("Any", occupied))


@dataclass(frozen=True, slots=True)
class Tenant:
    """An organisation and a key of it."""

    house: House
    client: httpx2.AsyncClient
    caller: Caller
    key: str

    @property
    def org_id(self) -> UUID:
        return self.caller.org_id

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}

    async def send(
        self, method: str, path: str, body: Any = None, **query: str | int
    ) -> httpx2.Response:
        """The answer, whatever it is. A `str` or `bytes` body goes out as it is."""
        content: dict[str, Any] = {}
        if isinstance(body, str | bytes):
            content = {"content": body}
        elif body is not None:
            content = {"json": body}
        return await self.client.request(
            method, path, params=query or None, headers=self.headers, **content
        )

    async def get(self, path: str, **query: str | int) -> Any:
        """The JSON of an answer that must be good."""
        return good(await self.send("GET", path, **query))

    async def post(self, path: str, body: Any = None) -> Any:
        """The JSON of an answer that must be good."""
        return good(await self.send("POST", path, body))

    async def refused(self, method: str, path: str, body: Any = None, **query: str | int) -> str:
        """Status and name of a refusal, as in `400 FIELD_VALIDATION_ERROR`."""
        return refusal(await self.send(method, path, body, **query))


def good(answer: httpx2.Response) -> Any:
    """The JSON of a 200."""
    assert answer.status_code == 200, answer.text
    return answer.json()


def refusal(answer: httpx2.Response) -> str:
    """Status and name of a refusal in either envelope."""
    error = answer.json()["error"]
    return f"{answer.status_code} {error if isinstance(error, str) else error['code']}"


def sentence(answer: httpx2.Response) -> str:
    """What a refusal says to a person."""
    return str(answer.json()["errorDetails"])


async def make_tenant(house: House, client: httpx2.AsyncClient, *, name: str = "Test") -> Tenant:
    """An organisation with one key."""
    org = await house.orgs.create(name)
    key, secret = await house.orgs.create_key(org.id, "test key", expires_at=None)
    return Tenant(house, client, Caller(org.id, key.id, timedelta()), secret)


async def make_agreement(org: Tenant, *, is_signed: bool = True, **link: str) -> str:
    """The id of a terms link."""
    made = await org.post("/v2/tos-link", {"idempotencyKey": str(uuid4()), **link})
    agreement: str = made["signedAgreementId"]
    if is_signed:
        path = f"/v2/tos-link/{agreement}"
        token = (await org.get(path))["sessionToken"]
        await org.post(f"{path}/accept", {"sessionToken": token})
    return agreement


def individual(agreement: str, **changes: Any) -> dict[str, Any]:
    """The body that creates a person; None leaves a member out."""
    body = {
        "type": "individual",
        "firstName": "Ada",
        "lastName": "Example",
        "email": "ada@example.com",
        "dateOfBirth": "1990-01-01",
        "ipAddress": "203.0.113.7",
        "signedAgreementId": agreement,
        **changes,
    }
    return {name: value for name, value in body.items() if value is not None}


def business(agreement: str, **changes: Any) -> dict[str, Any]:
    """The body that creates a business; None leaves a member out."""
    owner = {"firstName": "Ada", "lastName": "Example", "dateOfBirth": "1990-01-01"}
    body = {
        "type": "business",
        "businessName": "Example Ltd",
        "email": "office@example.com",
        "ipAddress": "203.0.113.7",
        "ultimateBeneficialOwners": [{**owner, "hasControl": True, "isSigner": True}],
        "signedAgreementId": agreement,
        **changes,
    }
    return {name: value for name, value in body.items() if value is not None}


async def make_user(org: Tenant, *, funds: str | None = None, **changes: Any) -> str:
    """The id of a person, with `funds` of usdc on POLYGON."""
    made = await org.post("/v2/users", individual(await make_agreement(org), **changes))
    if funds is not None:
        await fund(org, made["id"], funds)
    return str(made["id"])


async def fund(
    org: Tenant, user: str, amount: str, *, currency: str = "usdc", chain: str = "POLYGON"
) -> None:
    """Let coins arrive in a wallet."""
    body = {"chain": chain, "currency": currency, "amount": amount}
    await org.post(f"/v2/sandbox/users/{user}/wallets/fund", body)


async def held(org: Tenant, user: str, currency: str = "usdc", chain: str = "POLYGON") -> str:
    """What a wallet holds, in whole coins."""
    path = f"/v2/users/{user}/wallets/balance"
    return str((await org.get(path, chain=chain, currency=currency))["displayBalance"])


def swap_body(
    user: str,
    amount: str | None = "10",
    *,
    source: Mapping[str, Any] | None = None,
    destination: Mapping[str, Any] | None = None,
    request_id: str | None = None,
) -> dict[str, Any]:
    """The body that quotes usdc into usdt on POLYGON; None leaves a member out."""
    ends = [
        {"userId": user, "chain": "POLYGON", "currency": "usdc", "amount": amount}
        | dict(source or {}),
        {"chain": "POLYGON", "currency": "usdt"} | dict(destination or {}),
    ]
    told = [{name: value for name, value in end.items() if value is not None} for end in ends]
    return {
        "requestId": request_id or str(uuid4()),
        "source": told[0],
        "destination": told[1],
    }


async def make_swap(
    org: Tenant, user: str, amount: str = "1", *, status: Status = Status.OPEN_QUOTE
) -> dict[str, Any]:
    """The details of a swap at `status`; the user must have the funds."""
    made: dict[str, Any] = (await org.post(SWAPS, swap_body(user, amount)))["transferDetails"]
    swap = await swap_of(org, made["id"])
    match status:
        case Status.OPEN_QUOTE:
            return made
        case Status.COMPLETED:
            await org.post(f"{SWAPS}/{made['id']}/accept")
        case Status.QUOTE_FAILED:
            assert await org.house.swaps.expire(swap, "test", swap.details.quote_expires_at)
        case _:
            raise AssertionError(f"no swap rests at {status}")
    return (await org.get(f"{SWAPS}/{made['id']}"))["transferDetails"]


async def swap_of(org: Tenant, swap: str) -> Swap:
    """A swap as the service knows it."""
    return await org.house.swaps.get(org.org_id, UUID(swap))


def transfer_body(
    user: str,
    to: str | Mapping[str, Any],
    amount: Any = 10,
    *,
    request_id: str | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """The body that sends usdc on POLYGON to a user, or to what `to` says; None is left out."""
    body = {
        "requestId": request_id or str(uuid4()),
        "source": {"userId": user},
        "destination": {"userId": to} if isinstance(to, str) else dict(to),
        "amount": amount,
        "currency": "usdc",
        "chain": "POLYGON",
        **changes,
    }
    return {name: value for name, value in body.items() if value is not None}


def batch_body(
    user: str, *items: Mapping[str, Any], request_id: str | None = None, **changes: Any
) -> dict[str, Any]:
    """The body that sends usdc on POLYGON to many; None leaves a member out."""
    body = {
        "requestId": request_id or str(uuid4()),
        "source": {"userId": user},
        "destination": {"batch": [dict(each) for each in items]},
        "currency": "usdc",
        "chain": "POLYGON",
        **changes,
    }
    return {name: value for name, value in body.items() if value is not None}


async def make_transfer(
    org: Tenant, user: str, to: str | Mapping[str, Any], amount: Any = 1, **changes: Any
) -> dict[str, Any]:
    """The details of a transfer as it was opened; the user must have the funds."""
    made = await org.post(TRANSFERS, transfer_body(user, to, amount, **changes))
    return made["transferDetails"]


async def make_batch(
    org: Tenant, user: str, *items: Mapping[str, Any], **changes: Any
) -> dict[str, Any]:
    """The details of a batch as it was opened; the user must have the funds."""
    return (await org.post(BATCHES, batch_body(user, *items, **changes)))["transferDetails"]


def bridge_body(
    user: str,
    amount: Any = 10,
    *,
    source: Mapping[str, Any] | None = None,
    destination: Mapping[str, Any] | None = None,
    request_id: str | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """The body that bridges usdc from POLYGON to the user's own wallet on BASE.

    None leaves a member out.
    """
    ends = [
        {"userId": user, "chain": "POLYGON", "currency": "usdc"} | dict(source or {}),
        {"userId": user, "chain": "BASE", "currency": "usdc"} | dict(destination or {}),
    ]
    told = [{name: value for name, value in end.items() if value is not None} for end in ends]
    body = {
        "requestId": request_id or str(uuid4()),
        "amount": amount,
        "source": told[0],
        "destination": told[1],
        **changes,
    }
    return {name: value for name, value in body.items() if value is not None}


async def make_bridge(
    org: Tenant, user: str, to: str, amount: Any = 1, **changes: Any
) -> dict[str, Any]:
    """The details of a bridge to a user's wallet on BASE; the user must have the funds."""
    body = bridge_body(user, amount, destination={"userId": to}, **changes)
    return (await org.post(BRIDGES, body))["transferDetails"]


async def run_due(org: Tenant) -> None:
    """What the worker does for this organisation, until nothing is due."""
    offsets = await org.house.orgs.clock_offsets()
    await org.house.due.run_all({org.org_id: offsets[org.org_id]})


async def register(
    org: Tenant, user: str, address: str, *, chain: str = "POLYGON", **changes: str
) -> str:
    """The id of an address outside that the user has registered."""
    body = {"address": address, "chain": chain, "name": "Bank", "referenceId": "r1", **changes}
    return (await org.post(f"/v2/users/{user}/wallets/external", body))["id"]
