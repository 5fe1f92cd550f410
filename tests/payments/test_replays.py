"""One request, spelled in many ways, is one request: the same of every way that money moves."""

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
    """Where it is made, and where its body has what can be spelled in many ways."""

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
async def test_a_number_is_one_however_it_is_spelled(org: Tenant, name: str) -> None:
    flow = FLOWS[name]
    body = await flow.body(org)
    made = await org.post(flow.path, body)
    for place in (*flow.numbers, *flow.texts):
        told = str(_at(body, place))
        spellings = [f'"{told}"', f'"{told}.0"', f'"{told}.00"']
        if place in flow.numbers:
            spellings += [told, f"{told}.0", f"{told}.00", f"{told}0e-1"]
        for spelling in spellings:
            raw = json.dumps(_with(body, place, "HERE")).replace('"HERE"', spelling)
            assert await org.post(flow.path, raw) == made, (place, spelling)
        raw = json.dumps(_with(body, place, f"{told}.5"))
        answer = await org.send("POST", flow.path, raw)
        assert refusal(answer) == "409 TRANSACTION_REQUEST_ALREADY_EXISTS", place


@pytest.mark.parametrize("name", NAMES)
async def test_a_default_may_be_told_or_left_out_or_null(org: Tenant, name: str) -> None:
    flow = FLOWS[name]
    body = await flow.body(org)
    for place in flow.defaults or {}:
        body = _with(body, place, None, is_left_out=True)
    made = await org.post(flow.path, body)
    for place, value in (flow.defaults or {}).items():
        for told in (value, None):
            assert await org.post(flow.path, _with(body, place, told)) == made, (place, told)


@pytest.mark.parametrize("name", NAMES)
async def test_null_is_as_if_left_out(org: Tenant, name: str) -> None:
    flow = FLOWS[name]
    body = await flow.body(org)
    nulls = body
    for place in (*flow.optional, *(flow.defaults or {})):
        nulls = _with(nulls, place, None)
    for first, then in ((body, nulls), (nulls, body)):
        fresh = {"requestId": str(uuid4())}
        made = await org.post(flow.path, first | fresh)
        assert await org.post(flow.path, then | fresh) == made


def _at(body: Any, place: str) -> Any:
    for name in place.split("."):
        body = body[int(name)] if name.isdecimal() else body[name]
    return body


def _with(body: Any, place: str, value: Any, *, is_left_out: bool = False) -> Any:
    """A copy of the body with another value at a place."""
    changed = deepcopy(body)
    *above, name = place.split(".")
    inside: Any = _at(changed, ".".join(above)) if above else changed
    if is_left_out:
        inside.pop(name, None)
    else:
        inside[int(name) if name.isdecimal() else name] = value
    return changed
