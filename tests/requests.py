"""Every create with a client-chosen request id: its route and body."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from tests.customers.bank_accounts.bodies import whole
from tests.payments.engine.dry_run_flows import FLOWS
from tests.payments.virtual_accounts.virtual_account_setup import (
    RULES,
    at,
    deposit_body,
    fixed,
    make_account,
    make_receiver,
    make_rule,
    rule_body,
)
from tests.payouts import make_payee, way
from tests.resolution_team import RESOLUTIONS, make_stuck_transfer
from tests.resolution_team import body as resolution_body
from tests.tenants import Tenant, individual, make_agreement


@dataclass(frozen=True)
class Create:
    """Create of one organisation, with a valid body; `member` is the name of its id."""

    path: str
    body: dict[str, Any]
    member: str = "requestId"


async def _user(org: Tenant) -> Create:
    body = individual(await make_agreement(org), requestId=str(uuid4()))
    return Create("/v2/users", body)


async def _account(org: Tenant) -> Create:
    user = await make_payee(org)
    return Create(f"/v2/users/{user}/accounts", {**whole(way("us", "wire")), **_fresh()})


async def _rule(org: Tenant) -> Create:
    del org
    return Create(RULES, rule_body())


async def _rule_update(org: Tenant) -> Create:
    rule = await make_rule(org)
    return Create(f"{RULES}/{rule['id']}/update", rule_body(fixed(1)))


async def _deposit(org: Tenant) -> Create:
    user = await make_receiver(org)
    account = await make_account(org, user)
    return Create(at(user, account["id"], "simulate-deposit"), deposit_body("100"))


async def _link(org: Tenant) -> Create:
    del org
    return Create("/v2/tos-link", {"idempotencyKey": str(uuid4())}, "idempotencyKey")


async def _resolution(org: Tenant) -> Create:
    return Create(RESOLUTIONS, resolution_body(await make_stuck_transfer(org), "FAIL"))


def _payment(name: str) -> Callable[[Tenant], Awaitable[Create]]:
    async def make(org: Tenant) -> Create:
        return Create(FLOWS[name].path, await FLOWS[name].body(org))

    return make


def _fresh() -> dict[str, str]:
    return {"requestId": str(uuid4())}


# The kind of each in GET /v2/requests.
CREATES: dict[str, tuple[str, Callable[[Tenant], Awaitable[Create]]]] = {
    "swap": ("WALLET.SWAP", _payment("swap")),
    "transfer": ("WALLET.TRANSFER", _payment("transfer")),
    "batch": ("WALLET.TRANSFER.BATCH", _payment("batch")),
    "bridge": ("WALLET.BRIDGE", _payment("bridge")),
    "onramp": ("ONRAMP", _payment("onramp")),
    "offramp": ("OFFRAMP", _payment("offramp")),
    "user": ("USER", _user),
    "account": ("BANK_ACCOUNT", _account),
    "rule": ("SETTLEMENT_RULE", _rule),
    "rule update": ("SETTLEMENT_RULE", _rule_update),
    "deposit": ("SIMULATED_DEPOSIT", _deposit),
    "resolution": ("RESOLUTION", _resolution),
    "terms link": ("TERMS_LINK", _link),
}
