"""Bounds on amounts and rates, and what counts once."""

from datetime import timedelta
from pathlib import Path

import pytest

from landbridge.platform.core.clock import FrozenClock
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.abi import encode_disperse, encode_transfer_with_authorization
from landbridge.providers.evm.configuration import parse_chains
from landbridge.providers.evm.configuration_table import ChainsFileError
from landbridge.providers.evm.signer_limits import AmountLimits, SignerLimits
from landbridge.providers.evm.signing.model import (
    AccountCall,
    SignerUnavailable,
    SigningRefused,
)
from landbridge.providers.evm.signing.signer import ChainSigner
from tests.providers.evm.signing.kit import (
    BATCHES,
    CHAINS_FILE,
    NOON,
    RECIPIENT,
    STRANGER,
    USDC,
    authorization,
    chain_with,
    payment,
    relayer_key,
    signing,
    transaction,
    user_key,
)

USER = user_key()
LIMITS = {
    "usdc": AmountLimits(transaction_max_units=60, day_max_units=100),
    "native": AmountLimits(transaction_max_units=10, day_max_units=15),
}
CHAIN = chain_with(LIMITS)


def total(signer: ChainSigner, currency: str = "usdc") -> int:
    return signer.total(Network.POLYGON, currency)


def test_bounds_may_be_reached_exactly(tmp_path: Path) -> None:
    with signing(tmp_path, CHAIN) as (signer, _):
        with pytest.raises(SigningRefused, match="a transaction of 61 units of usdc"):
            signer.sign_transaction(USER, payment(61))
        signer.sign_transaction(USER, payment(60))
        with pytest.raises(SigningRefused, match="101 units of usdc on POLYGON"):
            signer.sign_transaction(USER, payment(41, nonce=1))
        signer.sign_transaction(USER, payment(40, nonce=1))
        assert total(signer) == 100
        with pytest.raises(SigningRefused):
            signer.sign_transaction(user_key(1), payment(1))
        # Other currencies, and what moves nothing, are not affected.
        signer.sign_transaction(USER, transaction(destination=USER.address, nonce=2))
        signer.sign_transaction(USER, transaction(destination=STRANGER, nonce=3, value_wei=10))
        with pytest.raises(SigningRefused, match="16 units of native"):
            signer.sign_transaction(USER, transaction(destination=STRANGER, nonce=4, value_wei=6))


def test_the_sum_of_a_batch_and_of_calls_counts(tmp_path: Path) -> None:
    def batch(*amounts: int) -> bytes:
        return encode_disperse(
            batch_id=bytes(32),
            token=USDC,
            recipients=[RECIPIENT] * len(amounts),
            amounts_units=amounts,
        )

    def sign(signer: ChainSigner, *amounts: int) -> bytes:
        calls = [
            AccountCall(destination=USDC, value_wei=0, data=payment(units).data)
            for units in amounts
        ]
        return signer.sign_account_calls(
            USER, Network.POLYGON, calls, nonce=bytes(32), deadline_s=9
        )

    with signing(tmp_path, CHAIN) as (signer, _):
        with pytest.raises(SigningRefused, match="a transaction of 61 units"):
            signer.sign_transaction(USER, transaction(batch(30, 31), destination=BATCHES))
        signer.sign_transaction(USER, transaction(batch(30, 30), destination=BATCHES))
        with pytest.raises(SigningRefused, match="a transaction of 61 units"):
            sign(signer, 60, 1)
        with pytest.raises(SigningRefused, match="101 units"):
            sign(signer, 40, 1)
        sign(signer, 20, 20)
        assert total(signer) == 100


def test_an_authorization_counts_when_it_is_signed_and_not_when_submitted(tmp_path: Path) -> None:
    transfer = authorization(USER.address, 60)
    with signing(tmp_path, CHAIN) as (signer, _):
        with pytest.raises(SigningRefused, match="a transaction of 61 units"):
            signer.sign_token_authorization(
                USER, Network.POLYGON, USDC, authorization(USER.address, 61)
            )
        signature = signer.sign_token_authorization(USER, Network.POLYGON, USDC, transfer)
        data = encode_transfer_with_authorization(transfer, signature, is_split=True)
        signer.sign_transaction(relayer_key(), transaction(data))
        assert total(signer) == 60
        with pytest.raises(SigningRefused, match="101 units"):
            signer.sign_token_authorization(
                USER, Network.POLYGON, USDC, authorization(USER.address, 41, nonce=2)
            )


def test_the_same_bytes_count_once_and_have_one_line(tmp_path: Path) -> None:
    with signing(tmp_path, CHAIN) as (signer, _):
        first = signer.sign_transaction(USER, payment(60))
        assert signer.sign_transaction(USER, payment(60)) == first
        assert total(signer) == 60
    with signing(tmp_path, CHAIN) as (signer, _):
        assert signer.sign_transaction(USER, payment(60)) == first
        assert total(signer) == 60
    assert len((tmp_path / "signatures.jsonl").read_bytes().splitlines()) == 1


def test_transactions_of_one_nonce_count_as_the_largest(tmp_path: Path) -> None:
    with signing(tmp_path, CHAIN) as (signer, _):
        signer.sign_transaction(USER, payment(50))
        signer.sign_transaction(USER, transaction(destination=USER.address))
        signer.sign_transaction(USER, payment(40))
        signer.sign_transaction(USER, payment(60))
        assert total(signer) == 60
        # The nonce of another account, or of an authorization, is another one.
        signer.sign_transaction(user_key(1), payment(30))
        signer.sign_token_authorization(
            USER, Network.POLYGON, USDC, authorization(USER.address, 10, nonce=0)
        )
        assert total(signer) == 100


def test_totals_begin_anew_each_day_and_survive_a_restart(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    with signing(tmp_path, CHAIN, clock=clock) as (signer, _):
        signer.sign_transaction(USER, payment(60))
        clock.at += timedelta(hours=12)
        assert total(signer) == 0
        signer.sign_transaction(USER, payment(50, nonce=1))
        # Signed yesterday, so it was counted then.
        signer.sign_transaction(USER, payment(60))
        assert total(signer) == 50
    for _ in range(2):
        with signing(tmp_path, CHAIN, clock=clock) as (signer, _):
            assert total(signer) == 50
            with pytest.raises(SigningRefused):
                signer.sign_transaction(USER, payment(51, nonce=2))


def test_a_clock_that_is_set_back_begins_no_day_twice(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    with signing(tmp_path, CHAIN, clock=clock) as (signer, _):
        signer.sign_transaction(USER, payment(60))
        clock.at -= timedelta(days=1)
        with pytest.raises(SigningRefused):
            signer.sign_transaction(USER, payment(41, nonce=1))
        signer.sign_transaction(USER, payment(40, nonce=1))
    with signing(tmp_path, CHAIN, clock=clock) as (signer, _):
        assert total(signer) == 100


def test_rates_of_a_key_and_of_all_are_bounded(tmp_path: Path) -> None:
    clock = FrozenClock(NOON)
    chain = chain_with(rate_per_key=2, rate=3)
    with signing(tmp_path, chain, clock=clock) as (signer, _):
        for nonce in range(2):
            signer.sign_transaction(USER, payment(1, nonce=nonce))
        with pytest.raises(SignerUnavailable):
            signer.sign_transaction(USER, payment(1, nonce=2))
        signer.sign_transaction(user_key(1), payment(1))
        with pytest.raises(SignerUnavailable):
            signer.sign_transaction(user_key(2), payment(1))
        clock.at += timedelta(seconds=1)
        signer.sign_transaction(USER, payment(1, nonce=2))
        assert total(signer) == 4


def test_bounds_are_read_from_the_chains_file() -> None:
    text = CHAINS_FILE.replace("rate = 10000", "rate = 20").replace("rate_per_key = 10000", "")
    text += '[chains.POLYGON.signer.usdc]\ntransaction_max = "50000.5"\n'
    text += '[chains.POLYGON.signer.native]\nday_max = "0.000000000000000001"\n'
    assert parse_chains(text)[Network.POLYGON].signer == SignerLimits(
        rate=20,
        amounts={
            "usdc": AmountLimits(transaction_max_units=50_000_500_000),
            "native": AmountLimits(day_max_units=1),
        },
    )
    without = CHAINS_FILE.partition("[chains.POLYGON.signer]")[0]
    assert parse_chains(without)[Network.POLYGON].signer == SignerLimits()


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ('usdg = {day_max = "1"}', "chains.POLYGON.signer.usdg is unknown"),
        ('usdc = {day_max = "1", week_max = "2"}', "signer.usdc.week_max is unknown"),
        ("usdc = {day_max = 1}", "signer.usdc.day_max must be text in quotes"),
        ('usdc = {day_max = "1e6"}', "signer.usdc.day_max must be a decimal in quotes"),
        ('usdc = {day_max = "-1"}', "signer.usdc.day_max must be a decimal in quotes"),
        ('usdc = {day_max = "0.1234567"}', "signer.usdc.day_max must have at most 6 decimals"),
        ("usdc = 5", "signer.usdc must be a table"),
        ("rate = 0", "signer.rate must be a whole number from 1"),
        ("rates = 1", "signer.rates is unknown"),
    ],
)
def test_a_wrong_bound_is_named(table: str, sentence: str) -> None:
    head = CHAINS_FILE.partition("rate_per_key")[0]
    with pytest.raises(ChainsFileError, match=sentence):
        parse_chains(head + table)
