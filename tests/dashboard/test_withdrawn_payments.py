"""A member withdraws a payment that awaits approval."""

import asyncio
import csv
import io
from uuid import UUID

import pytest

from landbridge.payments.approvals.model import WHY_WITHDRAWN
from landbridge.platform.core.errors import Refused
from landbridge.platform.http.caller import MemberRole
from tests.dashboard.browsing import visit
from tests.dashboard.payment_forms import create_payment
from tests.tenants import Tenant, good, make_user

RACES = 8


async def make_pair(org: Tenant) -> tuple[str, str]:
    """Return a user with funds and another."""
    grace = await make_user(org, firstName="Grace", email="grace@example.com")
    return await make_user(org, funds="100"), grace


async def available(org: Tenant, user: str) -> str:
    """Return what the user may spend, in whole coins."""
    coin = {"chain": "POLYGON", "currency": "usdc"}
    balance = await org.get(f"/v2/users/{user}/wallets/balance", **coin)
    return str(int(balance["availableBalance"]) // 1_000_000)


async def test_member_withdraws_own_payment(org: Tenant) -> None:
    ada, grace = await make_pair(org)
    member = await visit(org, MemberRole.MEMBER)
    payment = await create_payment(member, "transfer", ada, to="user", toUser=grace, amount="10")
    assert await available(org, ada) == "90"
    page = await member.load(f"/dashboard/transactions/{payment}")
    (action,) = page.tree.xpath("//form[contains(@action, '/withdraw')]/@action")
    fields = {"kind": "WALLET.TRANSFER"}
    assert await member.submit(str(action), fields) == f"/dashboard/transactions/{payment}"

    after = (await org.get(f"/v2/wallets/transfers/{payment}"))["transferDetails"]
    assert (after["status"], after["failedReason"]) == ("REJECTED", WHY_WITHDRAWN)
    assert after["approval"]["status"] == "EXPIRED"
    (line,) = (await org.get("/v2/transactions", id=payment, expand="parties"))["data"]
    assert line["failedReason"] == WHY_WITHDRAWN
    exported = (await member.open("/dashboard/transactions/csv")).response.text
    (row,) = csv.DictReader(io.StringIO(exported))
    assert (row["id"], row["failedReason"]) == (payment, WHY_WITHDRAWN)
    assert await available(org, ada) == "100"
    shown = await member.load(f"/dashboard/transactions/{payment}")
    assert not shown.tree.xpath("//form[contains(@action, '/withdraw')]")
    entries = (await org.get("/v2/audit-log", limit=100))["entries"]
    by = {(each["kind"], each["actor"]["id"]) for each in entries if each["what"] == "withdraw"}
    assert by == {(kind, str(member.member_id)) for kind in ("APPROVAL", "WALLET.TRANSFER")}
    again = await member.send(str(action), fields)
    assert again.status == 409
    assert "EXPIRED already" in again.text


async def test_batch_is_withdrawn(org: Tenant) -> None:
    ada, _ = await make_pair(org)
    member = await visit(org, MemberRole.MEMBER)
    payment = await create_payment(member, "batch", ada, lines="grace@example.com,1")
    page = await member.load(f"/dashboard/transactions/{payment}")
    (action,) = page.tree.xpath("//form[contains(@action, '/withdraw')]/@action")
    await member.submit(str(action), {"kind": "WALLET.TRANSFER.BATCH"})
    after = await org.get(f"/v2/wallets/transfers/batches/{payment}")
    assert after["transferDetails"]["status"] == "REJECTED"
    assert await available(org, ada) == "100"


async def test_nobody_else_withdraws_it(org: Tenant) -> None:
    ada, grace = await make_pair(org)
    member = await visit(org, MemberRole.MEMBER)
    payment = await create_payment(member, "transfer", ada, to="user", toUser=grace, amount="10")
    path = f"/dashboard/transactions/{payment}"
    for role in MemberRole:
        other = await visit(org, role)
        page = await other.load(path)
        assert not page.tree.xpath("//form[contains(@action, '/withdraw')]")
        assert (await other.send(f"{path}/withdraw", {"kind": "WALLET.TRANSFER"})).status == 403
    assert await available(org, ada) == "90"


async def test_payment_without_approval_can_not_be_withdrawn(org: Tenant) -> None:
    ada, grace = await make_pair(org)
    admin = await visit(org)
    payment = await create_payment(admin, "transfer", ada, to="user", toUser=grace, amount="10")
    path = f"/dashboard/transactions/{payment}/withdraw"
    assert (await admin.send(path, {"kind": "WALLET.TRANSFER"})).status == 404


@pytest.mark.parametrize("attempt", range(RACES))
async def test_withdrawal_and_approval_race_and_one_of_them_wins(org: Tenant, attempt: int) -> None:
    ada, grace = await make_pair(org)
    member = await visit(org, MemberRole.MEMBER)
    payment = await create_payment(member, "transfer", ada, to="user", toUser=grace, amount="10")
    path = f"/v2/wallets/transfers/{payment}"
    approval = (await org.get(path))["transferDetails"]["approval"]["id"]
    session = await org.container.sessions.find(member.cookie)
    assert session is not None

    async def withdraw() -> bool:
        try:
            await org.container.voting.withdraw(session.caller, UUID(payment))
        except Refused:
            return False
        return True

    async def approve() -> bool:
        voted = await org.send("POST", f"/v2/transfer-approvals/{approval}/approve", {})
        return voted.status_code == 200 and bool(good(voted))

    racing = (withdraw(), approve()) if attempt % 2 else (approve(), withdraw())
    outcomes = await asyncio.gather(*racing)
    assert sorted(outcomes) == [False, True]
    status = (await org.get(path))["transferDetails"]["status"]
    is_withdrawn = outcomes[0] if attempt % 2 else outcomes[1]
    assert status == ("REJECTED" if is_withdrawn else "CREATED")
    assert await available(org, ada) == ("100" if is_withdrawn else "90")
