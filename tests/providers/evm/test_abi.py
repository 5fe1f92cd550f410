"""Calls, logs and errors of contracts, compared with an independent coder."""

import pytest
from chains.artifacts import load_artifact
from eth_abi.abi import encode
from hypothesis import given
from hypothesis import strategies as st

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.formats.evm_addresses import checksummed, keccak256
from landbridge.providers.evm import abi
from landbridge.providers.evm.quantities import AnswerInvalid

ADDRESSES = st.binary(min_size=20, max_size=20).map(lambda raw: checksummed(raw.hex()))
UINTS = st.integers(0, 2**256 - 1)
WORDS = st.binary(min_size=32, max_size=32)
ALICE = "0x" + "11" * 20


def test_selectors_are_the_published_ones() -> None:
    assert abi.TRANSFER.selector.hex() == "a9059cbb"
    assert abi.APPROVE.selector.hex() == "095ea7b3"
    assert abi.BALANCE_OF.selector.hex() == "70a08231"
    assert abi.DECIMALS.encode().hex() == "313ce567"
    assert abi.TRANSFER_WITH_AUTHORIZATION_VRS.selector.hex() == "e3ee160e"
    assert abi.TRANSFER_WITH_AUTHORIZATION.selector.hex() == "cf092995"
    assert abi.TRANSFER_TOPIC == (
        "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
    )


def test_the_batch_contract_has_the_function_that_is_called() -> None:
    functions = {item["name"]: item for item in load_artifact("Disperse").abi if "name" in item}
    types = tuple(each["type"] for each in functions["disperse"]["inputs"])
    assert abi.DISPERSE.parameters == types


@given(address=ADDRESSES, amount=UINTS)
def test_transfers_and_approvals_agree(address: str, amount: int) -> None:
    body = encode(["address", "uint256"], [address, amount])
    call = abi.encode_transfer(destination=address, amount_units=amount)
    assert call == abi.TRANSFER.selector + body
    call = abi.encode_approve(spender=address, amount_units=amount)
    assert call == abi.APPROVE.selector + body
    assert abi.encode_balance_of(address)[4:] == encode(["address"], [address])


@given(
    parties=st.tuples(ADDRESSES, ADDRESSES),
    amount=UINTS,
    times=st.tuples(UINTS, UINTS),
    nonce=WORDS,
    signature=st.binary(min_size=65, max_size=65),
)
def test_authorizations_agree_in_both_forms(
    parties: tuple[str, str],
    amount: int,
    times: tuple[int, int],
    nonce: bytes,
    signature: bytes,
) -> None:
    authorization = abi.TransferAuthorization(
        source=parties[0],
        destination=parties[1],
        amount_units=amount,
        valid_after_s=times[0],
        valid_before_s=times[1],
        nonce=nonce,
    )
    types = ["address", "address", "uint256", "uint256", "uint256", "bytes32"]
    values = [*parties, amount, *times, nonce]
    call = abi.encode_transfer_with_authorization(authorization, signature, is_split=False)
    assert call[4:] == encode([*types, "bytes"], [*values, signature])
    call = abi.encode_transfer_with_authorization(authorization, signature, is_split=True)
    split = [signature[64], signature[:32], signature[32:64]]
    assert call[4:] == encode([*types, "uint8", "bytes32", "bytes32"], [*values, *split])


@given(
    batch_id=WORDS,
    token=ADDRESSES,
    legs=st.lists(st.tuples(ADDRESSES, UINTS), min_size=1, max_size=8),
)
def test_batches_agree(batch_id: bytes, token: str, legs: list[tuple[str, int]]) -> None:
    recipients, amounts = [leg[0] for leg in legs], [leg[1] for leg in legs]
    call = abi.encode_disperse(
        batch_id=batch_id, token=token, recipients=recipients, amounts_units=amounts
    )
    assert abi.DISPERSE.signature == "disperse(address,bytes32,address[],uint256[])"
    types = ["address", "bytes32", "address[]", "uint256[]"]
    assert call[4:] == encode(types, [token, batch_id, recipients, amounts])


@given(data=st.binary(max_size=100), number=UINTS)
def test_bytes_of_any_length_agree(data: bytes, number: int) -> None:
    encoded = abi.encode_values(("bytes", "uint256"), (data, number))
    assert encoded == encode(["bytes", "uint256"], [data, number])


def test_values_outside_their_type_are_our_mistake() -> None:
    with pytest.raises(InvariantBroken):
        abi.encode_transfer(destination=ALICE, amount_units=2**256)
    with pytest.raises(InvariantBroken):
        abi.encode_transfer(destination=ALICE, amount_units=-1)
    with pytest.raises(InvariantBroken):
        abi.encode_balance_of("0x1234")
    with pytest.raises(InvariantBroken):
        abi.encode_values(("bytes32",), (b"short",))
    with pytest.raises(InvariantBroken):
        abi.encode_values(("uint256",), ())
    with pytest.raises(InvariantBroken):
        abi.encode_values(("bytes",), ("text",))
    with pytest.raises(InvariantBroken):
        abi.encode_values(("address[]",), (ALICE,))
    with pytest.raises(InvariantBroken):
        abi.encode_disperse(batch_id=b"1" * 32, token=ALICE, recipients=[], amounts_units=[])
    with pytest.raises(InvariantBroken):
        abi.encode_disperse(
            batch_id=b"1" * 32, token=ALICE, recipients=[ALICE], amounts_units=[1, 2]
        )


@given(source=ADDRESSES, destination=ADDRESSES, amount=UINTS)
def test_transfer_logs_are_decoded(source: str, destination: str, amount: int) -> None:
    topics = [abi.TRANSFER_TOPIC, abi.address_topic(source), abi.address_topic(destination)]
    transfer = abi.decode_transfer(topics, encode(["uint256"], [amount]))
    assert transfer == abi.TokenTransfer(
        source=source, destination=destination, amount_units=amount
    )


def test_other_events_are_no_transfers() -> None:
    word = bytes(32)
    party = abi.address_topic(ALICE)
    assert abi.decode_transfer([], b"") is None
    # An NFT has the same topic, and its number as the fourth.
    assert abi.decode_transfer([abi.TRANSFER_TOPIC, party, party, party], b"") is None
    assert abi.decode_transfer([party, party, party], word) is None
    with pytest.raises(AnswerInvalid, match="more than 20 bytes"):
        abi.decode_transfer([abi.TRANSFER_TOPIC, "0x" + "1" * 64, party], word)
    with pytest.raises(AnswerInvalid, match="a uint256 of 0 bytes"):
        abi.decode_uint256(b"")


@given(text=st.text(max_size=80))
def test_texts_of_reverts_are_read(text: str) -> None:
    data = keccak256(b"Error(string)")[:4] + encode(["string"], [text])
    assert abi.read_revert_text(data) == text


@given(tail=st.binary(max_size=200))
def test_damaged_reverts_are_read_as_no_text(tail: bytes) -> None:
    for head in (b"", keccak256(b"Error(string)")[:4], keccak256(b"Panic(uint256)")[:4]):
        text = abi.read_revert_text(head + tail)
        assert text is None or isinstance(text, str)


def test_panics_are_named_by_their_number() -> None:
    data = keccak256(b"Panic(uint256)")[:4] + encode(["uint256"], [0x11])
    assert abi.read_revert_text(data) == "panic 0x11"
