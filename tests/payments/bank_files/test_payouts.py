"""Payouts by file, from the API to the bank, in a container with file rails."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx2
import msgspec
import pytest

from landbridge.app.container import Container, wire
from landbridge.app.settings import SettingsInvalid, read
from landbridge.payments.bank_files.orders import build_order, format_of, rejection_reason
from landbridge.payments.bank_files.rails import FileRails
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.iso20022 import pain001
from landbridge.providers.nacha.reading import read as read_nacha
from landbridge.providers.rails.none import NoRails
from landbridge.providers.rails.sandbox import SandboxRails
from landbridge.providers.screening.model import OFAC_SDN
from tests.customers.bank_accounts.bodies import Case, whole
from tests.onramps import deposit, make_onramp, make_payer, retrieve, settle
from tests.payments.bank_files.builders import USD, by_ach, funding
from tests.payments.limits.limit_setup import set_rules
from tests.payouts import (
    OFFRAMPS,
    WAYS,
    accept,
    check_books,
    make_account,
    make_offramp,
    make_payee,
    offramp_body,
    shown,
    way,
)
from tests.providers.screening.lists import person, sanctions_list
from tests.resolution_team import RESOLUTIONS, body, carry_out_by_clock, resolve_by_clock
from tests.tenants import SETTINGS, Tenant, make_tenant, refusal, run_due, sentence, served

MASTER_KEY = "bGFuZGJyaWRnZSB0ZXN0cyBvbmx5IC0gMzIgYnl0ZXM="


@pytest.fixture(scope="module")
async def container(database: Database) -> Container:
    settings = msgspec.structs.replace(SETTINGS, rails="files")
    return wire(settings, database, Clock(await take_node(database)))


@pytest.fixture(scope="module")
async def client(container: Container) -> AsyncIterator[httpx2.AsyncClient]:
    async with served(container) as client:
        yield client


@pytest.fixture
async def org(container: Container, client: httpx2.AsyncClient, tmp_path: Path) -> Tenant:
    org = await make_tenant(container, client)
    await container.funding_accounts.set(
        org.org_id, funding(USD, tmp_path), actor="test", at=container.clock.stamp()
    )
    return org


async def test_a_payout_by_wire_is_completed_by_the_statement(org: Tenant, tmp_path: Path) -> None:
    offramp = await _under_way(org, way("us", "wire"))
    assert (await shown(org, offramp))["status"] == "FIAT_PENDING"
    (content,) = await _written(org, tmp_path)
    (transfer,) = pain001.read(content).transfers
    assert str(transfer.money) == "100"
    await _report_result(org, transfer.end_to_end_id, reason=None)
    done = await shown(org, offramp)
    assert done["status"] == "COMPLETED"
    assert _tracking(done)["uetr"] == str(transfer.uetr)
    await check_books(org)


async def test_a_payout_that_the_bank_rejects_returns_the_coins(
    org: Tenant, tmp_path: Path
) -> None:
    offramp = await _under_way(org, way("us", "wire"))
    (content,) = await _written(org, tmp_path)
    (transfer,) = pain001.read(content).transfers
    await _report_result(
        org, transfer.end_to_end_id, reason="the bank rejected it: no such account"
    )
    ended = await shown(org, offramp)
    assert ended["status"] == "CRYPTO_RETURNED"
    assert ended["failedReason"] == "the bank rejected it: no such account"
    await check_books(org)


@pytest.mark.parametrize(
    ("action", "status"), [("FAIL", "CRYPTO_RETURNED"), ("CONFIRM", "COMPLETED")]
)
async def test_a_queued_payout_that_people_decide_on_is_in_no_file(
    org: Tenant, tmp_path: Path, action: str, status: str
) -> None:
    offramp = await _under_way(org, way("us", "ach"))
    resolution = await resolve_by_clock(org, offramp["id"], action)
    assert resolution["status"] == "COMPLETED"
    assert (await shown(org, offramp))["status"] == status
    await org.post("/v2/sandbox/clock/advance", {"seconds": 12 * 86_400})
    assert not (tmp_path / "out").exists()
    assert (await shown(org, offramp))["status"] == status
    await check_books(org)


@pytest.mark.parametrize("reason", ["user", "review", "organisation", "block", "list"])
async def test_a_queued_payout_is_in_no_file_while_it_is_stopped(
    org: Tenant, tmp_path: Path, reason: str
) -> None:
    offramp, other = [await _under_way(org, way("us", "wire")) for _ in range(2)]
    user, rfi = offramp["source"]["userId"], f"/v2/sandbox/transfers/{offramp['id']}/rfi"
    if reason == "user":
        await org.post(f"/v2/users/{user}/freeze", {})
    elif reason == "review":
        await org.post(rfi, {"action": "open"})
    elif reason == "block":
        await set_rules(org, block={"destinations": [offramp["destination"]["accountId"]]})
    elif reason == "list":
        await _list_holder(org, offramp)
    else:
        await org.container.orgs.freeze(org.org_id)
    files = await _write(org, tmp_path)
    # Both payouts go to the same account, under two ids.
    assert len(files) == (0 if reason in {"organisation", "block", "list"} else 1)
    assert (await shown(org, other))["status"] == "FIAT_PENDING"
    await org.container.orgs.unfreeze(org.org_id)
    if reason == "user":
        await org.post(f"/v2/users/{user}/unfreeze", {})
    elif reason == "review":
        await org.post(rfi, {"action": "close"})
    elif reason == "list":
        for each in (offramp, other):
            account = each["destination"]["accountId"]
            await org.post(f"/v2/reviews/accounts/{account}", {"decision": "approve"})
    await set_rules(org)
    transfers = [
        each for file in await _write(org, tmp_path) for each in pain001.read(file).transfers
    ]
    assert len(transfers) == 2


@pytest.mark.parametrize("end", ["rejected", "deleted"])
async def test_a_queued_payout_to_a_listed_holder_waits_for_people(
    org: Tenant, tmp_path: Path, end: str
) -> None:
    offramp = await _under_way(org, way("us", "wire"))
    await _list_holder(org, offramp)
    account = offramp["destination"]["accountId"]
    if end == "deleted":
        await org.send("DELETE", f"/v2/users/{offramp['source']['userId']}/accounts/{account}")
    else:
        await org.post(f"/v2/reviews/accounts/{account}", {"decision": "reject"})
    assert not await _write(org, tmp_path)
    await resolve_by_clock(org, offramp["id"], "FAIL")
    assert (await shown(org, offramp))["status"] == "CRYPTO_RETURNED"
    await check_books(org)


async def test_a_deposit_goes_back_in_no_file_while_it_is_in_review(
    org: Tenant, tmp_path: Path
) -> None:
    onramp = await make_onramp(org, await make_payer(org), 100)
    await deposit(org, onramp, amount="50")
    await settle(org)
    assert (await retrieve(org, onramp))["status"] == "FIAT_FAILED"
    rfi = f"/v2/sandbox/transfers/{onramp['id']}/rfi"
    await org.post(rfi, {"action": "open"})
    assert await _write(org, tmp_path) == []
    await org.post(rfi, {"action": "close"})
    assert len(await _write(org, tmp_path)) == 1


async def test_a_decision_about_a_payout_is_void_once_a_file_has_it(
    org: Tenant, tmp_path: Path
) -> None:
    offramp = await _under_way(org, way("us", "ach"))
    created = await org.post(RESOLUTIONS, body(offramp["id"], "FAIL"))
    assert await _written(org, tmp_path)
    resolution = await carry_out_by_clock(org, created)
    assert resolution["status"] == "VOID"
    assert resolution["failedReason"] == "its payment was put into a file for the bank meanwhile"
    assert (await shown(org, offramp))["status"] == "FIAT_PENDING"


@pytest.mark.parametrize(("action", "status"), [("FAIL", "FAILED"), ("CONFIRM", "SETTLED")])
async def test_a_payout_at_the_bank_ends_with_the_decision_about_it(
    org: Tenant, tmp_path: Path, action: str, status: str
) -> None:
    offramp = await _under_way(org, way("us", "wire"))
    assert await _written(org, tmp_path)
    assert (await resolve_by_clock(org, offramp["id"], action))["status"] == "COMPLETED"
    (row,) = await org.container.database.rows(
        "select status from bank_payments where org_id = $1", org.org_id
    )
    assert row["status"] == status
    await check_books(org)


async def test_advancing_the_sandbox_clock_writes_due_files_and_settles_ach(
    org: Tenant, tmp_path: Path
) -> None:
    offramp = await _under_way(org, way("us", "ach"))
    await org.post("/v2/sandbox/clock/advance", {"seconds": 12 * 86_400})
    (content,) = _out(tmp_path)
    (batch,) = read_nacha(content).batches
    done = await shown(org, offramp)
    assert done["status"] == "COMPLETED"
    assert _tracking(done)["traceNumber"] == batch.entries[0].trace_number
    await check_books(org)


async def test_an_unsupported_rail_is_rejected_before_coins_are_taken(
    org: Tenant,
) -> None:
    user = await make_payee(org)
    body = offramp_body(user, await make_account(org, user, way("us", "rtp")))
    answer = await org.send("POST", OFFRAMPS, body)
    assert refusal(answer) == "400 INVALID_ACCOUNT_FOR_TRANSACTION"
    assert sentence(answer) == (
        "destination.accountId: the bank can't pay this account: "
        "the organisation's bank account does not pay by rtp"
    )


@pytest.mark.parametrize("case", WAYS.values(), ids=WAYS)
def test_every_bank_account_type_of_a_supported_rail_can_be_paid(case: Case) -> None:
    body = whole(case)
    bank: dict[str, Any] = body[body["type"]]
    table = case.table
    rail = bank.get("transferType") or str(table.payment_rail)
    format_ = format_of(rail)
    currency = bank["currency"]
    if format_ is None or not bank.get("swiftCode", "x"):
        return
    payment = by_ach(
        UUID(int=1), rail=rail, currency=currency, texts={"purposeOfPayment": "payroll"}
    )
    payee = {"type": body["type"], "accountHolder": body["accountHolder"], body["type"]: bank}
    payment = replace(payment, payee=payee)
    assert rejection_reason(payment, build_order(payment), format_) is None


@pytest.mark.parametrize(
    ("mode", "rails", "kind"),
    [
        ("sandbox", None, SandboxRails),
        ("sandbox", "files", FileRails),
        ("sandbox", "none", NoRails),
        ("production", None, NoRails),
        ("production", "files", FileRails),
    ],
)
def test_a_setting_picks_the_rails(
    database: Database, mode: str, rails: str | None, kind: type[object]
) -> None:
    variables = {"LANDBRIDGE_MODE": mode, "LANDBRIDGE_MASTER_KEY": MASTER_KEY}
    settings = read(variables | ({} if rails is None else {"LANDBRIDGE_RAILS": rails}))
    assert isinstance(wire(settings, database, Clock(node=1)).rails, kind)


@pytest.mark.parametrize(("mode", "rails"), [("production", "sandbox"), ("sandbox", "carrier")])
def test_unknown_rails_prevent_the_start(mode: str, rails: str) -> None:
    variables = {
        "LANDBRIDGE_MODE": mode,
        "LANDBRIDGE_MASTER_KEY": MASTER_KEY,
        "LANDBRIDGE_RAILS": rails,
    }
    with pytest.raises(SettingsInvalid, match="LANDBRIDGE_RAILS"):
        read(variables)


def _tracking(done: Mapping[str, Any]) -> Mapping[str, Any]:
    return done["receipt"]["paymentTracking"]


async def _under_way(org: Tenant, case: Case) -> dict[str, Any]:
    user = await make_payee(org)
    offramp = await make_offramp(org, user, await make_account(org, user, case))
    await accept(org, offramp)
    await run_due(org)
    return offramp


async def _list_holder(org: Tenant, offramp: Mapping[str, Any]) -> None:
    """Load a list that names the holder of the account, and compare all accounts with it."""
    path = f"/v2/users/{offramp['source']['userId']}/accounts"
    account = await org.get(f"{path}/{offramp['destination']['accountId']}")
    name = account["accountHolder"]["name"]
    await org.container.screening.load(sanctions_list([person(1, name)]), is_forced=True)
    await org.container.account_rescreening.run({org.org_id: timedelta()})
    # All organisations of the database share it.
    await org.container.screening.unload(OFAC_SDN)
    account = await org.get(f"{path}/{offramp['destination']['accountId']}")
    assert account["status"] == "PENDING"


async def _write(org: Tenant, folder: Path) -> list[bytes]:
    """Return the files that the bank gets, which may be none."""
    await org.container.bank_file_writer.run({org.org_id: timedelta()}, is_early=True)
    return _out(folder) if (folder / "out").exists() else []


async def _written(org: Tenant, folder: Path) -> list[bytes]:
    """Return the files that the bank gets."""
    await org.container.bank_file_writer.run({org.org_id: timedelta()}, is_early=True)
    return _out(folder)


def _out(folder: Path) -> list[bytes]:
    return [each.read_bytes() for each in sorted((folder / "out").iterdir())]


async def _report_result(org: Tenant, end_to_end_id: str, *, reason: str | None) -> None:
    """Report a payment's result by the bank, and run the worker."""
    payments, database = org.container.bank_payments, org.container.database
    at = org.container.clock.now()
    found = await database.single(
        lambda tx: payments.find_by_end_to_end(tx, org.org_id, "usd", end_to_end_id)
    )
    assert found is not None
    if reason is None:
        await database.transact(lambda tx: payments.settle_in(tx, found, at=at))
    else:
        await database.transact(lambda tx: payments.fail_in(tx, found, reason=reason, at=at))
    await payments.schedule_check(found, at)
    await run_due(org)
