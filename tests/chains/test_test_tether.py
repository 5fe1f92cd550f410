"""TestTether: the habits of USDT that break naive callers."""

import pytest
from chains.rpc import Rpc

from tests.chains.contracts import NO_REASON, Contract, reverts


@pytest.fixture(autouse=True)
def supply(tether: Contract, owner: str) -> None:
    tether.send(owner, "mint", owner, 1_000)


def test_transfer_moves_coins_and_returns_nothing(
    tether: Contract, rpc: Rpc, owner: str, relayer: str
) -> None:
    call = {"from": owner, "to": tether.address, "data": tether.data("transfer", relayer, 1)}
    assert rpc.call("eth_call", call, "latest") == "0x"
    result = tether.send(owner, "transfer", relayer, 400)
    assert tether.events(result, "Transfer") == 1
    assert (tether.read("balanceOf", owner), tether.read("balanceOf", relayer)) == (600, 400)


def test_approve_goes_through_zero(tether: Contract, owner: str, relayer: str) -> None:
    tether.send(owner, "approve", relayer, 100)
    with reverts(NO_REASON):
        tether.send(owner, "approve", relayer, 200)
    tether.send(owner, "approve", relayer, 0)
    tether.send(owner, "approve", relayer, 200)
    assert tether.read("allowance", owner, relayer) == 200


def test_transfer_from_uses_up_the_allowance(tether: Contract, owner: str, relayer: str) -> None:
    tether.send(owner, "approve", relayer, 100)
    tether.send(relayer, "transferFrom", owner, relayer, 70)
    assert tether.read("allowance", owner, relayer) == 30
    with reverts(NO_REASON):
        tether.send(relayer, "transferFrom", owner, relayer, 31)


def test_unlimited_allowance_stays(tether: Contract, owner: str, relayer: str) -> None:
    tether.send(owner, "approve", relayer, 2**256 - 1)
    tether.send(relayer, "transferFrom", owner, relayer, 70)
    assert tether.read("allowance", owner, relayer) == 2**256 - 1


@pytest.mark.parametrize("is_sender", [True, False])
def test_blocked_account_neither_sends_nor_receives(
    tether: Contract, owner: str, relayer: str, *, is_sender: bool
) -> None:
    blocked = owner if is_sender else relayer
    tether.send(owner, "setBlocked", blocked, True)
    with reverts(NO_REASON):
        tether.send(owner, "transfer", relayer, 1)
    tether.send(owner, "setBlocked", blocked, False)
    tether.send(owner, "transfer", relayer, 1)


def test_paused_token_transfers_nothing(tether: Contract, owner: str, relayer: str) -> None:
    tether.send(owner, "setPaused", True)
    with reverts(NO_REASON):
        tether.send(owner, "transfer", relayer, 1)
    tether.send(owner, "setPaused", False)
    tether.send(owner, "transfer", relayer, 1)


def test_transfer_above_the_balance_is_refused(tether: Contract, owner: str, relayer: str) -> None:
    with reverts(NO_REASON):
        tether.send(owner, "transfer", relayer, 1_001)


def test_only_the_owner_mints_blocks_and_pauses(tether: Contract, owner: str, relayer: str) -> None:
    for function, values in (
        ("mint", (relayer, 1)),
        ("setBlocked", (owner, True)),
        ("setPaused", (True,)),
    ):
        with reverts("OwnableUnauthorizedAccount"):
            tether.send(relayer, function, *values)
