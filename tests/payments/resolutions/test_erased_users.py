"""Payments of users who were erased are resolved like any other: a bank answers for months."""

from tests.onramps import check_books, deposit, make_onramp, settle
from tests.payouts import make_payee
from tests.receivables import make_receivable
from tests.resolution_team import EVIDENCE, resolve_by_clock
from tests.tenants import Tenant, make_transfer, make_user


async def test_a_receivable_of_an_erased_user_is_written_off(org: Tenant) -> None:
    user = await make_payee(org, funds=None)
    onramp = await make_onramp(org, user)
    await deposit(org, onramp)
    await settle(org)
    await make_transfer(org, user, await make_user(org), 100)
    await settle(org)
    await org.post(f"/v2/users/{user}/freeze", {})
    erased = await org.send("DELETE", f"/v2/users/{user}/personal-data")
    assert erased.status_code == 200
    # The bank takes the deposit back after the erasure.
    owed = await make_receivable(org, onramp)
    done = await resolve_by_clock(org, owed, "WRITE_OFF")
    assert (done["status"], done["evidence"]) == ("COMPLETED", EVIDENCE)
    await check_books(org)
