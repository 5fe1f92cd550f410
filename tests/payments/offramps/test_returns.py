"""Payouts that come back after they were settled: at every status, with fees, from outside."""

from contextlib import suppress
from itertools import combinations
from uuid import UUID, uuid4

import pytest

from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.model import HouseRole
from landbridge.payments.offramps.model import OfframpStatus
from landbridge.payments.offramps.returns import return_refusal
from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.core.money import Money
from landbridge.providers.rails.currencies import FIAT
from tests.customers.chain_deposits.chain_world import correct_all
from tests.developers.events.event_readers import watching
from tests.payments.offramps.offramp_scenario import OUTSIDE, OfframpScenario
from tests.payments.offramps.test_model import offramp
from tests.payouts import OFFRAMPS, check_books
from tests.returned_payments import return_payout
from tests.tenants import held

USD = FIAT["usd"]


async def completed(scenario: OfframpScenario, **changes: object) -> dict[str, str]:
    """An offramp of a hundred that was paid out."""
    created = await scenario.accepted(**changes)
    await scenario.run()
    await scenario.pass_time(days=5)
    assert await scenario.status(created) == "COMPLETED"
    return created


@pytest.mark.parametrize("status", list(OfframpStatus))
def test_only_a_completed_offramp_is_reopened(status: OfframpStatus) -> None:
    found = offramp(status, reviewed_from=OfframpStatus.FIAT_PENDING)
    refusal = return_refusal(found, found.receive)
    assert (refusal is None) == (status is OfframpStatus.COMPLETED)
    assert refusal is None or isinstance(refusal, ResourceConflict)


@pytest.mark.parametrize("units", [-1, 0, 10_001])
def test_only_a_paid_offramp_can_be_returned(units: int) -> None:
    found = offramp(OfframpStatus.COMPLETED)
    assert found.receive.units <= 10_000
    assert return_refusal(found, Money(units, USD)) is not None
    assert return_refusal(found, Money(1, FIAT["eur"])) is not None
    assert return_refusal(found, Money(1, USD)) is None


async def test_paid_fees_stay_paid(scenario: OfframpScenario) -> None:
    fee = {"walletAddress": OUTSIDE, "type": "FLAT", "value": "1"}
    created = await completed(scenario, developerFee={"fees": [fee]})
    assert await held(scenario.org, scenario.ada) == "899"
    reopened = await return_payout(scenario.org, created)
    assert reopened.status is OfframpStatus.FIAT_FAILED
    await scenario.run()
    assert await scenario.status(created) == "CRYPTO_RETURNED"
    assert await held(scenario.org, scenario.ada) == "999"
    await check_books(scenario.org)


async def test_coins_from_outside_go_back_outside(scenario: OfframpScenario) -> None:
    created = await scenario.from_outside()
    await scenario.org.post(f"{OFFRAMPS}/{created['id']}/quote/accept")
    await scenario.org.post(f"/v2/sandbox/offramps/{created['id']}/deposit", {})
    await scenario.run()
    await scenario.pass_time(days=5)
    assert await scenario.status(created) == "COMPLETED"
    await return_payout(scenario.org, created)
    await scenario.run()
    assert await scenario.status(created) == "CRYPTO_RETURNED"
    assert await scenario.container(HouseRole.OUTSIDE) == {"usdc:POLYGON": -1_000_000_000}
    await check_books(scenario.org)


async def test_refund_of_a_frozen_user_goes_to_the_frozen_wallet(scenario: OfframpScenario) -> None:
    created = await completed(scenario)
    await scenario.org.post(f"/v2/users/{scenario.ada}/freeze", {})
    await return_payout(scenario.org, created)
    await scenario.run()
    assert await scenario.status(created) == "CRYPTO_RETURNED"
    assert await held(scenario.org, scenario.ada) == "1000"


async def test_parts_of_a_returned_payout_are_not_corrected_alone(
    scenario: OfframpScenario,
) -> None:
    created = await completed(scenario)
    await return_payout(scenario.org, created)
    await scenario.run()
    assert await scenario.status(created) == "CRYPTO_RETURNED"
    record_id = UUID(created["id"])
    rows = await scenario.org.container.database.rows(
        "select distinct seq from entries where transfer_id = $1 order by seq", record_id
    )
    seqs = [row["seq"] for row in rows]
    for size in range(1, len(seqs)):
        for part in combinations(seqs, size):
            # Refused, unless it takes back nothing that another change has not.
            with suppress(ResourceConflict):
                await correct_all(scenario.org, record_id, part)
            assert await held(scenario.org, scenario.ada) == "1000", part
    await check_books(scenario.org)


async def test_refused_refund_is_retried(scenario: OfframpScenario) -> None:
    created = await completed(scenario)
    await return_payout(scenario.org, created)
    scenario.chains.fail_next = "no gas"
    await scenario.run()
    assert await scenario.status(created) == "FIAT_FAILED"
    await scenario.pass_time(hours=1)
    assert await scenario.status(created) == "CRYPTO_RETURNED"
    assert await held(scenario.org, scenario.ada) == "1000"
    await check_books(scenario.org)


async def test_offramp_is_reopened_once(scenario: OfframpScenario) -> None:
    created = await completed(scenario)
    await return_payout(scenario.org, created)
    with pytest.raises(ResourceConflict, match="its coins are being refunded"):
        await return_payout(scenario.org, created)
    await scenario.run()
    with pytest.raises(ResourceConflict, match="its coins are being refunded"):
        await return_payout(scenario.org, created)
    with pytest.raises(TransactionNotFound):
        await return_payout(scenario.org, {"id": str(uuid4())})


async def test_reviewer_may_request_information_before_the_refund(
    scenario: OfframpScenario,
) -> None:
    created = await completed(scenario)
    await return_payout(scenario.org, created)
    assert await scenario.review(created, "open") == "200"
    await scenario.run()
    assert await scenario.status(created) == "IN_REVIEW"
    assert await scenario.review(created, "close") == "200"
    await scenario.run()
    assert await scenario.status(created) == "CRYPTO_RETURNED"


async def test_return_events_follow_in_order_with_the_retrieved_state(
    scenario: OfframpScenario,
) -> None:
    async with watching(scenario.org, scenario.org.container.database) as recorder:
        watch = recorder.notes.watch(recorder.org, "OFFRAMP", await completed(scenario))
        await watch.note()
        await return_payout(scenario.org, {"id": str(watch.id)})
        await watch.note()
        await scenario.run()
        types = await watch.check()
    assert types[-3:] == [
        "OFFRAMP.STATUS.COMPLETED",
        "OFFRAMP.STATUS.FIAT_FAILED",
        "OFFRAMP.STATUS.CRYPTO_RETURNED",
    ]
