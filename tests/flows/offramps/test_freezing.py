"""Orders of an offramp that were claimed by a worker that died, while somebody is frozen."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from landbridge.core.errors import Unavailable, Unclear
from landbridge.ledger.model import Role
from tests.payouts import check_books
from tests.tenants import held, make_user

from .playing import Play

KILLED = [Unavailable("not now"), RuntimeError("killed")]


def _debit(play: Play) -> Any:
    return play.chains


def _payout(play: Play) -> Any:
    return play.rails


async def _freeze(play: Play, who: str) -> None:
    if who == "organisation":
        await play.org.house.orgs.freeze(play.org.org_id)
    else:
        await play.org.post(f"/v2/users/{who}/freeze", {"reason": "a"})


async def _unfreeze(play: Play, who: str) -> None:
    if who == "organisation":
        await play.org.house.orgs.unfreeze(play.org.org_id)
    else:
        await play.org.post(f"/v2/users/{who}/unfreeze", {})


@pytest.mark.parametrize("fault", KILLED, ids=["no answer", "dies"])
@pytest.mark.parametrize("is_org", [True, False])
@pytest.mark.parametrize(
    ("side", "status", "left"),
    [(_debit, "CRYPTO_PENDING", "1000"), (_payout, "FIAT_INITIATED", "900")],
    ids=["debit", "payout"],
)
async def test_what_was_not_given_waits_for_the_unfreezing(
    play: Play,
    side: Callable[[Play], Any],
    status: str,
    left: str,
    fault: Exception,
    *,
    is_org: bool,
) -> None:
    who = "organisation" if is_org else play.ada
    made = await play.accepted()
    side(play).raise_before_next = fault
    await play.run()
    assert await play.status(made) == status
    await _freeze(play, who)
    for _ in range(3):
        await play.pass_time(hours=20)
        assert await play.status(made) == status
    assert side(play).asked == []
    assert await held(play.org, play.ada) == left
    await check_books(play.org)
    await _unfreeze(play, who)
    await play.run()
    assert await play.status(made) == "COMPLETED"
    assert len(side(play).asked) == 1
    assert await held(play.org, play.ada) == "900"
    assert await play.house(Role.IN_TRANSIT) == {}
    await check_books(play.org)


@pytest.mark.parametrize(
    ("side", "status"),
    [(_debit, "CRYPTO_PENDING"), (_payout, "FIAT_INITIATED")],
    ids=["debit", "payout"],
)
async def test_what_may_have_been_given_is_looked_up(
    play: Play, side: Callable[[Play], Any], status: str
) -> None:
    made = await play.accepted()
    side(play).raise_after_next = Unclear("the line broke")
    await play.run()
    assert await play.status(made) == status
    await _freeze(play, play.ada)
    given = side(play).asked[0].key
    await play.pass_time(minutes=2)
    assert [each.key for each in side(play).asked].count(given) == 1
    # The other side has it: what it says counts. A debit is not followed by a payout.
    ended = "CRYPTO_RETURNED" if side is _debit else "COMPLETED"
    assert await play.status(made) == ended
    assert await play.house(Role.IN_TRANSIT) == {}
    await check_books(play.org)


async def test_a_debit_waits_for_a_frozen_beneficiary_of_its_fee(play: Play) -> None:
    bob = await make_user(play.org)
    wallets = (await play.org.get(f"/v2/users/{bob}"))["wallets"]["INDIVIDUAL"]
    line = {"type": "FLAT", "value": "2", "walletAddress": wallets["POLYGON"]["address"]}
    made = await play.accepted(developerFee={"fees": [line]})
    play.chains.raise_before_next = RuntimeError("killed")
    await play.run()
    await _freeze(play, bob)
    await play.pass_time(hours=2)
    assert (await play.status(made), play.chains.asked) == ("CRYPTO_PENDING", [])
    await _unfreeze(play, bob)
    await play.run()
    assert await play.status(made) == "COMPLETED"
    assert await held(play.org, bob) == "2"
    await check_books(play.org)


async def test_what_goes_back_goes_back_whoever_is_frozen(play: Play) -> None:
    made = await play.accepted()
    play.rails.fail_next = "closed"
    play.chains.only = lambda order: order.wallet_id is None
    play.chains.raise_before_next = RuntimeError("killed")
    await play.run()
    assert await play.status(made) == "FIAT_FAILED"
    await _freeze(play, play.ada)
    play.clock.at += timedelta(minutes=1)
    await play.run()
    assert await play.status(made) == "CRYPTO_RETURNED"
    assert await held(play.org, play.ada) == "1000"
    await check_books(play.org)
