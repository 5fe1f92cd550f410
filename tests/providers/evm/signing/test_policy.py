"""What is signed and what is refused, also in the hands of an attacker with the socket."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.abi import (
    AbiFunction,
    encode_approve,
    encode_disperse,
    encode_transfer,
    encode_transfer_with_authorization,
)
from landbridge.providers.evm.signing.delegate_calls import CALLS_MAX, encode_execute
from landbridge.providers.evm.signing.known_calls import CallReader, SignatureKind
from landbridge.providers.evm.signing.model import (
    AccountCall,
    SignedDelegation,
    SigningRefused,
    UnsignedTransaction,
)
from landbridge.providers.evm.signing.signer import ChainSigner
from tests.providers.evm.signing.kit import (
    BATCHES,
    CAP_WEI,
    DELEGATE,
    RECIPIENT,
    STRANGER,
    USDC,
    USDT,
    authorization,
    chain_with,
    payment,
    relayer_key,
    signing,
    transaction,
    user_key,
)

USER = user_key()
TRANSFER = encode_transfer(destination=RECIPIENT, amount_units=7)
BATCH = encode_disperse(
    batch_id=bytes(32), token=USDC, recipients=[RECIPIENT, STRANGER], amounts_units=[1, 2]
)
NONCE = b"\7" * 32
change = msgspec.structs.replace


def call(data: bytes = TRANSFER, *, destination: str = USDC, value_wei: int = 0) -> AccountCall:
    return AccountCall(destination=destination, value_wei=value_wei, data=data)


def submission(signer: ChainSigner, calls: list[AccountCall], *, tampered: bool = False) -> bytes:
    """Return the data by which a relayer submits what the user has signed."""
    signature = signer.sign_account_calls(
        USER, Network.POLYGON, [call()], nonce=NONCE, deadline_s=9
    )
    if tampered:
        signature = signature[:1] + bytes([signature[1] ^ 1]) + signature[2:]
    return encode_execute(calls, nonce=NONCE, deadline_s=9, signature=signature)


@pytest.mark.parametrize(
    "request_",
    [
        payment(1),
        transaction(TRANSFER, destination=USDT),
        transaction(encode_approve(spender=BATCHES, amount_units=2**256 - 1)),
        transaction(BATCH, destination=BATCHES),
        transaction(destination=STRANGER, value_wei=10**18),
        transaction(destination=USER.address),
        *(
            transaction(
                encode_transfer_with_authorization(
                    authorization(STRANGER), bytes(64) + bytes([27]), is_split=is_split
                )
            )
            for is_split in (True, False)
        ),
    ],
)
def test_known_calls_are_signed(signer: ChainSigner, request_: UnsignedTransaction) -> None:
    assert signer.sign_transaction(USER, request_).raw[0] == 2


def test_submissions_of_signed_calls_are_signed(signer: ChainSigner) -> None:
    data = submission(signer, [call()])
    request = transaction(data, destination=USER.address)
    assert signer.sign_transaction(relayer_key(), request).raw[0] == 2
    delegation = signer.sign_delegation(USER, Network.POLYGON, nonce=0)
    request = change(request, delegations=(delegation,))
    assert signer.sign_transaction(relayer_key(), request).raw[0] == 4


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (transaction(TRANSFER, destination=STRANGER), "no known contract"),
        (transaction(TRANSFER, destination=DELEGATE), "no known contract"),
        (transaction(TRANSFER, destination=BATCHES), "no known function of the batches"),
        (transaction(BATCH), "no known function of usdc"),
        (transaction(bytes(4)), "0x00000000 is no known function"),
        (transaction(b"\xa9"), "no known function"),
        (transaction(TRANSFER[:-1]), "the data end early"),
        (transaction(TRANSFER + b"\0"), "not the usual encoding of transfer"),
        (transaction(TRANSFER[:4] + b"\1" + TRANSFER[5:]), "not the usual encoding of transfer"),
        (transaction(TRANSFER, value_wei=1), "may not transfer the chain's own coin"),
        (transaction(BATCH, destination=BATCHES, value_wei=1), "may not transfer the chain's own"),
        (
            transaction(encode_transfer(destination="0x" + "0" * 40, amount_units=1)),
            "is the zero address",
        ),
        (transaction(encode_approve(spender=STRANGER, amount_units=1)), "is not the batch"),
        (
            transaction(
                AbiFunction("transferFrom", ("address", "address", "uint256")).encode(
                    STRANGER, RECIPIENT, 1
                )
            ),
            "0x23b872dd is no known function",
        ),
        (
            transaction(
                AbiFunction("permit", ("address", "address", "uint256")).encode(
                    STRANGER, RECIPIENT, 1
                )
            ),
            "is no known function",
        ),
        (transaction(destination=STRANGER), "a transfer of nothing"),
        (transaction(destination=USDC, value_wei=1), "is a contract"),
        (transaction(destination=BATCHES, value_wei=1), "is a contract"),
        (change(payment(1), chain=Network.BASE), "BASE is not configured"),
        (change(payment(1), chain_id=1), "chain id 1, and POLYGON has 137"),
        (change(payment(1), max_fee_wei=CAP_WEI + 1), "above the cap"),
        (change(payment(1), tip_wei=101 * 10**9), "the tip"),
        (change(payment(1), tip_wei=-1), "the tip"),
        (change(payment(1), gas=30_000_001), "the gas"),
        (change(payment(1), nonce=-1), "the nonce"),
        (change(payment(1), nonce=2**64 - 1), "the nonce"),
        (change(payment(1), value_wei=2**128), "the value"),
        (change(payment(1), destination=""), "must be 0x followed by"),
        (change(payment(1), destination=USDC.replace("C", "c")), "has a wrong checksum"),
        (change(payment(1), data=TRANSFER + bytes(128 * 1024)), "bytes"),
    ],
)
def test_everything_else_is_refused(
    signer: ChainSigner, request_: UnsignedTransaction, sentence: str
) -> None:
    with pytest.raises(SigningRefused, match=sentence):
        signer.sign_transaction(USER, request_)


def test_a_fee_at_the_cap_is_signed(signer: ChainSigner) -> None:
    assert signer.sign_transaction(USER, change(payment(1), max_fee_wei=CAP_WEI)).raw


def test_a_batch_of_a_foreign_token_is_refused(signer: ChainSigner) -> None:
    data = encode_disperse(
        batch_id=bytes(32), token=STRANGER, recipients=[RECIPIENT], amounts_units=[1]
    )
    with pytest.raises(SigningRefused, match="is no token of POLYGON"):
        signer.sign_transaction(USER, transaction(data, destination=BATCHES))


def test_arrays_of_a_batch_that_overlap_are_refused(signer: ChainSigner) -> None:
    # The amounts are read where the recipients are: another encoding of a valid call.
    data = bytearray(BATCH)
    data[4 + 96 : 4 + 128] = data[4 + 64 : 4 + 96]
    with pytest.raises(SigningRefused, match="not the usual encoding of disperse"):
        signer.sign_transaction(USER, transaction(bytes(data), destination=BATCHES))


@pytest.mark.parametrize(
    ("hidden", "sentence"),
    [
        (call(destination=STRANGER), "no known contract"),
        (call(encode_approve(spender=STRANGER, amount_units=2**256 - 1)), "is not the batch"),
        (call(bytes(4)), "no known function"),
        (call(b"", destination=USER.address), "nothing to the account itself"),
        (call(encode_execute([], nonce=NONCE, deadline_s=9, signature=b"")), "no known function"),
        (
            call(
                encode_execute([call()], nonce=NONCE, deadline_s=9, signature=b""),
                destination=USER.address,
            ),
            "no known contract",
        ),
        (call(value_wei=1), "may not transfer the chain's own coin"),
        (call(b"", value_wei=2**128), "the value"),
    ],
)
def test_a_call_hidden_among_good_ones_is_refused(
    signer: ChainSigner, hidden: AccountCall, sentence: str
) -> None:
    with pytest.raises(SigningRefused, match=sentence):
        signer.sign_account_calls(
            USER, Network.POLYGON, [call(), hidden, call()], nonce=NONCE, deadline_s=9
        )


@pytest.mark.parametrize(
    ("calls", "nonce", "deadline_s"),
    [
        ([], NONCE, 9),
        ([call()] * (CALLS_MAX + 1), NONCE, 9),
        ([call()], NONCE[1:], 9),
        ([call()], NONCE, -1),
        ([call()], NONCE, 2**256),
    ],
)
def test_calls_out_of_range_are_refused(
    signer: ChainSigner, calls: list[AccountCall], nonce: bytes, deadline_s: int
) -> None:
    with pytest.raises(SigningRefused):
        signer.sign_account_calls(USER, Network.POLYGON, calls, nonce=nonce, deadline_s=deadline_s)


def test_a_submission_carries_only_what_its_account_has_signed(signer: ChainSigner) -> None:
    other = [call(encode_transfer(destination=STRANGER, amount_units=7))]
    for data in (
        submission(signer, other),
        submission(signer, [call(), call()]),
        submission(signer, [call()], tampered=True),
    ):
        with pytest.raises(SigningRefused, match="has not signed the calls"):
            signer.sign_transaction(relayer_key(), transaction(data, destination=USER.address))


def test_a_submission_to_another_account_is_refused(signer: ChainSigner) -> None:
    data = submission(signer, [call()])
    with pytest.raises(SigningRefused, match="has not signed the calls"):
        signer.sign_transaction(relayer_key(), transaction(data, destination=STRANGER))
    with pytest.raises(SigningRefused, match="has not signed the calls"):
        signer.sign_transaction(relayer_key(), transaction(data))


def test_a_submission_with_a_hidden_call_is_refused_whoever_has_signed(signer: ChainSigner) -> None:
    data = submission(signer, [call(), call(destination=STRANGER)])
    with pytest.raises(SigningRefused, match="no known contract"):
        signer.sign_transaction(relayer_key(), transaction(data, destination=USER.address))


OTHER_ENCODINGS: list[Callable[[bytes], bytes]] = [
    lambda data: data + b"\0",
    lambda data: data[:-1],
    lambda data: data[:40],
    lambda data: data[:4],
    # The array of calls is said to be elsewhere, or to have more calls than fit.
    lambda data: data[:35] + b"\xff" + data[36:],
    lambda data: data[: 4 + 128] + (2**255).to_bytes(32) + data[4 + 160 :],
    # A byte of padding behind a call's data is not zero.
    lambda data: data[: 4 + 160 + 32 + 128 + 68] + b"\1" + data[4 + 160 + 32 + 128 + 69 :],
]


@pytest.mark.parametrize("alter", OTHER_ENCODINGS)
def test_another_encoding_of_calls_is_refused(
    signer: ChainSigner, alter: Callable[[bytes], bytes]
) -> None:
    data = submission(signer, [call()])
    assert alter(data) != data
    with pytest.raises(SigningRefused, match="the calls can't be read"):
        signer.sign_transaction(relayer_key(), transaction(alter(data), destination=USER.address))


OTHER_DELEGATIONS: list[Callable[[SignedDelegation], SignedDelegation]] = [
    lambda each: change(each, address=STRANGER),
    lambda each: change(each, chain_id=0),
    lambda each: change(each, chain_id=1),
    lambda each: change(each, y_parity=2),
    lambda each: change(each, r=2**256),
    lambda each: change(each, nonce=-1),
]


@pytest.mark.parametrize("alter", OTHER_DELEGATIONS)
def test_a_delegation_to_anything_else_is_refused(
    signer: ChainSigner, alter: Callable[[SignedDelegation], SignedDelegation]
) -> None:
    delegation = signer.sign_delegation(USER, Network.POLYGON, nonce=0)
    request = change(payment(1), delegations=(alter(delegation),))
    with pytest.raises(SigningRefused):
        signer.sign_transaction(relayer_key(), request)
    request = change(payment(1), delegations=(delegation,) * 11)
    with pytest.raises(SigningRefused, match="11 delegations"):
        signer.sign_transaction(relayer_key(), request)


def test_contracts_that_are_not_configured_are_refused(tmp_path: Path) -> None:
    bare = change(chain_with(), batch_contract=None, delegate_contract=None)
    with signing(tmp_path, bare) as (signer, _):
        with pytest.raises(SigningRefused, match="no delegate_contract"):
            signer.sign_delegation(USER, Network.POLYGON, nonce=0)
        with pytest.raises(SigningRefused, match="no delegate_contract"):
            signer.sign_account_calls(USER, Network.POLYGON, [call()], nonce=NONCE, deadline_s=9)
        approval = transaction(encode_approve(spender=BATCHES, amount_units=1))
        with pytest.raises(SigningRefused, match="is not the batch contract"):
            signer.sign_transaction(USER, approval)


@pytest.mark.parametrize(
    ("token", "source", "sentence"),
    [
        (USDT, USER.address, "has no authorizations"),
        (STRANGER, USER.address, "is no token"),
        (USDC, STRANGER, "is of another account"),
    ],
)
def test_other_authorizations_are_refused(
    signer: ChainSigner, token: str, source: str, sentence: str
) -> None:
    with pytest.raises(SigningRefused, match=sentence):
        signer.sign_token_authorization(USER, Network.POLYGON, token, authorization(source))
    with pytest.raises(SigningRefused):
        signer.sign_token_authorization(
            USER, Network.POLYGON, USDC, change(authorization(USER.address), nonce=b"1")
        )


@given(st.binary(max_size=400), st.sampled_from([USDC, BATCHES, STRANGER]))
def test_any_data_are_refused_or_read(data: bytes, destination: str) -> None:
    reader = CallReader(chain_with(), {})
    selectors = [TRANSFER[:4], BATCH[:4], encode_approve(spender=BATCHES, amount_units=1)[:4]]
    execute = encode_execute([], nonce=NONCE, deadline_s=9, signature=b"")[:4]
    for selector in (b"", *selectors, execute):
        try:
            reading = reader.read(USER.address, call(selector + data, destination=destination))
        except SigningRefused:
            continue
        assert reading.kind in SignatureKind
