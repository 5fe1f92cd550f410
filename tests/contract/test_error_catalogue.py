"""Every refusal has its own code, is documented, and can occur."""

import os
import re
from collections.abc import Awaitable, Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import httpx2
import msgspec
import pytest

from landbridge.app.container import wire
from landbridge.customers.kyc.model import Rail
from landbridge.payments.swaps.model import SwapStatus
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldsInvalid, Refused
from landbridge.platform.core.money import Rate
from landbridge.platform.http import error_page
from landbridge.platform.http.error_page import doc_url
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.platform.orgs.model import Mode
from landbridge.providers.rates.port import Price
from tests.customers.bank_accounts.verified import make_verified
from tests.payments.limits.limit_setup import rule, set_rules
from tests.payouts import OFFRAMPS, make_offramp, make_payee, offramp_body
from tests.payouts import make_account as make_bank_account
from tests.tenants import (
    SETTINGS,
    SWAPS,
    Tenant,
    make_agreement,
    make_swap,
    make_tenant,
    make_user,
    refusal,
    served,
    swap_body,
)

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "errors.md"
_ANCHOR = r'(?:<a id="[a-z_]+"></a>)?'
ROW = re.compile(
    rf"^\| (\d{{6}}) \| {_ANCHOR}`([A-Z_]+)` \| (\d{{3}}) \| (\S.{{9,}}) \| (\S.{{9,}}) \|$",
    re.MULTILINE,
)
OURS = {("700401", "INTERNAL_SERVER_ERROR", "500"), ("700401", "INTERNAL_SERVER_ERROR", "503")}
# Errors that only pages show have no code of their own.
PAGES = ("landbridge.dashboard.", "landbridge.customers.team.")
OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"

Met = Callable[[Tenant], Awaitable[httpx2.Response]]


def refusals() -> Iterator[type[Refused]]:
    """Return every error that an API client can receive."""
    waiting = [Refused]
    while waiting:
        found = [
            each
            for each in waiting.pop().__subclasses__()
            # The same error for several fields at once.
            if each.__module__ != __name__
            and each is not FieldsInvalid
            and not each.__module__.startswith(PAGES)
        ]
        waiting += found
        yield from found


def _triple(error: type[Refused]) -> tuple[str, str, str]:
    return str(error.code), error.name, str(error.status)


def test_errors_are_distinct() -> None:
    found = sorted(_triple(each) for each in refusals())
    assert not [pair for pair in pairwise(found) if pair[0] == pair[1]]


def test_error_has_a_six_digit_code_a_name_and_a_default_sentence() -> None:
    for each in refusals():
        assert re.fullmatch(r"[1-7]\d{5}", str(each.code)), each
        assert re.fullmatch(r"[A-Z]+(_[A-Z]+)*", each.name), each
        assert 400 <= each.status < 500, each
        assert len(each().message) > 10, each


def test_every_error_is_documented_with_meaning_and_remedy() -> None:
    documented = {
        (code, name, status) for code, name, status, _, _ in ROW.findall(PAGE.read_text())
    }
    raised = {_triple(each) for each in refusals()} | OURS
    assert not raised - documented, f"add these to {PAGE.name}"
    assert not documented - raised, f"nothing raises these any more; take them off {PAGE.name}"


async def test_every_doc_url_of_a_running_server_leads_to_its_row(org: Tenant) -> None:
    public_url = org.container.settings.base_url
    assert public_url.startswith("http")
    for name in {each.name for each in refusals()} | {name for _, name, _ in OURS}:
        url = urlsplit(doc_url(public_url, name))
        page = await org.client.get(url.path)
        assert page.status_code == 200
        assert page.headers["content-type"].startswith("text/html")
        (row,) = re.findall(f'<tr id="{url.fragment}">(.*)</tr>', page.text)
        assert row.split("<td>")[2] == f"<code>{name}</code></td>"
        # No Markdown is left.
        assert not re.search(r"[`|]|\]\(", row)


def test_the_table_of_the_server_is_that_of_the_page() -> None:
    lines = PAGE.read_text(encoding="utf-8").splitlines(keepends=True)
    table = "".join(line for line in lines if line.startswith("|"))
    due = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", table)
    if os.environ.get("WRITE_FIGURES"):
        error_page.TABLE.write_text(due, encoding="utf-8")
    assert error_page.TABLE.read_text(encoding="utf-8") == due, (
        "run this test with WRITE_FIGURES=1 to renew the table"
    )


async def _no_key(org: Tenant) -> httpx2.Response:
    return await org.client.get("/v2/ping")


async def _wrong_key(org: Tenant) -> httpx2.Response:
    return await org.client.get("/v2/ping", headers={"Authorization": "Bearer nobody"})


async def _bad_field(org: Tenant) -> httpx2.Response:
    return await org.send("GET", SWAPS, limit=0)


async def _large_body(org: Tenant) -> httpx2.Response:
    return await org.send("POST", SWAPS, b" " * 1_000_001)


async def _wrong_method(org: Tenant) -> httpx2.Response:
    return await org.send("DELETE", SWAPS)


async def _wrong_path(org: Tenant) -> httpx2.Response:
    return await org.send("GET", "/v1/ping")


async def _other_link(org: Tenant) -> httpx2.Response:
    key = await make_agreement(org, templateId="a")
    return await org.send("POST", "/v2/tos-link", {"idempotencyKey": key})


async def _no_link(org: Tenant) -> httpx2.Response:
    return await org.send("GET", f"/v2/tos-link/{uuid4()}")


async def _no_user(org: Tenant) -> httpx2.Response:
    return await org.send("GET", f"/v2/users/{uuid4()}")


async def _misshapen_account(org: Tenant) -> httpx2.Response:
    user = await make_user(org)
    body = {"rail": "offramp", "type": "brazil", "brazil": {"currency": "brl"}}
    return await org.send("POST", f"/v2/users/{user}/accounts", body)


async def _no_account(org: Tenant) -> httpx2.Response:
    user = await make_user(org)
    return await org.send("GET", f"/v2/users/{user}/accounts/{uuid4()}")


async def _deleted_account(org: Tenant) -> httpx2.Response:
    user = await make_verified(org, Rail.SOUTH_AMERICA_STANDARD)
    path = f"/v2/users/{user}/accounts"
    pix = {"pixKey": "ada@example.com", "currency": "brl"}
    created = await org.post(path, {"rail": "offramp", "type": "brazil", "brazil": pix})
    await org.send("DELETE", f"{path}/{created['id']}")
    decision = {"decision": "approve"}
    return await org.send("POST", f"/v2/reviews/accounts/{created['id']}", decision)


async def _other_currency(org: Tenant) -> httpx2.Response:
    user = await make_payee(org)
    body = offramp_body(user, await make_bank_account(org, user), destination={"currency": "eur"})
    return await org.send("POST", OFFRAMPS, body)


async def _unquoted(org: Tenant) -> httpx2.Response:
    user = await make_payee(org)
    created = await make_offramp(
        org, user, await make_bank_account(org, user), requireApproval=True
    )
    return await org.send("POST", f"{OFFRAMPS}/{created['id']}/quote/accept")


async def _incomplete_body(org: Tenant) -> httpx2.Response:
    user = await make_user(org)
    return await org.send("POST", f"/v2/users/{user}/kyc/submissions", {"rails": "USD"})


async def _unverified(org: Tenant) -> httpx2.Response:
    pix = {"pixKey": "ada@example.com", "currency": "brl"}
    body = {"rail": "offramp", "type": "brazil", "brazil": pix}
    return await org.send("POST", f"/v2/users/{await make_user(org)}/accounts", body)


async def _frozen(org: Tenant) -> httpx2.Response:
    user = await make_user(org)
    await org.post(f"/v2/users/{user}/freeze", {})
    return await org.send("POST", f"/v2/users/{user}/wallets/add", {"chains": ["BASE"]})


async def _frozen_org(org: Tenant) -> httpx2.Response:
    user = await make_user(org, funds="1")
    await org.container.orgs.freeze(org.org_id)
    return await org.send("POST", SWAPS, swap_body(user, "1"))


async def _no_swap(org: Tenant) -> httpx2.Response:
    return await org.send("GET", f"{SWAPS}/{uuid4()}")


async def _no_wallet(org: Tenant) -> httpx2.Response:
    user = await make_user(org)
    path = f"/v2/users/{user}/wallets/balance"
    return await org.send("GET", path, chain="BASE", currency="usdc")


async def _register(org: Tenant, address: str | None = None) -> httpx2.Response:
    user = await make_user(org)
    mine = (await org.get(f"/v2/users/{user}"))["wallets"]["INDIVIDUAL"]["POLYGON"]["address"]
    body = {"address": address or mine, "chain": "POLYGON", "name": "a", "referenceId": "b"}
    path = f"/v2/users/{user}/wallets/external"
    await org.send("POST", path, body)
    return await org.send("POST", path, body)


async def _twice_registered(org: Tenant) -> httpx2.Response:
    return await _register(org, OUTSIDE)


async def _swap(org: Tenant, **changes: Any) -> httpx2.Response:
    user = await make_user(org, funds="10")
    return await org.send("POST", SWAPS, swap_body(user, **changes))


async def _same_currency(org: Tenant) -> httpx2.Response:
    return await _swap(org, destination={"currency": "usdc"})


async def _short(org: Tenant) -> httpx2.Response:
    return await _swap(org, amount="11")


async def _over_limit(org: Tenant) -> httpx2.Response:
    await set_rules(org, rule(maxUsd=0))
    return await _swap(org)


async def _stale_price(org: Tenant) -> httpx2.Response:
    await org.container.prices.set_price(
        org.org_id,
        source_currency="usdc",
        destination_currency="usdt",
        price=Price(Rate(Decimal(1)), Decimal(0), None),
        at=org.container.clock.now() - timedelta(days=1),
    )
    return await _swap(org)


async def _taken_id(org: Tenant) -> httpx2.Response:
    user = await make_user(org, funds="10")
    created = await make_swap(org, user, "1")
    body = swap_body(user, "2", request_id=created["requestId"])
    return await org.send("POST", SWAPS, body)


async def _expired(org: Tenant) -> httpx2.Response:
    user = await make_user(org, funds="10")
    created = await make_swap(org, user, status=SwapStatus.QUOTE_FAILED)
    return await org.send("POST", f"{SWAPS}/{created['id']}/accept")


async def _in_production(org: Tenant, method: str, path: str, body: Any = None) -> httpx2.Response:
    database = org.container.database
    settings = msgspec.structs.replace(SETTINGS, mode=Mode.PRODUCTION)
    container = wire(settings, database, Clock(await take_node(database)))
    async with served(container) as client:
        real = await make_tenant(container, client)
        return await real.send(method, path, body)


async def _sandbox_in_production(org: Tenant) -> httpx2.Response:
    return await _in_production(org, "POST", "/v2/sandbox/clock/advance", {"seconds": 1})


async def _not_a_reviewer(org: Tenant) -> httpx2.Response:
    return await _in_production(org, "GET", "/v2/reviews/kyc")


async def _too_many(org: Tenant) -> httpx2.Response:
    database = org.container.database
    settings = msgspec.structs.replace(SETTINGS, rate_per_key=1)
    container = wire(settings, database, Clock(await take_node(database)))
    async with served(container) as client:
        hasty = await make_tenant(container, client)
        # More than any machine refills meanwhile.
        answers = [await hasty.send("GET", "/v2/ping") for _ in range(100)]
        return next(each for each in answers if each.status_code != 200)


# One request per error that meets it.
MEETS: dict[str, Met] = {
    "AccountDataInvalid": _misshapen_account,
    "AccountNotFound": _no_account,
    "AccountUnfit": _other_currency,
    "BodyTooLarge": _large_body,
    "FieldInvalid": _bad_field,
    "InactiveAccount": _deleted_account,
    "InsufficientBalance": _short,
    "KeyInvalid": _wrong_key,
    "KycDataInvalid": _incomplete_body,
    "KeyMissing": _no_key,
    "LimitExceeded": _over_limit,
    "MethodNotAllowed": _wrong_method,
    "ProfileFrozen": _frozen_org,
    "QuoteInvalid": _expired,
    "QuoteNotFound": _unquoted,
    "QuoteNotReady": _stale_price,
    "RequestIdTaken": _taken_id,
    "ResourceConflict": _other_link,
    "ResourceNotFound": _no_link,
    "RoleNotAllowed": _not_a_reviewer,
    "RouteInvalid": _same_currency,
    "SandboxOnly": _sandbox_in_production,
    "TooManyRequests": _too_many,
    "TransactionNotFound": _no_swap,
    "UserFrozen": _frozen,
    "UserNotFound": _no_user,
    "VerificationMissing": _unverified,
    "VersionInvalid": _wrong_path,
    "WalletAlreadyExists": _twice_registered,
    "WalletConfigInvalid": _register,
    "WalletNotFound": _no_wallet,
}


def test_there_is_a_request_for_every_error() -> None:
    assert sorted(MEETS) == sorted(each.__name__ for each in refusals())


@pytest.mark.parametrize("name", list(MEETS))
async def test_error_occurs_as_documented(org: Tenant, name: str) -> None:
    error = next(each for each in refusals() if each.__name__ == name)
    answer = await MEETS[name](org)
    assert refusal(answer) == f"{error.status} {error.name}"
    assert answer.json()["code"] == error.code
    assert answer.json()["errorDetails"]
