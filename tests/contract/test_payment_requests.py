"""Requests of existing clients are accepted: every published variant, with every member.

Each is sent as it is; with null for every omitted optional member; and with unknown members, which
are ignored.
"""

from copy import deepcopy
from typing import Any, cast
from uuid import uuid4

import pytest

from tests.contract.payment_requests import VARIANTS, Request, Scene
from tests.contract.published_payments import BODIES
from tests.contract.published_virtual_accounts import BODIES as VIRTUAL_BODIES
from tests.onramps import ONRAMPS, make_onramp, make_payer
from tests.payments.virtual_accounts.virtual_account_setup import RULES, at
from tests.payments.virtual_accounts.virtual_account_setup import (
    make_account as make_virtual_account,
)
from tests.payouts import OFFRAMPS, make_account, make_offramp, make_payee
from tests.tenants import (
    BATCHES,
    BRIDGES,
    TRANSFERS,
    Tenant,
    fund,
    make_bridge,
    make_transfer,
    make_user,
)


@pytest.mark.parametrize("name", VARIANTS)
async def test_published_request_is_accepted(org: Tenant, name: str) -> None:
    variant = VARIANTS[name]
    chains = ["POLYGON", "BASE"]
    user = (
        await make_payee(org, *variant.rails, funds=None, chains=chains)
        if variant.rails
        else await make_user(org, chains=chains)
    )
    await fund(org, user, "1000")
    scene = Scene(org, user, await make_user(org, chains=chains))
    path = variant.route.replace("{userId}", user)
    if "{accountId}" in path:
        account = await make_virtual_account(org, user)
        path = path.replace("{accountId}", account["id"])
    body = await variant.body(scene)
    members = (BODIES | VIRTUAL_BODIES)[f"POST {variant.route}"][0]
    nulls = deepcopy(body)
    for member in members.split():
        _add_null(nulls, member)
    request = body.get("requestId", str(uuid4()))
    replies: list[Any] = []
    for each in (body, nulls, _with_unknown(body)):
        answer = await org.send("POST", path, {**each, "requestId": request})
        assert answer.status_code == 200, (each, answer.text)
        replies.append(answer.json())
    if "requestId*" in members:
        # All of them are one request.
        assert replies[0] == replies[1] == replies[2]


@pytest.mark.parametrize("body", [None, {}, "", "{}", {"notPublished": 1}])
async def test_verbs_accept_any_body_and_none(org: Tenant, body: Any) -> None:
    user = await make_payee(org, chains=["POLYGON", "BASE"])
    account = await make_account(org, user)
    transfers = [
        await make_transfer(org, user, await make_user(org), requireApproval=True) for _ in range(2)
    ]
    approvals = [each["approval"]["id"] for each in transfers]
    onramp = await make_onramp(org, await make_payer(org), is_accepted=False)
    for path in (
        f"{BRIDGES}/{(await make_bridge(org, user, user))['id']}/accept",
        f"{ONRAMPS}/{onramp['id']}/quote/refresh",
        f"{ONRAMPS}/{onramp['id']}/quote/accept",
        f"{OFFRAMPS}/{(await make_offramp(org, user, account))['id']}/quote/accept",
        f"/v2/transfer-approvals/{approvals[0]}/approve",
        f"/v2/transfer-approvals/{approvals[1]}/reject",
    ):
        answer = await org.send("POST", path, body)
        assert answer.status_code == 200, (path, answer.text)


def test_every_create_has_a_variant() -> None:
    routes = {f"POST {each.route}" for each in VARIANTS.values()}
    assert {TRANSFERS, BATCHES, BRIDGES, ONRAMPS, OFFRAMPS, RULES} <= {
        each.removeprefix("POST ") for each in routes
    }
    assert f"POST {at('{userId}')}" in routes


def _add_null(body: Request, member: str) -> None:
    """Set null for an omitted optional member of an object that is present."""
    *parents, name = member.split(".")
    here: Any = body
    for part in parents:
        here = cast("Request", here).get(part) if isinstance(here, dict) else None
    if isinstance(here, dict) and not name.endswith("*"):
        cast("Request", here).setdefault(name, None)


def _with_unknown(value: Any) -> Any:
    """Return the same with an unknown member in every object."""
    match value:
        case dict():
            members = cast("Request", value)
            known = {name: _with_unknown(each) for name, each in members.items()}
            return {**known, "notPublished": {"a": [None, 1.5]}}
        case list():
            return [_with_unknown(each) for each in cast("list[Any]", value)]
        case _:
            return value
