"""Disperse: a batch is paid once, and whole or not at all."""

import pytest
from eth_account import Account

from tests.chains.contracts import NO_REASON, Contract, reverts

BATCH = b"\1" * 32
OTHER_BATCH = b"\2" * 32


@pytest.fixture(params=["dollar", "tether"])
def token(request: pytest.FixtureRequest, disperse: Contract, owner: str) -> Contract:
    """Either token, with coins of the owner and an allowance for the batch contract."""
    token: Contract = request.getfixturevalue(request.param)
    token.send(owner, "mint", owner, 1_000)
    token.send(owner, "approve", disperse.address, 1_000)
    return token


def test_batch_pays_each_recipient(token: Contract, disperse: Contract, owner: str) -> None:
    payees = [Account.create().address for _ in range(3)]
    result = disperse.send(owner, "disperse", token.address, BATCH, payees, [10, 20, 30])
    assert [token.read("balanceOf", payee) for payee in payees] == [10, 20, 30]
    assert token.read("balanceOf", owner) == 940
    assert token.read("balanceOf", disperse.address) == 0
    # Each transfer comes from the payer itself, and the batch has one event.
    assert token.events(result, "Transfer") == 3
    assert disperse.events(result, "Dispersed") == 1


def test_batch_id_is_used_once_per_sender(
    token: Contract, disperse: Contract, owner: str, relayer: str
) -> None:
    payee = Account.create().address
    disperse.send(owner, "disperse", token.address, BATCH, [payee], [10])
    with reverts("BatchUsed"):
        disperse.send(owner, "disperse", token.address, BATCH, [payee], [10])
    assert token.read("balanceOf", payee) == 10
    assert disperse.read("isUsed", owner, BATCH)
    # Another batch of the sender, and the same id of another sender, are other batches.
    disperse.send(owner, "disperse", token.address, OTHER_BATCH, [payee], [10])
    token.send(owner, "transfer", relayer, 10)
    token.send(relayer, "approve", disperse.address, 10)
    disperse.send(relayer, "disperse", token.address, BATCH, [payee], [10])
    assert token.read("balanceOf", payee) == 30


def test_blocked_recipient_reverts_the_whole_batch(
    tether: Contract, disperse: Contract, owner: str
) -> None:
    payees = [Account.create().address for _ in range(2)]
    tether.send(owner, "mint", owner, 100)
    tether.send(owner, "approve", disperse.address, 100)
    tether.send(owner, "setBlocked", payees[1], True)
    with reverts(NO_REASON):
        disperse.send(owner, "disperse", tether.address, BATCH, payees, [10, 20])
    assert tether.read("balanceOf", payees[0]) == 0
    # The batch id stays free: the batch is paid under it once the recipient is unblocked.
    assert not disperse.read("isUsed", owner, BATCH)
    tether.send(owner, "setBlocked", payees[1], False)
    disperse.send(owner, "disperse", tether.address, BATCH, payees, [10, 20])
    assert [tether.read("balanceOf", payee) for payee in payees] == [10, 20]


def test_batch_above_the_allowance_is_refused(
    dollar: Contract, disperse: Contract, owner: str
) -> None:
    dollar.send(owner, "mint", owner, 100)
    dollar.send(owner, "approve", disperse.address, 29)
    payees = [Account.create().address for _ in range(2)]
    with reverts("ERC20InsufficientAllowance"):
        disperse.send(owner, "disperse", dollar.address, BATCH, payees, [10, 20])


@pytest.mark.parametrize(("recipients", "amounts"), [(0, 0), (1, 0), (1, 2)])
def test_batch_has_one_amount_for_each_recipient(
    dollar: Contract, disperse: Contract, owner: str, recipients: int, amounts: int
) -> None:
    with reverts("BatchInvalid"):
        disperse.send(owner, "disperse", dollar.address, BATCH, [owner] * recipients, [1] * amounts)
