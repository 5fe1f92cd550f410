"""Replays: differently spelled requests with equal meaning are equal, in every flow."""

import json
from collections.abc import Awaitable, Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import pytest

from tests.onramps import ONRAMPS, make_payer, onramp_body
from tests.payouts import OFFRAMPS, make_account, make_payee, offramp_body
from tests.tenants import (
    BATCHES,
    BRIDGES,
    SWAPS,
    TRANSFERS,
    Tenant,
    batch_body,
    bridge_body,
    fund,
    make_user,
    refusal,
    swap_body,
    transfer_body,
)


async def _swap(org: Tenant) -> dict[str, Any]:
    return swap_body(await make_user(org, funds="1000"))


async def _transfer(org: Tenant) -> dict[str, Any]:
    ada, bob = await make_user(org, funds="1000"), await make_user(org)
    return transfer_body(ada, bob, fee={"type": "FIX", "value": 1})


async def _batch(org: Tenant) -> dict[str, Any]:
    ada, bob = await make_user(org, funds="1000"), await make_user(org)
    return batch_body(ada, {"userId": bob, "amount": "10"})


async def _bridge(org: Tenant) -> dict[str, Any]:
    return bridge_body(await make_user(org, funds="1000", chains=["POLYGON", "BASE"]))


async def _onramp(org: Tenant) -> dict[str, Any]:
    return onramp_body(await make_payer(org), fee={"type": "FIX", "value": 1})


async def _offramp(org: Tenant) -> dict[str, Any]:
    user = await make_payee(org)
    await fund(org, user, "1000")
    fees = [{"type": "FLAT", "value": 1, "walletAddress": OUTSIDE}]
    account = await make_account(org, user)
    return offramp_body(user, account, developerFee={"fees": fees})


OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


@dataclass(frozen=True)
class Flow:
    """Route of a flow, and the parts of its body that have several spellings."""

    path: str
    body: Callable[[Tenant], Awaitable[dict[str, Any]]]
    numbers: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()  # amounts that the contract has as decimal strings
    defaults: Mapping[str, Any] | None = None
    optional: tuple[str, ...] = ()


FLOWS = {
    "swap": Flow(
        SWAPS,
        _swap,
        texts=("source.amount",),
        optional=(
            "destination.amount",
            "destination.userId",
            "destination.externalWalletId",
            "destination.walletAddress",
        ),
    ),
    "transfer": Flow(
        TRANSFERS,
        _transfer,
        numbers=("amount", "fee.value"),
        defaults={"requireApproval": False},
        optional=("destination.walletAddress",),
    ),
    "batch": Flow(
        BATCHES,
        _batch,
        texts=("destination.batch.0.amount",),
        defaults={"requireApproval": False},
        optional=("destination.batch.0.walletAddress",),
    ),
    "bridge": Flow(
        BRIDGES,
        _bridge,
        numbers=("amount",),
        defaults={"requireApproval": False},
        optional=("destination.walletAddress",),
    ),
    "onramp": Flow(
        ONRAMPS,
        _onramp,
        numbers=("source.amount", "fee.value"),
        defaults={"isInstant": False, "destination.currency": "usdc"},
        optional=(
            "source.accountId",
            "destination.amount",
            "destination.userId",
            "destination.externalWalletId",
            "purposeOfPayment",
        ),
    ),
    "offramp": Flow(
        OFFRAMPS,
        _offramp,
        numbers=("source.amount", "developerFee.fees.0.value"),
        defaults={"requireApproval": False, "destination.sameDayAch": False},
        optional=(
            "source.externalWalletId",
            "source.returnAddress",
            "destination.amount",
            "destination.wireMessage",
            "description",
            "supportingInformation",
            "fee",
        ),
    ),
}
NAMES = sorted(FLOWS)


@pytest.mark.parametrize("name", NAMES)
async def test_spelling_of_a_number_does_not_matter(org: Tenant, name: str) -> None:
    flow = FLOWS[name]
    body = await flow.body(org)
    created = await org.post(flow.path, body)
    for member in (*flow.numbers, *flow.texts):
        number = str(_at(body, member))
        spellings = [f'"{number}"', f'"{number}.0"', f'"{number}.00"']
        if member in flow.numbers:
            spellings += [number, f"{number}.0", f"{number}.00", f"{number}0e-1"]
        for spelling in spellings:
            raw = json.dumps(_with(body, member, "HERE")).replace('"HERE"', spelling)
            assert await org.post(flow.path, raw) == created, (member, spelling)
        raw = json.dumps(_with(body, member, f"{number}.5"))
        answer = await org.send("POST", flow.path, raw)
        assert refusal(answer) == "409 TRANSACTION_REQUEST_ALREADY_EXISTS", member


@pytest.mark.parametrize("name", NAMES)
async def test_default_may_be_given_omitted_or_null(org: Tenant, name: str) -> None:
    flow = FLOWS[name]
    body = await flow.body(org)
    for member in flow.defaults or {}:
        body = _with(body, member, None, is_left_out=True)
    created = await org.post(flow.path, body)
    for member, value in (flow.defaults or {}).items():
        for each in (value, None):
            assert await org.post(flow.path, _with(body, member, each)) == created, (member, each)


@pytest.mark.parametrize("name", NAMES)
async def test_null_equals_an_omitted_member(org: Tenant, name: str) -> None:
    flow = FLOWS[name]
    body = await flow.body(org)
    nulls = body
    for member in (*flow.optional, *(flow.defaults or {})):
        nulls = _with(nulls, member, None)
    for first, then in ((body, nulls), (nulls, body)):
        fresh = {"requestId": str(uuid4())}
        created = await org.post(flow.path, first | fresh)
        assert await org.post(flow.path, then | fresh) == created


def _at(body: Any, path: str) -> Any:
    for name in path.split("."):
        body = body[int(name)] if name.isdecimal() else body[name]
    return body


def _with(body: Any, path: str, value: Any, *, is_left_out: bool = False) -> Any:
    """Return a copy of the body with another value at a path."""
    changed = deepcopy(body)
    *above, name = path.split(".")
    inside: Any = _at(changed, ".".join(above)) if above else changed
    if is_left_out:
        inside.pop(name, None)
    else:
        inside[int(name) if name.isdecimal() else name] = value
    return changed
