"""Money that arrives for a payment that waits for it."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.customers.kyc.model import Rail
from landbridge.payments.incoming_payments.model import (
    IncomingPayment,
    IncomingPaymentSender,
    IncomingPaymentStatus,
)
from tests.customers.bank_accounts.verified import make_verified
from tests.payouts import OUTSIDE, accept, make_offramp, make_payee, shown
from tests.payouts import make_account as make_bank_account
from tests.providers.simulation.external_state import paid_out
from tests.sandbox.test_api import ADVANCE
from tests.tenants import Tenant, held, refusal, register, run_due, sentence

ONRAMPS = "/v2/onramps"
FIELD = "400 FIELD_VALIDATION_ERROR"


async def _onramp(org: Tenant, *, is_accepted: bool = True) -> tuple[str, dict[str, Any]]:
    """Return a user and an onramp of a hundred dollars, accepted or not."""
    user = await make_verified(org, Rail.USD)
    body = {
        "requestId": str(uuid4()),
        "source": {"userId": user, "currency": "usd", "amount": 100, "transferType": "wire"},
        "destination": {"userId": user, "currency": "usdc", "chain": "POLYGON"},
    }
    created = (await org.post(ONRAMPS, body))["transferDetails"]
    if is_accepted:
        created = (await org.post(f"{ONRAMPS}/{created['id']}/quote/accept"))["transferDetails"]
    return user, created


def _to(onramp: dict[str, Any]) -> str:
    return f"/v2/sandbox/onramps/{onramp['id']}/deposit"


async def _status(org: Tenant, onramp: dict[str, Any]) -> str:
    return (await org.get(f"{ONRAMPS}/{onramp['id']}"))["transferDetails"]["status"]


async def _work(org: Tenant) -> None:
    """Run the worker's due steps."""
    offset = (await org.container.orgs.clock_offsets())[org.org_id]
    await org.container.incoming_payment_steps.run_all({org.org_id: offset})
    await run_due(org)


async def _incoming_payment(org: Tenant, deposit: dict[str, Any]) -> IncomingPayment:
    return await org.container.incoming_payments.get(org.org_id, UUID(deposit["id"]))


async def test_a_deposit_as_it_is_expected_completes_the_onramp(org: Tenant) -> None:
    user, onramp = await _onramp(org)
    deposit = await org.post(_to(onramp), {})
    assert deposit == {
        "id": deposit["id"],
        "transferId": onramp["id"],
        "amount": "100",
        "currency": "usd",
        "paymentRail": "wire",
        "reference": onramp["depositInfo"]["reference"],
        "receivedAt": deposit["receivedAt"],
        "clearsAt": deposit["receivedAt"],
    }
    assert await _status(org, onramp) == "AWAITING_FUNDS"
    await _work(org)
    assert await _status(org, onramp) == "COMPLETED"
    assert (await _incoming_payment(org, deposit)).transfer_id == UUID(onramp["id"])
    assert await held(org, user) == "100"
    assert await paid_out(org.container.database, org.org_id) == {}


async def test_a_deposit_has_the_submitted_values(org: Tenant) -> None:
    _, onramp = await _onramp(org)
    source = {
        "name": "Grace Example",
        "bankName": "Second Bank",
        "routingNumber": "1",
        "accountNumber": "2",
    }
    body = {"amount": "99.99", "reference": " my own ", "paymentRail": "ACH", "source": source}
    deposit = await org.post(_to(onramp), body)
    assert (deposit["amount"], deposit["paymentRail"]) == ("99.99", "ach")
    assert (await _incoming_payment(org, deposit)).sender == IncomingPaymentSender(
        name="Grace Example", bank_name="Second Bank", routing_number="1", account_number="2"
    )
    # The reference is unknown: the deposit is returned.
    await _work(org)
    assert (await _incoming_payment(org, deposit)).status is IncomingPaymentStatus.RETURNED
    assert await paid_out(org.container.database, org.org_id) == {"usd:BANK": 9_999}
    assert await _status(org, onramp) == "AWAITING_FUNDS"


async def test_a_payer_may_forget_the_reference(org: Tenant) -> None:
    _, onramp = await _onramp(org)
    deposit = await org.post(_to(onramp), {"reference": ""})
    assert deposit["reference"] is None
    await _work(org)
    assert (await _incoming_payment(org, deposit)).status is IncomingPaymentStatus.RETURNED


async def test_a_second_deposit_is_returned(org: Tenant) -> None:
    user, onramp = await _onramp(org)
    first, second = [await org.post(_to(onramp), {}) for _ in range(2)]
    assert first["id"] != second["id"]
    await _work(org)
    statuses = [(await _incoming_payment(org, each)).status for each in (first, second)]
    assert sorted(statuses) == [IncomingPaymentStatus.MATCHED, IncomingPaymentStatus.RETURNED]
    assert await held(org, user) == "100"
    assert await paid_out(org.container.database, org.org_id) == {"usd:BANK": 10_000}


async def test_a_wrong_amount_is_returned_by_the_onramp(org: Tenant) -> None:
    user, onramp = await _onramp(org)
    await org.post(_to(onramp), {"amount": 100.01})
    await _work(org)
    assert await _status(org, onramp) == "FIAT_RETURNED"
    assert await held(org, user) == "0"
    assert await paid_out(org.container.database, org.org_id) == {"usd:BANK": 10_001}


async def test_a_deposit_clears_after_the_real_delay(org: Tenant) -> None:
    _, onramp = await _onramp(org)
    await org.post("/v2/sandbox/latency", {"rails": "real"})
    deposit = await org.post(_to(onramp), {"paymentRail": "ach"})
    got, clear = (datetime.fromisoformat(deposit[each]) for each in ("receivedAt", "clearsAt"))
    assert timedelta(days=1) < clear - got < timedelta(days=7)
    await _work(org)
    assert await _status(org, onramp) == "FIAT_PENDING"
    await org.post(ADVANCE, {"seconds": 8 * 86_400})
    assert await _status(org, onramp) == "COMPLETED"


async def test_a_timely_deposit_stays_timely_after_a_clock_advance(org: Tenant) -> None:
    _, onramp = await _onramp(org)
    await org.post(_to(onramp), {})
    await org.post(ADVANCE, {"seconds": 400 * 86_400})
    assert await _status(org, onramp) == "COMPLETED"


async def test_a_late_deposit_is_returned(org: Tenant) -> None:
    _, onramp = await _onramp(org)
    await org.post(ADVANCE, {"seconds": 400 * 86_400})
    deposit = await org.post(_to(onramp), {})
    await org.post(ADVANCE, {"seconds": 0})
    assert (await _incoming_payment(org, deposit)).status is IncomingPaymentStatus.RETURNED


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("amount", {"amount": 0}),
        ("amount", {"amount": "-1"}),
        ("amount", {"amount": "0.001"}),
        ("amount", {"amount": "x"}),
        ("amount", {"amount": "9" * 60}),
        ("reference", {"reference": "x" * 1000}),
        ("reference", {"reference": "a\nb"}),
        ("reference", {"reference": 7}),
        ("paymentRail", {"paymentRail": "pix"}),
        ("paymentRail", {"paymentRail": ""}),
        ("source", {"source": "Ada"}),
        ("source.name", {"source": {"name": ""}}),
        ("source.accountNumber", {"source": {"accountNumber": "1\x012"}}),
    ],
)
async def test_other_deposits_are_refused_and_named(
    org: Tenant, field: str, change: dict[str, Any]
) -> None:
    _, onramp = await _onramp(org)
    answer = await org.send("POST", _to(onramp), change)
    assert refusal(answer) == FIELD
    assert field in sentence(answer)


async def test_an_onramp_that_was_never_accepted_takes_no_deposit(org: Tenant) -> None:
    _, onramp = await _onramp(org, is_accepted=False)
    assert await org.refused("POST", _to(onramp), {}) == "409 RESOURCE_CONFLICT"


@pytest.mark.parametrize("kind", ["onramps", "offramps"])
async def test_only_known_payments_take_deposits(org: Tenant, other_org: Tenant, kind: str) -> None:
    _, onramp = await _onramp(org)
    path = f"/v2/sandbox/{kind}/{{}}/deposit"
    for unknown in (uuid4(), "x"):
        assert await org.refused("POST", path.format(unknown), {}) == "404 TRANSACTION_NOT_FOUND"
    theirs = path.format(onramp["id"])
    assert await other_org.refused("POST", theirs, {}) == "404 TRANSACTION_NOT_FOUND"


async def _external_offramp(org: Tenant) -> tuple[str, dict[str, Any]]:
    """An offramp of a hundred usdc that are to come from outside, accepted."""
    user = await make_payee(org, Rail.USD)
    account = await make_bank_account(org, user)
    wallet = await register(org, user, OUTSIDE)
    created = await make_offramp(org, None, account, 100, source={"externalWalletId": wallet})
    return user, await accept(org, created)


async def test_coins_from_outside_complete_the_offramp(org: Tenant) -> None:
    _, offramp = await _external_offramp(org)
    path = f"/v2/sandbox/offramps/{offramp['id']}/deposit"
    deposit = await org.post(path, {})
    (information,) = offramp["depositInformation"]
    assert deposit == {
        "transferId": offramp["id"],
        "status": deposit["status"],
        "amount": "100",
        "currency": "usdc",
        "chain": "POLYGON",
        "fromAddress": information["fromAddress"],
        "toAddress": information["toAddress"],
        "transactionHash": deposit["transactionHash"],
    }
    assert len(deposit["transactionHash"]) == 66
    assert deposit["status"] != "AWAITING_FUNDS"
    await _work(org)
    assert (await shown(org, offramp))["status"] == "COMPLETED"
    assert await paid_out(org.container.database, org.org_id) == {"usd:BANK": 10_000}


async def test_a_wrong_amount_of_coins_is_returned(org: Tenant) -> None:
    _, offramp = await _external_offramp(org)
    await org.post(f"/v2/sandbox/offramps/{offramp['id']}/deposit", {"amount": "99"})
    await _work(org)
    assert (await shown(org, offramp))["status"] == "CRYPTO_RETURNED"
    assert await paid_out(org.container.database, org.org_id) == {}


async def test_an_offramp_of_a_wallet_of_ours_takes_no_deposit(org: Tenant) -> None:
    user = await make_payee(org, Rail.USD)
    created = await make_offramp(org, user, await make_bank_account(org, user), 100)
    path = f"/v2/sandbox/offramps/{created['id']}/deposit"
    assert await org.refused("POST", path, {}) == "409 RESOURCE_CONFLICT"
    answer = await org.send("POST", path, {"amount": "0.0000001"})
    assert refusal(answer) == FIELD
