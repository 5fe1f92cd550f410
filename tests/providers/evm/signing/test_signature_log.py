"""The signature log: what it says, and that changes of it show."""

import json
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest

from landbridge.platform.core.clock import FrozenClock
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.signing.known_calls import Movement, SignatureKind
from landbridge.providers.evm.signing.signature_log import (
    LogFailed,
    LogInvalid,
    SignatureLog,
    check_log,
    read_log,
)
from landbridge.providers.evm.signing.signed_amounts import NonceUse
from tests.providers.evm.signing.kit import (
    NOON,
    RECIPIENT,
    USDC,
    authorization,
    payment,
    signing,
    user_key,
)

USER = user_key()
DAY = "2026-11-25"
LINES = list[bytes]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Path of a log of five signatures."""
    with signing(tmp_path) as (signer, _):
        for nonce in range(4):
            signer.sign_transaction(USER, payment(7, nonce=nonce))
        signer.sign_token_authorization(
            USER, Network.POLYGON, USDC, authorization(USER.address, 2**200)
        )
    return tmp_path / "signatures.jsonl"


def append(log: SignatureLog, number: int, *, movements: int = 1) -> None:
    log.append(
        NOON + timedelta(days=number),
        NonceUse(Network.POLYGON, USER.address, "transaction", str(number)),
        kind=SignatureKind.TOKEN_TRANSFER,
        destination=USDC,
        movements=[Movement("usdc", RECIPIENT, 7)] * movements,
        digest=number.to_bytes(32),
    )


def test_a_line_says_what_was_signed(path: Path) -> None:
    lines = path.read_bytes().splitlines()
    line = json.loads(lines[1])
    digest, previous = line.pop("hash"), line.pop("previous")
    assert line == {
        "number": 2,
        "at": "2026-11-25T12:00:00.000000Z",
        "chain": "POLYGON",
        "address": USER.address,
        "kind": "token_transfer",
        "scope": "transaction",
        "nonce": "1",
        "destination": USDC,
        "movements": [{"token": "usdc", "destination": RECIPIENT, "amount": "7"}],
    }
    assert (len(digest), len(previous)) == (66, 64)
    last = json.loads(lines[-1])
    assert last["movements"][0]["amount"] == str(2**200)
    assert (last["kind"], last["nonce"]) == ("authorization", f"0x{1:064x}")


def test_the_log_is_its_owners_only(path: Path) -> None:
    assert path.stat().st_mode & 0o777 == 0o600


def test_a_complete_log_is_valid(path: Path) -> None:
    assert check_log(path).count == 5
    assert [entry.number for entry in read_log(path)] == [1, 2, 3, 4, 5]


CHANGES: list[Callable[[LINES], LINES]] = [
    lambda lines: lines[1:],
    lambda lines: [*lines[:2], *lines[3:]],
    lambda lines: [lines[1], lines[0], *lines[2:]],
    lambda lines: [*lines[:2], lines[1], *lines[2:]],
    lambda lines: [*lines[:1], lines[1].replace(b'"7"', b'"6"'), *lines[2:]],
    lambda lines: [*lines[:1], lines[1].replace(b":2,", b": 2,"), *lines[2:]],
    lambda lines: [*lines[:1], lines[1].replace(b"{", b'{"x":1,', 1), *lines[2:]],
    lambda lines: [*lines[:1], b"\n", *lines[1:]],
    lambda lines: [*lines[:4], lines[4][:-5]],
    lambda lines: [*lines, b"x" * 300_000],
]


@pytest.mark.parametrize("alter", CHANGES)
def test_a_change_shows(path: Path, alter: Callable[[LINES], LINES]) -> None:
    path.write_bytes(b"".join(alter(path.read_bytes().splitlines(keepends=True))))
    with pytest.raises(LogInvalid):
        check_log(path)


def test_a_changed_log_is_not_continued(path: Path) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([*lines[:2], *lines[3:]]))
    with pytest.raises(LogInvalid, match="line 3"):
        SignatureLog.open(path, since=DAY)


def test_a_missing_log_can_not_be_checked(tmp_path: Path) -> None:
    with pytest.raises(LogInvalid, match="can't be read"):
        check_log(tmp_path / "none")


def test_a_line_that_was_cut_off_is_removed(path: Path) -> None:
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:100])
    log = SignatureLog.open(path, since=DAY)
    log.close()
    assert path.read_bytes() == whole
    path.write_bytes(whole[:100])
    SignatureLog.open(path, since=DAY).close()
    assert not path.read_bytes()


def test_one_signer_at_a_time_has_the_log_open(path: Path) -> None:
    log = SignatureLog.open(path, since=DAY)
    with pytest.raises(LogInvalid, match="another signer"):
        SignatureLog.open(path, since=DAY)
    log.close()
    SignatureLog.open(path, since=DAY).close()


def test_a_long_log_is_read_from_its_end(tmp_path: Path) -> None:
    path = tmp_path / "signatures.jsonl"
    log = SignatureLog.open(path, since=DAY)
    for number in range(100):
        append(log, number, movements=200)
    log.sync()
    log.close()
    assert path.stat().st_size > 1_500_000
    log = SignatureLog.open(path, since="2027-02-28")
    recent = log.take_recent()
    assert len(recent) < 100
    days = [entry.day for entry in recent]
    assert days[-5:] == ["2027-02-28", "2027-03-01", "2027-03-02", "2027-03-03", "2027-03-04"]
    assert days[0] <= "2027-02-28"
    append(log, 100)
    log.close()
    assert check_log(path).count == 101


def test_after_a_failure_nothing_more_is_written(tmp_path: Path) -> None:
    path = tmp_path / "signatures.jsonl"
    log = SignatureLog.open(path, since=DAY)
    log.close()
    with pytest.raises(LogFailed, match="can't be written"):
        append(log, 1)
    with pytest.raises(LogFailed, match="has failed before"):
        append(log, 2)
    with pytest.raises(LogFailed, match="has failed before"):
        log.sync()


def test_a_clock_in_another_zone_writes_utc(tmp_path: Path) -> None:
    with signing(tmp_path, clock=FrozenClock(NOON)) as (signer, _):
        signer.sign_delegation(USER, Network.POLYGON, nonce=4)
    (entry,) = read_log(tmp_path / "signatures.jsonl")
    assert (entry.day, entry.kind, entry.nonce) == (DAY, SignatureKind.DELEGATION, "4")
