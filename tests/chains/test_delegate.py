"""Delegate: a relayer executes what an account has signed, once."""

from dataclasses import dataclass
from typing import Any

import pytest
from chains.rpc import Rpc
from eth_account import Account
from eth_account.signers.local import LocalAccount
from eth_typing import Hash32

from landbridge.platform.formats.evm_addresses import keccak256
from tests.chains.contracts import HOUR_S, NO_REASON, Contract, reverts

NONCE = b"\7" * 32
TYPES = {
    "Call": [
        {"name": "target", "type": "address"},
        {"name": "value", "type": "uint256"},
        {"name": "data", "type": "bytes"},
    ],
    "Execute": [
        {"name": "calls", "type": "Call[]"},
        {"name": "nonce", "type": "bytes32"},
        {"name": "deadline", "type": "uint256"},
    ],
}


@dataclass(frozen=True, slots=True)
class DelegatedUser:
    """User that owns coins but no native ones, with the delegate's code at its address."""

    account: LocalAccount
    contract: Contract

    def sign(
        self, calls: list[tuple[str, str]], *, nonce: bytes = NONCE, valid_s: int = HOUR_S
    ) -> list[Any]:
        """Sign calls, given as address and data; return the arguments of `execute`."""
        block = self.contract.rpc.block("latest")
        assert block is not None
        deadline = int(block["timestamp"], 16) + valid_s
        requests = [(target, 0, bytes.fromhex(data[2:])) for target, data in calls]
        domain = {
            "name": "Landbridge Delegate",
            "version": "1",
            "chainId": self.contract.rpc.chain_id(),
            "verifyingContract": self.account.address,
        }
        message = {
            "calls": [
                dict(zip(("target", "value", "data"), each, strict=True)) for each in requests
            ],
            "nonce": nonce,
            "deadline": deadline,
        }
        signed = self.account.sign_typed_data(domain, TYPES, message)
        return [requests, nonce, deadline, bytes(signed.signature)]


@pytest.fixture
def user(rpc: Rpc, owner: str, relayer: str, dollar: Contract, delegate: Contract) -> DelegatedUser:
    account: LocalAccount = Account.create()
    dollar.send(owner, "mint", account.address, 100)
    delegate_account(rpc, relayer, account, delegate)
    return DelegatedUser(account, delegate.at(account.address))


def delegate_account(rpc: Rpc, relayer: str, account: LocalAccount, delegate: Contract) -> None:
    """Give an account the delegate's code, by a type-4 transaction that a relayer pays."""
    signed = Account.sign_authorization(
        {"chainId": rpc.chain_id(), "address": delegate.address, "nonce": 0}, account.key
    )
    authorization = {
        "chainId": hex(signed.chain_id),
        "address": delegate.address,
        "nonce": hex(signed.nonce),
        "yParity": hex(signed.y_parity),
        "r": hex(signed.r),
        "s": hex(signed.s),
    }
    transaction = rpc.call(
        "eth_sendTransaction",
        {"from": relayer, "to": account.address, "authorizationList": [authorization]},
    )
    rpc.await_receipt(transaction)
    assert rpc.code(account.address) == f"0xef0100{delegate.address[2:].lower()}"


def test_relayer_executes_signed_calls_together(
    user: DelegatedUser, dollar: Contract, disperse: Contract, relayer: str
) -> None:
    payees = [Account.create().address for _ in range(2)]
    calls = [
        (dollar.address, dollar.data("approve", disperse.address, 30)),
        (
            disperse.address,
            disperse.data("disperse", dollar.address, b"\1" * 32, payees, [10, 20]),
        ),
    ]
    result = user.contract.send(relayer, "execute", *user.sign(calls))
    assert user.contract.events(result, "Executed") == 1
    assert [dollar.read("balanceOf", payee) for payee in payees] == [10, 20]
    assert dollar.read("balanceOf", user.account.address) == 70
    # The user is the sender of the batch, and needs no native coins.
    assert disperse.read("isUsed", user.account.address, b"\1" * 32)
    assert int(user.contract.rpc.call("eth_getBalance", user.account.address, "latest"), 16) == 0


def test_signed_calls_are_executed_once(
    user: DelegatedUser, dollar: Contract, relayer: str
) -> None:
    payee = Account.create().address
    signed = user.sign([(dollar.address, dollar.data("transfer", payee, 10))])
    user.contract.send(relayer, "execute", *signed)
    with reverts("NonceUsed"):
        user.contract.send(relayer, "execute", *signed)
    assert dollar.read("balanceOf", payee) == 10
    assert user.contract.read("isNonceUsed", NONCE)


def test_nonces_are_used_in_any_order(user: DelegatedUser, dollar: Contract, relayer: str) -> None:
    payee = Account.create().address
    call = (dollar.address, dollar.data("transfer", payee, 10))
    for nonce in (b"\2" * 32, b"\1" * 32):
        user.contract.send(relayer, "execute", *user.sign([call], nonce=nonce))
    assert dollar.read("balanceOf", payee) == 20


def test_changed_calls_are_refused(user: DelegatedUser, dollar: Contract, relayer: str) -> None:
    signed = user.sign([(dollar.address, dollar.data("transfer", relayer, 10))])
    other = (dollar.address, 0, bytes.fromhex(dollar.data("transfer", relayer, 11)[2:]))
    with reverts("SignatureInvalid"):
        user.contract.send(relayer, "execute", [other], *signed[1:])


def test_calls_of_another_account_are_refused(
    user: DelegatedUser, rpc: Rpc, dollar: Contract, delegate: Contract, relayer: str
) -> None:
    other: LocalAccount = Account.create()
    delegate_account(rpc, relayer, other, delegate)
    signed = user.sign([(dollar.address, dollar.data("transfer", relayer, 10))])
    for contract in (delegate, delegate.at(other.address)):
        with reverts("SignatureInvalid"):
            contract.send(relayer, "execute", *signed)


def test_late_calls_are_refused(user: DelegatedUser, dollar: Contract, relayer: str) -> None:
    signed = user.sign([(dollar.address, dollar.data("transfer", relayer, 10))], valid_s=-1)
    with reverts("DeadlineExceeded"):
        user.contract.send(relayer, "execute", *signed)


def test_failed_call_undoes_the_others_and_returns_its_error(
    user: DelegatedUser, dollar: Contract, relayer: str
) -> None:
    payee = Account.create().address
    calls = [
        (dollar.address, dollar.data("transfer", payee, 10)),
        (dollar.address, dollar.data("transfer", payee, 1_000)),
    ]
    with reverts("ERC20InsufficientBalance"):
        user.contract.send(relayer, "execute", *user.sign(calls))
    assert dollar.read("balanceOf", payee) == 0
    assert not user.contract.read("isNonceUsed", NONCE)


def test_error_without_a_reason_is_returned_too(
    user: DelegatedUser, tether: Contract, relayer: str
) -> None:
    signed = user.sign([(tether.address, tether.data("transfer", relayer, 1))])
    with reverts(NO_REASON):
        user.contract.send(relayer, "execute", *signed)


def test_account_confirms_its_own_signatures_only(user: DelegatedUser) -> None:
    digest = Hash32(keccak256(b"a message"))
    own = user.account.unsafe_sign_hash(digest)
    others = Account.create().unsafe_sign_hash(digest)
    magic = bytes.fromhex("1626ba7e")
    assert user.contract.read("isValidSignature", digest, bytes(own.signature)) == magic
    assert user.contract.read("isValidSignature", digest, bytes(others.signature)) != magic
    assert user.contract.read("isValidSignature", digest, b"") != magic


def test_delegated_account_receives_native_coins(
    user: DelegatedUser, rpc: Rpc, relayer: str
) -> None:
    fields = {"from": relayer, "to": user.account.address, "value": hex(5)}
    rpc.await_receipt(rpc.call("eth_sendTransaction", fields))
    assert int(rpc.call("eth_getBalance", user.account.address, "latest"), 16) == 5
