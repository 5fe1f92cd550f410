"""Builders above the ledger: organisations with a key, users, money and swaps, over HTTP.

A `Tenant` acts as a client program of an organisation: a key, and requests sent with it.
"""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, cast
from uuid import UUID, uuid4

import httpx2

from landbridge.app.container import Container
from landbridge.app.settings import Settings
from landbridge.payments.swaps.model import Swap, SwapStatus
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.telemetry import with_telemetry
from tests.applications import app_of
from tests.change_log import placed

URL = "http://landbridge.test"
# Folder of stored files; removed at the end of the test process.
_data_dir = tempfile.TemporaryDirectory(prefix="landbridge-tests-", ignore_cleanup_errors=True)
METRICS_TOKEN = "metrics-of-the-tests-only"
SETTINGS = Settings(
    metrics_token=METRICS_TOKEN,
    master_key="bGFuZGJyaWRnZSB0ZXN0cyBvbmx5IC0gMzIgYnl0ZXM=",
    public_url=URL,
    data_dir=_data_dir.name,
    password_memory_kib=1024,  # the default takes as long as several tests
    # All tests come from one address.
    rate_per_address=0,
)
SWAPS = "/v2/wallets/swaps"
TRANSFERS = "/v2/wallets/transfers"
BATCHES = "/v2/wallets/transfers/batches"
BRIDGES = "/v2/wallets/bridges"


def full_caller(org_id: UUID, key_id: UUID) -> Caller:
    """Return the caller of a key with the scope admin, as in production."""
    return Caller(org_id, key_id, timedelta(), can_pay=True, can_administer=True)


@asynccontextmanager
async def served(container: Container) -> AsyncGenerator[httpx2.AsyncClient]:
    """Yield an in-process client of the application over `container`; its lifespan runs."""
    app = app_of(container)
    transport = httpx2.ASGITransport(cast("Any", with_telemetry(cast("Any", app))))
    is_up, stop = asyncio.Event(), asyncio.Event()

    async def live() -> None:
        # In its own task: a fixture's teardown may run in another task than its setup.
        async with app.lifespan():
            is_up.set()
            await stop.wait()

    living = asyncio.create_task(live())
    await is_up.wait()
    # Many tests share it: a sign-in in one would otherwise last into the next.
    no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    try:
        async with httpx2.AsyncClient(
            transport=transport, base_url=URL, cookies=no_cookies
        ) as client:
            yield client
    finally:
        stop.set()
        await living


@dataclass(frozen=True, slots=True)
class Tenant:
    """Organisation and one of its keys."""

    container: Container
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
        """Return the response of any status. A `str` or `bytes` body is sent unchanged."""
        content: dict[str, Any] = {}
        if isinstance(body, str | bytes):
            content = {"content": body}
        elif body is not None:
            content = {"json": body}
        return await self.client.request(
            method, path, params=query or None, headers=self.headers, **content
        )

    async def get(self, path: str, **query: str | int) -> Any:
        """Return the JSON of a response that must succeed; events include all commits so far."""
        if path == "/v2/events":
            await placed(self.container.database)
        return good(await self.send("GET", path, **query))

    async def post(self, path: str, body: Any = None) -> Any:
        """Return the JSON of a response that must succeed."""
        return good(await self.send("POST", path, body))

    async def refused(self, method: str, path: str, body: Any = None, **query: str | int) -> str:
        """Status and name of a refusal, as in `400 FIELD_VALIDATION_ERROR`."""
        return refusal(await self.send(method, path, body, **query))


def good(answer: httpx2.Response) -> Any:
    """Return the JSON of a 200."""
    assert answer.status_code == 200, answer.text
    return answer.json()


def refusal(answer: httpx2.Response) -> str:
    """Status and name of a refusal in either envelope."""
    error = answer.json()["error"]
    return f"{answer.status_code} {error if isinstance(error, str) else error['code']}"


def sentence(answer: httpx2.Response) -> str:
    """Return the sentence of a refusal."""
    return str(answer.json()["errorDetails"])


async def make_tenant(
    container: Container, client: httpx2.AsyncClient, *, name: str = "Test"
) -> Tenant:
    """An organisation with one key."""
    org = await container.orgs.create(name)
    key, secret = await container.orgs.create_key(org.id, "test key", expires_at=None)
    return Tenant(container, client, full_caller(org.id, key.id), secret)


async def make_agreement(org: Tenant, *, is_signed: bool = True, **link: str) -> str:
    """Create a terms link through the service, since most tests need one; return its id."""
    terms = org.container.terms
    caller = replace(org.caller, clock_offset=await org.container.orgs.clock_offset(org.org_id))
    created = await terms.link(
        caller,
        uuid4(),
        template_id=link.get("templateId"),
        redirect_url=link.get("redirectUrl"),
    )
    if is_signed:
        await terms.accept(
            created,
            created.session_token,
            offset=caller.clock_offset,
            signed_from=None,
            actor=caller.actor,
        )
    return str(created.id)


def individual(agreement: str, **changes: Any) -> dict[str, Any]:
    """Build the body that creates a person; None omits a member."""
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
    """Build the body that creates a business; None omits a member."""
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
    """Create a person with `funds` of usdc on POLYGON; return their id."""
    created = await org.post("/v2/users", individual(await make_agreement(org), **changes))
    if funds is not None:
        await fund(org, created["id"], funds)
    return str(created["id"])


async def fund(
    org: Tenant, user: str, amount: str, *, currency: str = "usdc", chain: str = "POLYGON"
) -> None:
    """Let coins arrive in a wallet."""
    body = {"chain": chain, "currency": currency, "amount": amount}
    await org.post(f"/v2/sandbox/users/{user}/wallets/fund", body)


async def held(org: Tenant, user: str, currency: str = "usdc", chain: str = "POLYGON") -> str:
    """Return the balance of a wallet in coins."""
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
    """Build the body that quotes usdc into usdt on POLYGON; None omits a member."""
    ends = [
        {"userId": user, "chain": "POLYGON", "currency": "usdc", "amount": amount}
        | dict(source or {}),
        {"chain": "POLYGON", "currency": "usdt"} | dict(destination or {}),
    ]
    parties = [{name: value for name, value in end.items() if value is not None} for end in ends]
    return {
        "requestId": request_id or str(uuid4()),
        "source": parties[0],
        "destination": parties[1],
    }


async def make_swap(
    org: Tenant, user: str, amount: str = "1", *, status: SwapStatus = SwapStatus.OPEN_QUOTE
) -> dict[str, Any]:
    """Create a swap at `status`; return its details. The user must have the funds."""
    created: dict[str, Any] = (await org.post(SWAPS, swap_body(user, amount)))["transferDetails"]
    swap = await swap_of(org, created["id"])
    match status:
        case SwapStatus.OPEN_QUOTE:
            return created
        case SwapStatus.COMPLETED:
            await org.post(f"{SWAPS}/{created['id']}/accept")
        case SwapStatus.QUOTE_FAILED:
            assert await org.container.swaps.expire(swap, "test", swap.details.quote_expires_at)
        case _:
            raise AssertionError(f"no swap rests at {status}")
    return (await org.get(f"{SWAPS}/{created['id']}"))["transferDetails"]


async def swap_of(org: Tenant, swap: str) -> Swap:
    """Return a swap from the service."""
    return await org.container.swaps.get(org.org_id, UUID(swap))


def transfer_body(
    user: str,
    to: str | Mapping[str, Any],
    amount: Any = 10,
    *,
    request_id: str | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """Build the body that sends usdc on POLYGON to a user or to `to`; None omits a member."""
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
    """Build the body that sends usdc on POLYGON to many; None omits a member."""
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
    """Create a transfer; return its details. The user must have the funds."""
    created = await org.post(TRANSFERS, transfer_body(user, to, amount, **changes))
    return created["transferDetails"]


async def make_batch(
    org: Tenant, user: str, *items: Mapping[str, Any], **changes: Any
) -> dict[str, Any]:
    """Create a batch; return its details. The user must have the funds."""
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
    """Build the body that bridges usdc from POLYGON to the user's own wallet on BASE.

    None omits a member.
    """
    ends = [
        {"userId": user, "chain": "POLYGON", "currency": "usdc"} | dict(source or {}),
        {"userId": user, "chain": "BASE", "currency": "usdc"} | dict(destination or {}),
    ]
    parties = [{name: value for name, value in end.items() if value is not None} for end in ends]
    body = {
        "requestId": request_id or str(uuid4()),
        "amount": amount,
        "source": parties[0],
        "destination": parties[1],
        **changes,
    }
    return {name: value for name, value in body.items() if value is not None}


async def make_bridge(
    org: Tenant, user: str, to: str, amount: Any = 1, **changes: Any
) -> dict[str, Any]:
    """Create a bridge to a wallet on BASE; return its details. The user must have the funds."""
    body = bridge_body(user, amount, destination={"userId": to}, **changes)
    return (await org.post(BRIDGES, body))["transferDetails"]


async def run_due(org: Tenant) -> None:
    """Run the worker for this organisation until nothing is due."""
    offsets = await org.container.orgs.clock_offsets()
    await org.container.scheduler.run_all({org.org_id: offsets[org.org_id]})


async def register(
    org: Tenant, user: str, address: str, *, chain: str = "POLYGON", **changes: str
) -> str:
    """Register an external address of the user; return its id."""
    body = {"address": address, "chain": chain, "name": "Bank", "referenceId": "r1", **changes}
    return (await org.post(f"/v2/users/{user}/wallets/external", body))["id"]
