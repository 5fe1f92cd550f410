"""TestDollar: ERC-20 with six decimals, permit and EIP-3009."""

from typing import Any

from chains.rpc import Rpc
from eth_account import Account
from eth_account.signers.local import LocalAccount

from landbridge.platform.core.ids import new_id
from tests.chains.contracts import HOUR_S, Contract, reverts

FOREVER = 2**40
AUTHORIZATION = [
    {"name": "from", "type": "address"},
    {"name": "to", "type": "address"},
    {"name": "value", "type": "uint256"},
    {"name": "validAfter", "type": "uint256"},
    {"name": "validBefore", "type": "uint256"},
    {"name": "nonce", "type": "bytes32"},
]
PERMIT = [
    {"name": "owner", "type": "address"},
    {"name": "spender", "type": "address"},
    {"name": "value", "type": "uint256"},
    {"name": "nonce", "type": "uint256"},
    {"name": "deadline", "type": "uint256"},
]


def test_transfer_moves_coins(dollar: Contract, owner: str, relayer: str) -> None:
    dollar.send(owner, "mint", owner, 1_000_000)
    result = dollar.send(owner, "transfer", relayer, 250_000)
    assert dollar.events(result, "Transfer") == 1
    assert dollar.read("balanceOf", owner) == 750_000
    assert dollar.read("balanceOf", relayer) == 250_000
    assert (dollar.read("decimals"), dollar.read("totalSupply")) == (6, 1_000_000)


def test_transfer_above_the_balance_is_refused(dollar: Contract, owner: str, relayer: str) -> None:
    dollar.send(owner, "mint", owner, 5)
    with reverts("ERC20InsufficientBalance"):
        dollar.send(owner, "transfer", relayer, 6)


def test_only_the_owner_mints(dollar: Contract, relayer: str) -> None:
    with reverts("OwnableUnauthorizedAccount"):
        dollar.send(relayer, "mint", relayer, 1)


def test_relayer_submits_a_signed_authorization(
    dollar: Contract, rpc: Rpc, owner: str, relayer: str
) -> None:
    user, payee = Account.create(), Account.create().address
    dollar.send(owner, "mint", user.address, 100)
    signed = authorization(dollar, user, payee, 60)
    result = dollar.send(relayer, "transferWithAuthorization", *signed)
    assert dollar.events(result, "AuthorizationUsed") == 1
    assert (dollar.read("balanceOf", user.address), dollar.read("balanceOf", payee)) == (40, 60)
    # The user needs no native coins and no transaction.
    assert int(rpc.call("eth_getBalance", user.address, "latest"), 16) == 0
    assert int(rpc.call("eth_getTransactionCount", user.address, "latest"), 16) == 0


def test_authorization_is_used_once(dollar: Contract, owner: str, relayer: str) -> None:
    user, payee = Account.create(), Account.create().address
    dollar.send(owner, "mint", user.address, 100)
    signed = authorization(dollar, user, payee, 10)
    dollar.send(relayer, "transferWithAuthorization", *signed)
    with reverts("ERC3009UsedAuthorization"):
        dollar.send(relayer, "transferWithAuthorization", *signed)
    assert dollar.read("balanceOf", payee) == 10
    assert dollar.read("authorizationState", user.address, signed[5])


def test_authorization_of_another_amount_is_refused(
    dollar: Contract, owner: str, relayer: str
) -> None:
    user, payee = Account.create(), Account.create().address
    dollar.send(owner, "mint", user.address, 100)
    signed = authorization(dollar, user, payee, 10)
    with reverts("ERC3009InvalidSignature"):
        dollar.send(relayer, "transferWithAuthorization", *signed[:2], 11, *signed[3:])


def test_authorization_expires(dollar: Contract, owner: str, relayer: str) -> None:
    user, payee = Account.create(), Account.create().address
    dollar.send(owner, "mint", user.address, 100)
    signed = authorization(dollar, user, payee, 10, valid_before=1)
    with reverts("ERC3009InvalidAuthorizationTime"):
        dollar.send(relayer, "transferWithAuthorization", *signed)


def test_permit_sets_an_allowance(dollar: Contract, rpc: Rpc, relayer: str) -> None:
    user = Account.create()
    block = rpc.block("latest")
    assert block is not None
    message = {
        "owner": user.address,
        "spender": relayer,
        "value": 70,
        "nonce": 0,
        "deadline": int(block["timestamp"], 16) + HOUR_S,
    }
    signed = user.sign_typed_data(domain(dollar), {"Permit": PERMIT}, message)
    values = [value for name, value in message.items() if name != "nonce"]
    dollar.send(relayer, "permit", *values, signed.v, _word(signed.r), _word(signed.s))
    assert dollar.read("allowance", user.address, relayer) == 70


def authorization(
    token: Contract, user: LocalAccount, payee: str, amount: int, *, valid_before: int = FOREVER
) -> list[Any]:
    """Sign a transfer; return the arguments of `transferWithAuthorization`."""
    message = {
        "from": user.address,
        "to": payee,
        "value": amount,
        "validAfter": 0,
        "validBefore": valid_before,
        "nonce": new_id().bytes.ljust(32, b"\0"),
    }
    types = {"TransferWithAuthorization": AUTHORIZATION}
    signed = user.sign_typed_data(domain(token), types, message)
    return [*message.values(), signed.v, _word(signed.r), _word(signed.s)]


def domain(token: Contract) -> dict[str, Any]:
    """Return the token's EIP-712 domain."""
    return {
        "name": token.read("name"),
        "version": "1",
        "chainId": token.rpc.chain_id(),
        "verifyingContract": token.address,
    }


def _word(value: int) -> bytes:
    return value.to_bytes(32, "big")
