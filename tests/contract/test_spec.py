"""Each row of the specification's tables, under its name there.

Rows about the shape of swaps, lists and templates are checked on live replies. Rows about behaviour
(approvals, expiry, events) run over HTTP here; events are read in the change log.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest

from landbridge.app.container import Container
from landbridge.payments.swaps.model import SwapStatus
from landbridge.platform.core.clock import FrozenClock
from landbridge.providers.chains.tokens import Chain
from tests.onramps import deposit, make_onramp, make_payer, settle
from tests.payouts import accept, make_account, make_offramp, make_payee, shown
from tests.tenants import SWAPS, Tenant, held, make_swap, make_tenant, make_user, swap_body

TEMPLATES = "/v2/reporting/templates"


@dataclass(frozen=True, slots=True)
class World:
    """Objects that the rows inspect."""

    org: Tenant
    user: str
    swap: Mapping[str, Any]  # as retrieve returns a completed one
    page: Mapping[str, Any]
    templates: Mapping[str, Any]


@pytest.fixture(scope="module")
async def world(container: Container, client: httpx2.AsyncClient) -> World:
    org = await make_tenant(container, client)
    user = await make_user(org, funds="100")
    created = await make_swap(org, user, "10", status=SwapStatus.COMPLETED)
    await make_swap(org, user, "5")
    return World(
        org=org,
        user=user,
        swap=await org.get(f"{SWAPS}/{created['id']}"),
        page=await org.get(SWAPS),
        templates=await org.get(TEMPLATES),
    )


Check = Callable[[Any], bool]


def is_uuid(value: Any) -> bool:
    return isinstance(value, str) and str(UUID(value)) == value


def is_moment(value: Any) -> bool:
    """ISO 8601 with fractional seconds and an offset."""
    return bool(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+[+-]\d\d:\d\d", value))


def is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_decimal_text(value: Any) -> bool:
    return isinstance(value, str) and bool(re.fullmatch(r"\d+(\.\d+)?", value))


def is_quoted(value: Any) -> bool:
    """An amount as a string, with its currency."""
    return set(value) == {"amount", "currency"} and is_decimal_text(value["amount"])


def is_object(value: Any) -> bool:
    return isinstance(value, dict)


def is_null(value: Any) -> bool:
    return value is None


def is_number_or_null(value: Any) -> bool:
    return value is None or is_number(value)


SWAP_ROWS: list[tuple[str, str, Check]] = [
    ("Swap transfer record", "transferType", lambda value: value == "WALLET.SWAP"),
    ("Swap transfer record", "transferDetails", is_object),
    ("transferDetails", "id", is_uuid),
    ("transferDetails", "requestId", is_uuid),
    ("transferDetails", "status", lambda value: value == "COMPLETED"),
    ("transferDetails", "createdAt", is_moment),
    ("transferDetails", "updatedAt", is_moment),
    ("transferDetails", "source", is_object),
    ("transferDetails", "destination", is_object),
    ("transferDetails", "error", is_null),
    ("transferDetails", "errorDetails", is_null),
    ("transferDetails", "quoteInformation", is_object),
    ("source", "currency", lambda value: value == "usdc"),
    ("source", "amount", is_number),
    ("source", "chain", lambda value: value == Chain.POLYGON),
    ("source", "userId", is_uuid),
    ("destination", "currency", lambda value: value == "usdt"),
    ("destination", "userId", is_uuid),
    ("destination", "externalWalletId", is_null),
    ("destination", "amount", is_number_or_null),
    ("destination", "chain", lambda value: value == Chain.POLYGON),
    ("destination", "walletAddress", is_text),
    ("quoteInformation", "sendGross", is_quoted),
    ("quoteInformation", "sendNet", is_quoted),
    ("quoteInformation", "receiveGross", is_quoted),
    ("quoteInformation", "receiveNet", is_quoted),
    ("quoteInformation", "rate", is_decimal_text),
    ("quoteInformation", "expiresAt", is_moment),
]


@pytest.mark.parametrize(
    ("table", "field", "check"), SWAP_ROWS, ids=[f"{a}: {b}" for a, b, _ in SWAP_ROWS]
)
async def test_field_of_a_swap(world: World, table: str, field: str, check: Check) -> None:
    details = world.swap["transferDetails"]
    holder = {"Swap transfer record": world.swap, "transferDetails": details}
    for record in (world.swap, *world.page["data"]):
        of = holder if record is world.swap else _parts(record)
        assert field in (of.get(table) or record["transferDetails"][table])
    assert check((holder.get(table) or details[table])[field])


def _parts(record: Mapping[str, Any]) -> dict[str, Any]:
    return {"Swap transfer record": record, "transferDetails": record["transferDetails"]}


LIST_ROWS: list[tuple[str, Callable[[Mapping[str, Any]], bool]]] = [
    ("count", lambda page: page["count"] == len(page["data"]) == 2),
    ("data", lambda page: {each["transferType"] for each in page["data"]} == {"WALLET.SWAP"}),
    (
        "nextCursor",
        lambda page: page["nextCursor"] == page["data"][-1]["transferDetails"]["updatedAt"],
    ),
]


@pytest.mark.parametrize(("field", "check"), LIST_ROWS, ids=[each for each, _ in LIST_ROWS])
async def test_field_of_the_swap_list(
    world: World, field: str, check: Callable[[Mapping[str, Any]], bool]
) -> None:
    assert field in world.page
    assert check(world.page)


def _is_list_of_texts(value: list[Any]) -> bool:
    return all(isinstance(each, str) for each in value)


TEMPLATE_ROWS: list[tuple[str, str, Check]] = [
    ("Metric template list response", "status", lambda value: value == "success"),
    ("Metric template list response", "data", lambda value: isinstance(value, list)),
    ("Metric template list response", "metadata", lambda value: isinstance(value["count"], int)),
    ("Template", "name", is_text),
    ("Template", "displayName", is_text),
    ("Template", "description", is_text),
    ("Template", "params", lambda value: isinstance(value, list)),
    ("Template", "supportsBreakdowns", lambda value: isinstance(value, bool)),
    ("Template", "breakdownOptions", _is_list_of_texts),
    ("Param", "name", is_text),
    ("Param", "type", is_text),
    ("Param", "required", lambda value: isinstance(value, bool)),
    ("Param", "description", is_text),
    ("Param", "options", lambda value: isinstance(value, list)),
    ("Param", "constraints", is_object),
]


@pytest.mark.parametrize(
    ("table", "field", "check"), TEMPLATE_ROWS, ids=[f"{a}: {b}" for a, b, _ in TEMPLATE_ROWS]
)
async def test_field_of_metric_templates(
    world: World, table: str, field: str, check: Check
) -> None:
    templates = world.templates["data"]
    found: dict[str, list[Any]] = {
        "Metric template list response": [world.templates],
        "Template": templates,
        "Param": [param for template in templates for param in template["params"]],
    }
    assert found[table]
    assert all(check(each[field]) for each in found[table])
    assert world.templates["metadata"]["count"] == len(templates)


async def test_query_user_id_restricts_to_the_given_user(world: World) -> None:
    assert (await world.org.get(SWAPS, userId=world.user))["count"] == 2
    outsider = await make_user(world.org)
    assert (await world.org.get(SWAPS, userId=outsider))["count"] == 0


async def test_query_limit_and_limits_limit_default_10_maximum_100(org: Tenant) -> None:
    user = await make_user(org, funds="100")
    for _ in range(12):
        await make_swap(org, user)
    assert (await org.get(SWAPS))["count"] == 10
    assert (await org.get(SWAPS, limit="11"))["count"] == 11
    assert (await org.get(SWAPS, limit="100"))["count"] == 12
    assert await org.refused("GET", SWAPS, limit="101") == "400 FIELD_VALIDATION_ERROR"


async def test_query_created_before_and_created_after_take_a_date(world: World) -> None:
    swaps = (await world.org.get(SWAPS))["data"]
    days = {datetime.fromisoformat(each["transferDetails"]["createdAt"]).date() for each in swaps}
    # Two days, if a midnight passed between the two swaps.
    today, tomorrow = min(days).isoformat(), (max(days) + timedelta(days=1)).isoformat()
    assert (await world.org.get(SWAPS, createdAfter=today))["count"] == 2
    assert (await world.org.get(SWAPS, createdAfter=tomorrow))["count"] == 0
    assert (await world.org.get(SWAPS, createdBefore=tomorrow))["count"] == 2
    assert (await world.org.get(SWAPS, createdBefore=today))["count"] == 0


async def test_operations_on_swaps_create_accept_list_and_retrieve(org: Tenant) -> None:
    created = await org.post(SWAPS, swap_body(await make_user(org, funds="1"), "1"))
    path = f"{SWAPS}/{created['transferDetails']['id']}"
    assert await org.get(path) == created
    accepted = await org.post(f"{path}/accept")
    assert accepted["transferDetails"]["status"] == "COMPLETED"
    assert accepted in (await org.get(SWAPS, limit="100"))["data"]


async def test_a_swap_is_not_started_without_the_balance(org: Tenant) -> None:
    user = await make_user(org, funds="1")
    assert await org.refused("POST", SWAPS, swap_body(user, "2")) == "400 INSUFFICIENT_BALANCE"
    assert (await org.get(SWAPS))["count"] == 0
    assert await held(org, user) == "1"


async def test_authentication_a_request_without_a_valid_header_is_not_served(
    client: httpx2.AsyncClient,
) -> None:
    for path in (SWAPS, TEMPLATES):
        assert (await client.get(path)).status_code == 401
        headers = {"Authorization": "Bearer not-a-key"}
        assert (await client.get(path, headers=headers)).status_code == 401


ON_CHAIN = {
    "wallet transfers": (
        "/v2/wallets/transfers",
        {"amount": 1, "currency": "usdc", "chain": "POLYGON"},
    ),
    "batch transfers": ("/v2/wallets/transfers/batches", {"currency": "usdc", "chain": "POLYGON"}),
    "bridging": ("/v2/wallets/bridges", {"amount": 1}),
}


def _on_chain(kind: str, user: str, payee: str) -> tuple[str, dict[str, Any]]:
    """Return path and body of a payment of one coin that requires approval."""
    path, body = ON_CHAIN[kind]
    source, destination = {"userId": user}, {"userId": payee}
    if kind == "batch transfers":
        destination = {"batch": [{**destination, "amount": "1"}]}
    if kind == "bridging":
        source |= {"chain": "POLYGON", "currency": "usdc"}
        destination |= {"chain": "ETHEREUM", "currency": "usdc"}
    ends = {"source": source, "destination": destination}
    return path, {**body, **ends, "requestId": str(uuid4()), "requireApproval": True}


@pytest.mark.parametrize("kind", list(ON_CHAIN))
async def test_limits_expiry_of_pending_approval_onchain_transfers_is_1_week(
    still_org: Tenant, still_clock: FrozenClock, kind: str
) -> None:
    user, payee = await make_user(still_org, funds="10"), await make_user(still_org)
    path, body = _on_chain(kind, user, payee)
    created = (await still_org.post(path, body))["transferDetails"]
    assert await _statuses_around(still_org, still_clock, f"{path}/{created['id']}", weeks=1) == [
        "PENDING_APPROVAL",
        "EXPIRED",
    ]


async def test_limits_expiry_of_pending_approval_offramps_is_1_day(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    user = await make_payee(still_org)
    account = await make_account(still_org, user)
    created = await make_offramp(still_org, user, account, requireApproval=True)
    path = f"/v2/offramps/{created['id']}"
    assert await _statuses_around(still_org, still_clock, path, days=1) == [
        "PENDING_APPROVAL",
        "EXPIRED",
    ]


async def _statuses_around(
    org: Tenant, clock: FrozenClock, path: str, **lifetime: int
) -> list[str]:
    """Return the statuses of a record a second before this time has passed, and just after it."""
    created = (await org.get(path))["transferDetails"]
    deadline = datetime.fromisoformat(created["createdAt"]) + timedelta(**lifetime)
    found: list[str] = []
    for at in (deadline - timedelta(seconds=1), deadline):
        clock.at = at
        await org.container.scheduler.run_all({org.org_id: timedelta()})
        found.append((await org.get(path))["transferDetails"]["status"])
    return found


async def test_offramps_in_the_approval_flow_are_quoted_after_approval(org: Tenant) -> None:
    user = await make_payee(org)
    created = await make_offramp(org, user, await make_account(org, user), requireApproval=True)
    assert (created["status"], created["quoteInformation"]) == ("PENDING_APPROVAL", None)
    (approval,) = (await org.get("/v2/transfer-approvals"))["approvals"]
    before = await org.container.orgs.now(org.org_id)
    await org.post(f"/v2/transfer-approvals/{approval['id']}/approve", {})
    quote = (await shown(org, created))["quoteInformation"]
    assert datetime.fromisoformat(quote["expiresAt"]) >= before + timedelta(minutes=10)


async def test_amount_in_usd_is_populated_for_all_offramps(org: Tenant) -> None:
    user = await make_payee(org)
    account = await make_account(org, user)
    for requires_approval in (None, True):
        created = await make_offramp(org, user, account, "12.34", requireApproval=requires_approval)
        assert created["amount_in_usd"] == 12.34
    listed = (await org.get("/v2/offramps"))["records"]
    assert [each["transferDetails"]["amount_in_usd"] for each in listed] == [12.34, 12.34]


_LOG = """
select kind, change_type, status_after
from changes
where org_id = $1 and kind = any($2::text[])
"""


@pytest.fixture(scope="module")
async def event_types(container: Container, client: httpx2.AsyncClient) -> set[str]:
    """Event types of an onramp and an offramp with a request for information each."""
    org = await make_tenant(container, client)
    payer, payee = await make_payer(org), await make_payee(org)
    onramp = await make_onramp(org, payer)
    offramp = await make_offramp(org, payee, await make_account(org, payee))
    for record in (onramp, offramp):
        for action in ("open", "close"):
            await org.post(f"/v2/sandbox/transfers/{record['id']}/rfi", {"action": action})
    await deposit(org, onramp)
    await accept(org, offramp)
    await settle(org)
    kinds = [f"{ramp}{rest}" for ramp in ("ONRAMP", "OFFRAMP") for rest in ("", ".RFI")]
    rows = await container.database.rows(_LOG, org.org_id, kinds)
    names = {f"{row['kind']}.{row['change_type'].upper()}" for row in rows if "RFI" in row["kind"]}
    names |= {f"{row['kind']}.TRANSACTION.CREATE" for row in rows if row["change_type"] == "open"}
    return names | {f"{row['kind']}.STATUS.{row['status_after']}" for row in rows}


@pytest.mark.parametrize(
    "event",
    [
        "ONRAMP.TRANSACTION.CREATE",
        "OFFRAMP.TRANSACTION.CREATE",
        "ONRAMP.STATUS.OPEN_QUOTE",
        "ONRAMP.STATUS.AWAITING_FUNDS",
        "ONRAMP.STATUS.IN_REVIEW",
        "ONRAMP.STATUS.FIAT_PENDING",
        "ONRAMP.STATUS.FIAT_PROCESSED",
        "ONRAMP.STATUS.CRYPTO_INITIATED",
        "ONRAMP.STATUS.CRYPTO_PENDING",
        "ONRAMP.STATUS.COMPLETED",
        "OFFRAMP.STATUS.OPEN_QUOTE",
        "OFFRAMP.STATUS.IN_REVIEW",
        "OFFRAMP.STATUS.CRYPTO_INITIATED",
        "OFFRAMP.STATUS.CRYPTO_PENDING",
        "OFFRAMP.STATUS.CRYPTO_PROCESSED",
        "OFFRAMP.STATUS.FIAT_INITIATED",
        "OFFRAMP.STATUS.FIAT_PENDING",
        "OFFRAMP.STATUS.COMPLETED",
        "ONRAMP.RFI.OPEN",
        "ONRAMP.RFI.CLOSED",
        "OFFRAMP.RFI.OPEN",
        "OFFRAMP.RFI.CLOSED",
    ],
)
def test_event(event_types: set[str], event: str) -> None:
    assert event in event_types
