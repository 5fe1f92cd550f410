"""Requests for information on real onramps and offramps, by the sandbox's one route."""

from tests.onramps import make_onramp, make_payer
from tests.payouts import make_account, make_offramp, make_payee
from tests.tenants import Tenant, make_transfer, make_user, run_due


async def rfi(org: Tenant, transfer: str, action: str) -> tuple[str, str]:
    """Open or close a request; return the statuses of the payment and its request."""
    answer = await org.post(f"/v2/sandbox/transfers/{transfer}/rfi", {"action": action})
    return answer["status"], answer["rfi"]["status"]


async def kinds(org: Tenant) -> list[tuple[str, str]]:
    rows = await org.container.database.rows(
        "select kind, change_type from changes where org_id = $1 and kind like '%.RFI'"
        " order by occurred_at",
        org.org_id,
    )
    return [(row["kind"], row["change_type"]) for row in rows]


async def test_onramp_waits_and_continues(org: Tenant) -> None:
    user = await make_payer(org)
    onramp = (await make_onramp(org, user, 100, destination={"userId": user}))["id"]
    assert await rfi(org, onramp, "open") == ("IN_REVIEW", "OPEN")
    await run_due(org)
    assert (await org.get(f"/v2/onramps/{onramp}"))["transferDetails"]["status"] == "IN_REVIEW"
    assert await rfi(org, onramp, "close") == ("AWAITING_FUNDS", "CLOSED")
    assert await kinds(org) == [("ONRAMP.RFI", "open"), ("ONRAMP.RFI", "closed")]
    # Opened again, and cancelled together with the payment.
    assert await rfi(org, onramp, "open") == ("IN_REVIEW", "OPEN")
    await org.post(f"/v2/onramps/{onramp}/cancel")
    await run_due(org)
    review = await org.get(f"/v2/reviews/transfers/{onramp}")
    assert [each["status"] for each in review["rfis"]] == ["CLOSED", "CLOSED"]
    assert review["status"] == "NOT_INITIATED"


async def test_offramp_waits_and_continues(org: Tenant) -> None:
    user = await make_payee(org)
    offramp = (await make_offramp(org, user, await make_account(org, user), 100))["id"]
    await org.post(f"/v2/offramps/{offramp}/quote/accept")
    assert await rfi(org, offramp, "open") == ("IN_REVIEW", "OPEN")
    await run_due(org)
    assert (await org.get("/v2/reviews/transfers"))["reviews"][0]["transferId"] == offramp
    # The offramp continues at its previous status, and the worker completes it.
    status, of_rfi = await rfi(org, offramp, "close")
    assert (status, of_rfi) == ("CRYPTO_INITIATED", "CLOSED")
    await run_due(org)
    path = f"/v2/sandbox/transfers/{offramp}/rfi"
    assert await org.refused("POST", path, {"action": "open"}) == "409 RESOURCE_CONFLICT"
    assert await kinds(org) == [("OFFRAMP.RFI", "open"), ("OFFRAMP.RFI", "closed")]


async def test_other_payments_have_no_requests_for_information(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    transfer = (await make_transfer(org, ada, bob))["id"]
    path = f"/v2/sandbox/transfers/{transfer}/rfi"
    assert await org.refused("POST", path, {"action": "open"}) == "404 TRANSACTION_NOT_FOUND"
