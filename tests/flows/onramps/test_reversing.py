"""A deposit that is taken back, and one that comes back after it was returned, at every status."""

from datetime import timedelta
from itertools import product

import pytest

from landbridge.core.errors import ResourceConflict
from landbridge.flows.onramps.model import Status
from landbridge.ledger.errors import TransactionNotFound
from landbridge.ledger.model import Role
from tests.flows.onramps.test_verbs import RESTS
from tests.onramps import check_books, house_units, onramp_of, statuses
from tests.payouts import make_account, make_offramp, make_payee
from tests.returned import return_deposit, reverse_deposit
from tests.simulation.outside import paid_out

from .play import Play

USD = "usd:BANK"
UNDELIVERED = {Status.FIAT_PENDING}
# The deposit goes back, and no bank here can be stopped.
GOES_BACK = {Status.FIAT_FAILED, Status.CRYPTO_FAILED}
OWED = {Status.COMPLETED, Status.FIAT_RETURNED}


@pytest.mark.parametrize(("status", "is_reviewed"), list(product(RESTS, [False, True])))
async def test_a_deposit_that_is_taken_back(
    play: Play, status: Status, *, is_reviewed: bool
) -> None:
    onramp = await play.resting_at(status)
    if is_reviewed:
        if status in OWED | {Status.NOT_INITIATED, Status.QUOTE_FAILED}:
            return  # nothing is reviewed at an end
        await play.review(onramp)
    amount = "1" if status in {Status.FIAT_FAILED, Status.FIAT_RETURNED} else "100"
    units = int(amount) * 100
    if status in UNDELIVERED:
        reversed_ = await reverse_deposit(play.org, onramp, amount)
        assert reversed_.status is Status.FIAT_RETURNED
        assert reversed_.details.is_reversed
        assert (await statuses(play.org, onramp))[-2:] == ["FIAT_FAILED", "FIAT_RETURNED"]
        assert await house_units(play.org, Role.OUTSIDE, USD) == 0
        assert not await paid_out(play.org.house.database, play.org.org_id)
    elif status in OWED:
        await reverse_deposit(play.org, onramp, amount)
        assert (await onramp_of(play.org, onramp["id"])).status is status
        assert await house_units(play.org, Role.RECEIVABLE, USD) == -units
    else:
        with pytest.raises(ResourceConflict) as refused:
            await reverse_deposit(play.org, onramp, amount)
        assert ("on its way" in str(refused.value)) == (status in GOES_BACK)
        return
    with pytest.raises(ResourceConflict, match="reversed before"):
        await reverse_deposit(play.org, onramp, amount)
    await play.settle(timedelta(days=10))
    await check_books(play.org)


@pytest.mark.parametrize("status", RESTS)
async def test_a_return_that_came_back(play: Play, status: Status) -> None:
    onramp = await play.resting_at(status)
    if status is not Status.FIAT_RETURNED:
        with pytest.raises(ResourceConflict):
            await return_deposit(play.org, onramp, "1")
        return
    for amount in ("0", "1.01"):
        with pytest.raises(ResourceConflict, match="has returned 1 usd"):
            await return_deposit(play.org, onramp, amount)
    paid = await paid_out(play.org.house.database, play.org.org_id)
    reopened = await return_deposit(play.org, onramp, "1")
    assert reopened.status is Status.FIAT_FAILED
    assert await house_units(play.org, Role.IN_TRANSIT, USD) == 100
    await play.settle(timedelta(hours=23))
    assert (await onramp_of(play.org, onramp["id"])).status is Status.FIAT_FAILED
    for _ in range(2):
        await play.settle(timedelta(days=5))
    assert (await onramp_of(play.org, onramp["id"])).status is Status.FIAT_RETURNED
    # It was given back a second time, by another payment.
    again = await paid_out(play.org.house.database, play.org.org_id)
    assert again[USD] == paid[USD] + 100
    await check_books(play.org)


async def test_a_delivered_deposit_of_another_amount_is_refused(play: Play) -> None:
    onramp = await play.resting_at(Status.COMPLETED)
    for amount in ("99.99", "100.01"):
        with pytest.raises(ResourceConflict, match="paid by a deposit of 100 usd"):
            await reverse_deposit(play.org, onramp, amount)


async def test_what_is_no_onramp_is_not_found(play: Play) -> None:
    org = play.org
    user = await make_payee(org)
    offramp = await make_offramp(org, user, await make_account(org, user))
    for verb in (reverse_deposit, return_deposit):
        with pytest.raises(TransactionNotFound):
            await verb(org, offramp, "100")
