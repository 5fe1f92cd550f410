"""What we encode and sign, compared with eth-account."""

from typing import Any

import pytest
from eth_abi.abi import encode
from eth_account import Account
from eth_account.messages import encode_typed_data
from eth_account.signers.local import LocalAccount
from hypothesis import given
from hypothesis import strategies as st
from rlp import encode as reference_rlp  # pyright: ignore[reportUnknownVariableType]

from landbridge.platform.formats.evm_addresses import checksummed, keccak256
from landbridge.platform.formats.key_derivation import EVM_USERS
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.abi import TransferAuthorization, encode_transfer
from landbridge.providers.evm.signing.delegate_calls import (
    EXECUTE_SELECTOR,
    decode_execute,
    encode_execute,
)
from landbridge.providers.evm.signing.model import (
    AccountCall,
    SignedDelegation,
    UnsignedTransaction,
)
from landbridge.providers.evm.signing.signer import ChainSigner
from landbridge.providers.evm.signing.transactions import encode_rlp, raw_transaction
from landbridge.providers.evm.signing.typed_data import authorization_digest, calls_digest
from landbridge.providers.evm.token_configuration import Eip3009Domain
from tests.providers.evm.signing.kit import (
    DELEGATE,
    USDC,
    authorization,
    payment,
    private_key,
    user_key,
)

ADDRESSES = st.binary(min_size=20, max_size=20).map(lambda raw: checksummed(raw.hex()))
UINT256 = st.integers(0, 2**256 - 1)
WORDS = st.binary(min_size=32, max_size=32)
KEYS = st.integers(1, 2**255).map(lambda number: number.to_bytes(32))
DELEGATIONS = st.builds(
    SignedDelegation,
    chain_id=st.integers(0, 2**53),
    address=ADDRESSES,
    nonce=st.integers(0, 2**64 - 2),
    y_parity=st.integers(0, 1),
    r=st.integers(1, 2**256 - 1),
    s=st.integers(1, 2**256 - 1),
)
TRANSACTIONS = st.builds(
    UnsignedTransaction,
    chain=st.just(Network.POLYGON),
    chain_id=st.integers(1, 2**53 - 1),
    nonce=st.integers(0, 2**64 - 2),
    max_fee_wei=st.integers(0, 2**128),
    tip_wei=st.integers(0, 2**128),
    gas=st.integers(0, 2**40),
    destination=ADDRESSES,
    value_wei=st.integers(0, 2**128),
    data=st.binary(max_size=300),
    delegations=st.lists(DELEGATIONS, max_size=3).map(tuple),
)
CALLS = st.lists(
    st.builds(AccountCall, destination=ADDRESSES, value_wei=UINT256, data=st.binary(max_size=80)),
    max_size=5,
).map(tuple)
ITEMS: st.SearchStrategy[Any] = st.recursive(
    st.binary(max_size=70) | st.integers(0, 2**256), lambda items: st.lists(items, max_size=6)
)
EXECUTE_TYPES = {
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
AUTHORIZATION_TYPES = {
    "TransferWithAuthorization": [
        {"name": "from", "type": "address"},
        {"name": "to", "type": "address"},
        {"name": "value", "type": "uint256"},
        {"name": "validAfter", "type": "uint256"},
        {"name": "validBefore", "type": "uint256"},
        {"name": "nonce", "type": "bytes32"},
    ]
}


@given(ITEMS)
def test_rlp_is_that_of_the_reference(item: Any) -> None:
    assert encode_rlp(item) == reference_rlp(item)


@given(TRANSACTIONS, KEYS)
def test_transactions_are_encoded_and_hashed_alike(
    transaction: UnsignedTransaction, key: bytes
) -> None:
    reference = Account.from_key(key).sign_transaction(_fields(transaction))
    parity = int(reference.v)
    ours = raw_transaction(transaction, y_parity=parity, r=reference.r, s=reference.s)
    assert ours.raw == bytes(reference.raw_transaction)
    assert ours.hash == f"0x{bytes(reference.hash).hex()}"


@given(CALLS, WORDS, UINT256, st.integers(1, 2**53), ADDRESSES)
def test_the_digest_of_calls_is_that_of_eip_712(
    calls: tuple[AccountCall, ...], nonce: bytes, deadline: int, chain_id: int, account: str
) -> None:
    domain = {
        "name": "Landbridge Delegate",
        "version": "1",
        "chainId": chain_id,
        "verifyingContract": account,
    }
    message = {
        "calls": [
            {"target": each.destination, "value": each.value_wei, "data": each.data}
            for each in calls
        ],
        "nonce": nonce,
        "deadline": deadline,
    }
    ours = calls_digest(calls, chain_id=chain_id, account=account, nonce=nonce, deadline_s=deadline)
    assert ours == _digest(domain, EXECUTE_TYPES, message)


@given(
    st.builds(
        TransferAuthorization,
        source=ADDRESSES,
        destination=ADDRESSES,
        amount_units=UINT256,
        valid_after_s=UINT256,
        valid_before_s=UINT256,
        nonce=WORDS,
    ),
    st.text(min_size=1, max_size=20),
    st.text(min_size=1, max_size=5),
    st.integers(1, 2**53),
    ADDRESSES,
)
def test_the_digest_of_an_authorization_is_that_of_eip_712(
    transfer: TransferAuthorization, name: str, version: str, chain_id: int, token: str
) -> None:
    domain = {"name": name, "version": version, "chainId": chain_id, "verifyingContract": token}
    message = {
        "from": transfer.source,
        "to": transfer.destination,
        "value": transfer.amount_units,
        "validAfter": transfer.valid_after_s,
        "validBefore": transfer.valid_before_s,
        "nonce": transfer.nonce,
    }
    ours = authorization_digest(
        Eip3009Domain(name, version), chain_id=chain_id, token=token, authorization=transfer
    )
    assert ours == _digest(domain, AUTHORIZATION_TYPES, message)


@given(CALLS, WORDS, UINT256, st.binary(max_size=70))
def test_execute_is_encoded_as_the_abi_says_and_read_back(
    calls: tuple[AccountCall, ...], nonce: bytes, deadline: int, signature: bytes
) -> None:
    data = encode_execute(calls, nonce=nonce, deadline_s=deadline, signature=signature)
    values = [(each.destination, each.value_wei, each.data) for each in calls]
    types = ["(address,uint256,bytes)[]", "bytes32", "uint256", "bytes"]
    assert data == EXECUTE_SELECTOR + encode(types, [values, nonce, deadline, signature])
    read = decode_execute(data)
    assert (read.calls, read.nonce, read.deadline_s) == (calls, nonce, deadline)
    assert read.signature == signature


@pytest.mark.parametrize("index", [0, 7, 2**31 - 1])
def test_a_signed_transaction_is_that_of_eth_account(signer: ChainSigner, index: int) -> None:
    account: LocalAccount = Account.from_key(private_key((*EVM_USERS, index)))
    request = payment(1_000_000, nonce=3)
    ours = signer.sign_transaction(user_key(index), request)
    assert ours.raw == bytes(account.sign_transaction(_fields(request)).raw_transaction)
    assert ours.hash == f"0x{keccak256(ours.raw).hex()}"


def test_a_delegation_is_that_of_eth_account(signer: ChainSigner) -> None:
    account: LocalAccount = Account.from_key(private_key((*EVM_USERS, 0)))
    fields = {"chainId": 137, "address": DELEGATE, "nonce": 9}
    reference = Account.sign_authorization(fields, account.key)
    ours = signer.sign_delegation(user_key(), Network.POLYGON, nonce=9)
    assert (ours.chain_id, ours.address, ours.nonce) == (137, DELEGATE, 9)
    assert (ours.y_parity, ours.r, ours.s) == (reference.y_parity, reference.r, reference.s)


def test_an_authorization_is_signed_as_by_eth_account(signer: ChainSigner) -> None:
    account: LocalAccount = Account.from_key(private_key((*EVM_USERS, 0)))
    transfer = authorization(account.address)
    domain = {
        "name": "USD Coin",
        "version": "2",
        "chainId": 137,
        "verifyingContract": USDC,
    }
    message = {
        "from": transfer.source,
        "to": transfer.destination,
        "value": transfer.amount_units,
        "validAfter": transfer.valid_after_s,
        "validBefore": transfer.valid_before_s,
        "nonce": transfer.nonce,
    }
    reference = account.sign_typed_data(domain, AUTHORIZATION_TYPES, message)
    ours = signer.sign_token_authorization(user_key(), Network.POLYGON, USDC, transfer)
    assert ours == bytes(reference.signature)


def test_calls_are_signed_as_by_eth_account(signer: ChainSigner) -> None:
    account: LocalAccount = Account.from_key(private_key((*EVM_USERS, 0)))
    call = AccountCall(
        destination=USDC,
        value_wei=0,
        data=encode_transfer(destination=DELEGATE, amount_units=1),
    )
    domain = {
        "name": "Landbridge Delegate",
        "version": "1",
        "chainId": 137,
        "verifyingContract": account.address,
    }
    message = {
        "calls": [{"target": USDC, "value": 0, "data": call.data}],
        "nonce": bytes(32),
        "deadline": 99,
    }
    reference = account.sign_typed_data(domain, EXECUTE_TYPES, message)
    ours = signer.sign_account_calls(
        user_key(), Network.POLYGON, [call], nonce=bytes(32), deadline_s=99
    )
    assert ours == bytes(reference.signature)


def _digest(domain: dict[str, Any], types: dict[str, Any], message: dict[str, Any]) -> bytes:
    encoded = encode_typed_data(domain, types, message)
    return keccak256(b"\x19" + encoded.version + encoded.header + encoded.body)


def _fields(transaction: UnsignedTransaction) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "type": 4 if transaction.delegations else 2,
        "chainId": transaction.chain_id,
        "nonce": transaction.nonce,
        "maxFeePerGas": transaction.max_fee_wei,
        "maxPriorityFeePerGas": transaction.tip_wei,
        "gas": transaction.gas,
        "to": transaction.destination,
        "value": transaction.value_wei,
        "data": transaction.data,
    }
    if transaction.delegations:
        fields["authorizationList"] = [
            {
                "chainId": each.chain_id,
                "address": bytes.fromhex(each.address[2:]),
                "nonce": each.nonce,
                "yParity": each.y_parity,
                "r": each.r,
                "s": each.s,
            }
            for each in transaction.delegations
        ]
    return fields
