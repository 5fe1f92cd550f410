"""Calls of bridges: what is signed, counted, and refused."""

from pathlib import Path

import msgspec
import pytest

from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.db.sealing import Sealer
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.abi import DEPOSIT_FOR_BURN, RECEIVE_MESSAGE, AbiValue, encode_approve
from landbridge.providers.evm.bridge_configuration import BridgeContracts
from landbridge.providers.evm.bridging.messages import address_word, burn_message
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.node_url import NodeUrl
from landbridge.providers.evm.signer_limits import AmountLimits
from landbridge.providers.evm.signing.delegate_calls import encode_execute
from landbridge.providers.evm.signing.model import AccountCall, SigningRefused
from landbridge.providers.evm.signing.signature_log import SignatureLog
from landbridge.providers.evm.signing.signer import ChainSigner
from tests.providers.evm.bridging.message_bytes import encode_message
from tests.providers.evm.signing.kit import (
    MASTER_KEY,
    NOON,
    RECIPIENT,
    STRANGER,
    USDC,
    USDT,
    chain_with,
    relayer_key,
    transaction,
    user_key,
)

USER, RELAYER = user_key(), relayer_key()
MESSENGER, TRANSMITTER = "0x" + "6" * 40, "0x" + "7" * 40
REMOTE, REMOTE_USDC = "0x" + "8" * 40, "0x" + "9" * 40
HERE = BridgeContracts(
    domain=7,
    token_messenger=MESSENGER,
    message_transmitter=TRANSMITTER,
    attestation_url=NodeUrl.parse("https://attestations.example.com"),
)
THERE = msgspec.structs.replace(HERE, domain=6, token_messenger=REMOTE)
change = msgspec.structs.replace


def polygon(limits: AmountLimits | None = None) -> EvmChain:
    """Return POLYGON with a bridge that carries usdc and no usdt."""
    chain = chain_with({} if limits is None else {"usdc": limits})
    usdc = change(chain.tokens["usdc"], is_bridgeable=True)
    return change(chain, bridge=HERE, tokens={**chain.tokens, "usdc": usdc})


def base() -> EvmChain:
    token = change(polygon().tokens["usdc"], address=REMOTE_USDC)
    return change(
        chain_with(), name=Network.BASE, chain_id=8453, bridge=THERE, tokens={"usdc": token}
    )


def signer_of(folder: Path, *chains: EvmChain) -> ChainSigner:
    log = SignatureLog.open(folder / "signatures.jsonl", since="2026-11-24")
    by_name = {chain.name: chain for chain in chains}
    return ChainSigner(Sealer(MASTER_KEY), by_name, log, FrozenClock(NOON))


@pytest.fixture
def signer(tmp_path: Path) -> ChainSigner:
    return signer_of(tmp_path, polygon(AmountLimits(day_max_units=100)), base())


def burn(**others: AbiValue) -> bytes:
    """Return the data of a burn of ten units for a recipient on BASE."""
    values: dict[str, AbiValue] = {
        "units": 10,
        "domain": 6,
        "recipient": address_word(RECIPIENT),
        "token": USDC,
        "caller": bytes(32),
        "fee": 0,
        "finality": 2000,
        **others,
    }
    return DEPOSIT_FOR_BURN.encode(*values.values())


def submission(**others: object) -> bytes:
    """Return the data that submits a message to POLYGON, with members of its burn replaced."""
    message = burn_message(
        source=THERE,
        destination=HERE,
        token=REMOTE_USDC,
        recipient=RECIPIENT,
        amount_units=10,
        owner=STRANGER,
    )
    return RECEIVE_MESSAGE.encode(encode_message(change(message, **others)), b"\1" * 130)


def test_a_burn_and_its_approval_are_signed(signer: ChainSigner) -> None:
    signer.sign_transaction(USER, transaction(encode_approve(spender=MESSENGER, amount_units=10)))
    signer.sign_transaction(USER, transaction(burn(), destination=MESSENGER))
    assert signer.total(Network.POLYGON, "usdc") == 10


def test_burns_count_against_the_bound_of_a_day(signer: ChainSigner) -> None:
    signer.sign_transaction(USER, transaction(burn(units=90), destination=MESSENGER))
    with pytest.raises(SigningRefused, match="at most 100 may be"):
        signer.sign_transaction(USER, transaction(burn(units=11), destination=MESSENGER, nonce=1))


def test_calls_of_an_account_burn_and_a_relayer_submits_them(signer: ChainSigner) -> None:
    calls = [
        *(
            AccountCall(
                destination=USDC,
                value_wei=0,
                data=encode_approve(spender=MESSENGER, amount_units=units),
            )
            for units in (0, 10)
        ),
        AccountCall(destination=MESSENGER, value_wei=0, data=burn()),
    ]
    signature = signer.sign_account_calls(
        USER, Network.POLYGON, calls, nonce=b"\7" * 32, deadline_s=9
    )
    assert signer.total(Network.POLYGON, "usdc") == 10
    data = encode_execute(calls, nonce=b"\7" * 32, deadline_s=9, signature=signature)
    signer.sign_transaction(RELAYER, transaction(data, destination=USER.address))


@pytest.mark.parametrize(
    "others",
    [
        {"domain": 7},
        {"domain": 0},
        {"recipient": b"\1" * 32},
        {"recipient": bytes(32)},
        {"token": USDT},
        {"token": STRANGER},
        {"caller": address_word(STRANGER)},
        {"fee": 1},
        {"finality": 1000},
    ],
)
def test_a_burn_that_could_arrive_elsewhere_is_refused(
    signer: ChainSigner, others: dict[str, AbiValue]
) -> None:
    with pytest.raises(SigningRefused):
        signer.sign_transaction(USER, transaction(burn(**others), destination=MESSENGER))


@pytest.mark.parametrize(
    ("data", "destination"),
    [
        (encode_approve(spender=TRANSMITTER, amount_units=1), USDC),
        (encode_approve(spender=REMOTE, amount_units=1), USDC),
        # This token is not bridged.
        (encode_approve(spender=MESSENGER, amount_units=1), USDT),
        (burn() + b"\0", MESSENGER),
        (burn(), TRANSMITTER),
        (submission(), MESSENGER),
        (b"\1\2\3\4", MESSENGER),
        (b"\1\2\3\4", TRANSMITTER),
        (submission()[:-32], TRANSMITTER),
    ],
)
def test_other_calls_of_a_bridge_are_refused(
    signer: ChainSigner, data: bytes, destination: str
) -> None:
    with pytest.raises(SigningRefused):
        signer.sign_transaction(USER, transaction(data, destination=destination))


def test_native_coins_for_a_bridge_are_refused(signer: ChainSigner) -> None:
    for data in (burn(), submission()):
        for destination in (MESSENGER, TRANSMITTER):
            with pytest.raises(SigningRefused):
                signer.sign_transaction(
                    RELAYER, transaction(data, destination=destination, value_wei=1)
                )


def test_a_message_of_a_known_burn_is_submitted(signer: ChainSigner) -> None:
    data = transaction(submission(), destination=TRANSMITTER)
    assert signer.sign_transaction(RELAYER, data).raw[0] == 2
    # It moves nothing of ours: the burn was counted on its own chain.
    assert signer.total(Network.POLYGON, "usdc") == 0


@pytest.mark.parametrize(
    "others",
    [
        {"destination_domain": 0},
        {"source_domain": 0},
        {"source_domain": 7},
        {"messenger": STRANGER},
        {"handler": STRANGER},
        {"token": USDT},
    ],
)
def test_another_message_is_refused(signer: ChainSigner, others: dict[str, object]) -> None:
    with pytest.raises(SigningRefused):
        signer.sign_transaction(RELAYER, transaction(submission(**others), destination=TRANSMITTER))


def test_without_the_other_chain_nothing_is_burned(tmp_path: Path) -> None:
    signer = signer_of(tmp_path, polygon())
    with pytest.raises(SigningRefused, match="domain of no other configured chain"):
        signer.sign_transaction(USER, transaction(burn(), destination=MESSENGER))
