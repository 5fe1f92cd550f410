"""Payments of users who were erased are resolved like any other: a bank answers for months."""

from tests.onramps import check_books, deposit, make_onramp, settle
from tests.payouts import make_payee
from tests.receivables import make_receivable
from tests.resolution_team import (
    EVIDENCE,
    RESOLUTIONS,
    body,
    carry_out_by_clock,
    resolve_by_clock,
)
from tests.tenants import Tenant, make_transfer, make_user, refusal


async def erase(org: Tenant, user: str) -> None:
    await org.post(f"/v2/users/{user}/freeze", {})
    erased = await org.send("DELETE", f"/v2/users/{user}/personal-data")
    assert erased.status_code == 200


async def test_a_request_that_is_repeated_after_the_erasure_is_the_same(org: Tenant) -> None:
    user = await make_payee(org, funds=None)
    onramp = await make_onramp(org, user)
    await deposit(org, onramp)
    await settle(org)
    await make_transfer(org, user, await make_user(org), 100)
    await settle(org)
    request = body(await make_receivable(org, onramp), "WRITE_OFF")
    first = await org.post(RESOLUTIONS, request)
    await carry_out_by_clock(org, first)
    await erase(org, user)
    again = await org.post(RESOLUTIONS, request)
    assert (again["id"], again["status"]) == (first["id"], "COMPLETED")
    other = await org.send("POST", RESOLUTIONS, {**request, "action": "RECOVER"})
    assert refusal(other) == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"


async def test_a_receivable_of_an_erased_user_is_written_off(org: Tenant) -> None:
    user = await make_payee(org, funds=None)
    onramp = await make_onramp(org, user)
    await deposit(org, onramp)
    await settle(org)
    await make_transfer(org, user, await make_user(org), 100)
    await settle(org)
    await erase(org, user)
    # The bank takes the deposit back after the erasure.
    owed = await make_receivable(org, onramp)
    done = await resolve_by_clock(org, owed, "WRITE_OFF")
    assert (done["status"], done["evidence"]) == ("COMPLETED", EVIDENCE)
    await check_books(org)
