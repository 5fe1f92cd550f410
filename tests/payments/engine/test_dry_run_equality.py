"""A dry run's answer equals what the create and the complete run do, for every kind of payment."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any, cast
from uuid import UUID, uuid4

import pytest

from landbridge.app.container import ASSETS
from landbridge.platform.core.money import Money
from tests.matrices import each_value_once
from tests.payments.engine.dry_run_flows import APPROVABLE, FLOWS, posted
from tests.tenants import Tenant, good, refusal, sentence

NAMES = sorted(FLOWS)
# Amounts whose fees and conversions are rounded; fiat has two decimals.
AMOUNTS = {name: ["12.345679", "11.000001", "17"] for name in NAMES} | {
    "onramp": ["12.37", "11.01", "17"]
}
CASES = each_value_once((name, amount) for name in NAMES for amount in AMOUNTS[name])
# Members that differ between two payments of one request.
OWN_VALUES = frozenset({"id", "feeId", "transferId", "createdAt", "updatedAt", "expiresAt"})

Balances = dict[tuple[str, str], tuple[Decimal, Decimal]]


def _with_amount(name: str, body: Mapping[str, Any], amount: Any) -> dict[str, Any]:
    """Return the body with another amount, and a request id of its own."""
    changed = {**body, "requestId": str(uuid4())}
    match name:
        case "transfer" | "bridge":
            return {**changed, "amount": amount}
        case "batch":
            first, *others = body["destination"]["batch"]
            return {**changed, "destination": {"batch": [{**first, "amount": amount}, *others]}}
        case _:
            return {**changed, "source": {**body["source"], "amount": amount}}


def _without_own_values(reply: Any) -> Any:
    """Return a reply without ids and times."""
    if isinstance(reply, dict):
        members = cast("dict[str, Any]", reply)
        return {
            name: _without_own_values(each)
            for name, each in members.items()
            if name not in OWN_VALUES
        }
    if isinstance(reply, list):
        return [_without_own_values(each) for each in cast("list[Any]", reply)]
    return reply


async def _balances(org: Tenant) -> Balances:
    """Return the available and held coins of every wallet, by address and asset."""
    rows = await org.container.database.rows(
        "select w.address, a.asset, a.available, a.held from accounts a"
        " join wallets w on w.org_id = a.org_id and w.id = a.wallet_id where a.org_id = $1",
        org.org_id,
    )
    return {
        (row["address"], row["asset"]): (
            Money(int(row["available"]), ASSETS[row["asset"]]).decimal,
            Money(int(row["held"]), ASSETS[row["asset"]]).decimal,
        )
        for row in rows
    }


def _planned_changes(reply: Mapping[str, Any]) -> Balances:
    """Return the sums of a dry run's postings to wallets."""
    zero = Decimal(0)
    sums: Balances = defaultdict(lambda: (zero, zero))
    for journal in reply["dryRun"]["journals"]:
        for each in journal["postings"]:
            if each["account"] == "WALLET":
                key = (each["walletAddress"], f"{each['currency']}:{each['chain']}")
                available, held = sums[key]
                sums[key] = (
                    available + Decimal(each["available"]),
                    held + Decimal(each["held"]),
                )
    return {key: each for key, each in sums.items() if any(each)}


def _changes(before: Balances, after: Balances) -> Balances:
    zero = (Decimal(0), Decimal(0))
    changes: Balances = {}
    for key, (available, held) in after.items():
        old_available, old_held = before.get(key, zero)
        changes[key] = (available - old_available, held - old_held)
    return {key: each for key, each in changes.items() if any(each)}


@pytest.mark.parametrize(("name", "amount"), CASES)
async def test_dry_run_equals_the_complete_run(org: Tenant, name: str, amount: Any) -> None:
    flow = FLOWS[name]
    body = _with_amount(name, await flow.body(org), amount)
    dry_run = good(await org.send("POST", flow.path, body, dryRun="true"))
    before = await _balances(org)
    created = await org.post(flow.path, body)
    details = created["transferDetails"]
    # Amounts, fees and rates of the reply.
    assert _without_own_values(details) == _without_own_values(dry_run["transferDetails"])
    await flow.finish(org, flow, details)
    done = (await org.get(f"{flow.path}/{details['id']}"))["transferDetails"]
    assert done["status"] == "COMPLETED"
    assert dry_run["dryRun"]["journals"] == await posted(org, details["id"])
    assert _planned_changes(dry_run) == _changes(before, await _balances(org))


@pytest.mark.parametrize("name", APPROVABLE)
async def test_dry_run_equals_the_approved_and_complete_run(org: Tenant, name: str) -> None:
    flow = FLOWS[name]
    body = _with_amount(name, await flow.body(org), AMOUNTS[name][0]) | {"requireApproval": True}
    dry_run = good(await org.send("POST", flow.path, body, dryRun="true"))
    before = await _balances(org)
    details = (await org.post(flow.path, body))["transferDetails"]
    assert _without_own_values(details) == _without_own_values(dry_run["transferDetails"])
    approvals = org.container.approvals
    approval = (await approvals.of(org.org_id, [UUID(details["id"])]))[UUID(details["id"])]
    approver = replace(org.caller, key_id=uuid4(), can_approve=True)
    await org.container.voting.approve(approver, approval.id, None)
    await flow.finish(org, flow, details)
    assert dry_run["dryRun"]["journals"] == await posted(org, details["id"])
    assert _planned_changes(dry_run) == _changes(before, await _balances(org))


@pytest.mark.parametrize("name", NAMES)
async def test_dry_run_refuses_as_the_create_does(org: Tenant, name: str) -> None:
    flow = FLOWS[name]
    body = await flow.body(org)
    amounts = ("0", "-1", "0.0000001", "x", "9" * 25, "9" * 40)
    refused = [_with_amount(name, body, amount) for amount in amounts]
    strangers: dict[str, Any] = {**body["source"], "userId": str(uuid4())}
    refused.append({**body, "source": strangers})
    refused.append({**body, "source": {}})
    for each in refused:
        answers = [
            await org.send("POST", flow.path, each, **query) for query in ({"dryRun": "true"}, {})
        ]
        assert answers[1].status_code >= 400, each
        assert refusal(answers[0]) == refusal(answers[1])
        assert sentence(answers[0]) == sentence(answers[1])
