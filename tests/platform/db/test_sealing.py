"""Integrity of encrypted values, and the source of their key."""

import base64
import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.db.sealing import (
    KEY_BYTES,
    SealBroken,
    Sealer,
    keys_from_text,
    load_or_create_keys,
)

OLD = bytes(range(32))
NEW = bytes(range(100, 132))
SECRET = b"a seed that must not be seen"
HERE = "wallet_seed:0190b6a0-0000-7000-8000-000000000001"
THERE = "wallet_seed:0190b6a0-0000-7000-8000-000000000002"
SIZE_ADDED = 30

KEYS = st.binary(min_size=KEY_BYTES, max_size=KEY_BYTES)
PLAINS = st.binary(max_size=200)


@given(key=KEYS, plain=PLAINS, context=st.text(max_size=80))
def test_sealed_value_opens_in_its_place(key: bytes, plain: bytes, context: str) -> None:
    sealed = Sealer(key).seal(plain, context=context)
    assert Sealer(key).open(sealed, context=context) == plain
    assert len(sealed) == len(plain) + SIZE_ADDED


@given(plain=PLAINS, data=st.data())
def test_any_flipped_bit_is_refused(plain: bytes, data: st.DataObject) -> None:
    # Two keys, so that a flipped key id may name a key that exists.
    sealer = Sealer({2: OLD, 3: NEW})
    sealed = bytearray(sealer.seal(plain, context=HERE))
    bit = data.draw(st.integers(0, len(sealed) * 8 - 1))
    sealed[bit // 8] ^= 1 << bit % 8
    with pytest.raises(SealBroken):
        sealer.open(bytes(sealed), context=HERE)


@given(plain=PLAINS, data=st.data())
def test_a_cut_or_lengthened_value_is_refused(plain: bytes, data: st.DataObject) -> None:
    sealer = Sealer(OLD)
    sealed = sealer.seal(plain, context=HERE)
    length = data.draw(st.integers(0, len(sealed) - 1))
    for other in (sealed[:length], sealed + b"\0"):
        with pytest.raises(SealBroken):
            sealer.open(other, context=HERE)


@given(anything=st.binary(max_size=100))
@example(b"")
@example(b"\x01\x01" + bytes(28))
def test_unsealed_bytes_are_refused(anything: bytes) -> None:
    with pytest.raises(SealBroken):
        Sealer(OLD).open(anything, context=HERE)


@given(contexts=st.lists(st.text(max_size=40), min_size=2, max_size=2, unique=True))
@example([HERE, THERE])
@example(["", "a"])
def test_value_moved_to_another_place_does_not_open(contexts: list[str]) -> None:
    here, there = contexts
    sealer = Sealer(OLD)
    with pytest.raises(SealBroken):
        sealer.open(sealer.seal(SECRET, context=here), context=there)


def test_other_key_with_the_same_id_does_not_open() -> None:
    sealed = Sealer(OLD).seal(SECRET, context=HERE)
    with pytest.raises(SealBroken, match="wrong key, wrong place, or altered"):
        Sealer(NEW).open(sealed, context=HERE)


def test_same_value_never_seals_to_the_same_bytes() -> None:
    sealer = Sealer(OLD)
    assert len({sealer.seal(SECRET, context=HERE) for _ in range(100)}) == 100


def test_the_first_key_seals_and_the_others_still_open() -> None:
    before = Sealer({1: OLD}).seal(SECRET, context=HERE)
    both = Sealer({2: NEW, 1: OLD})
    assert both.sealing_id == 2
    assert both.open(before, context=HERE) == SECRET
    after = both.seal(SECRET, context=HERE)
    assert (before[1], after[1]) == (1, 2)
    assert Sealer({2: NEW}).open(after, context=HERE) == SECRET
    assert Sealer({1: OLD, 2: NEW}).seal(SECRET, context=HERE)[1] == 1


def test_single_key_has_id_one() -> None:
    sealed = Sealer(OLD).seal(SECRET, context=HERE)
    assert Sealer({1: OLD}).open(sealed, context=HERE) == SECRET


def test_missing_key_is_named_by_its_id() -> None:
    sealed = Sealer({1: OLD}).seal(SECRET, context=HERE)
    with pytest.raises(SealBroken, match="master key 1, which is not configured"):
        Sealer({2: NEW}).open(sealed, context=HERE)


def test_a_value_of_a_later_version_is_refused() -> None:
    sealed = Sealer(OLD).seal(SECRET, context=HERE)
    with pytest.raises(SealBroken, match="version"):
        Sealer(OLD).open(b"\x02" + sealed[1:], context=HERE)


def test_secrets_are_never_shown() -> None:
    sealer = Sealer({7: OLD, 2: NEW})
    assert repr(sealer) == "<Sealer with keys 2, 7>"
    sealed = sealer.seal(SECRET, context=HERE)
    with pytest.raises(SealBroken) as caught:
        sealer.open(sealed, context=THERE)
    assert str(caught.value) == "a sealed value does not open: wrong key, wrong place, or altered"
    assert caught.value.__suppress_context__
    assert isinstance(caught.value, InvariantBroken)


@pytest.mark.parametrize("keys", [{}, {256: OLD}, {-1: OLD}, {1: OLD, 2: NEW[:31]}, b"", OLD + OLD])
def test_unusable_keys_are_refused_without_showing_them(keys: dict[int, bytes] | bytes) -> None:
    with pytest.raises(ValueError, match=r"^.* key .*\.$") as caught:
        Sealer(keys)
    assert repr(OLD)[2:-1] not in str(caught.value)


@given(key=KEYS)
def test_key_is_read_from_its_text(key: bytes) -> None:
    text = base64.b64encode(key).decode()
    assert keys_from_text(text) == keys_from_text(f" {text}\n") == {1: key}


@given(keys=st.dictionaries(st.integers(0, 255), KEYS, min_size=1, max_size=5))
@pytest.mark.parametrize("joint", [",", "\n", " , ", ",\n"])
def test_several_keys_are_read_in_order(joint: str, keys: dict[int, bytes]) -> None:
    text = joint.join(f"{each}:{base64.b64encode(key).decode()}" for each, key in keys.items())
    assert list(keys_from_text(text).items()) == list(keys.items())


GOOD = base64.b64encode(OLD).decode()


@pytest.mark.parametrize(
    "text",
    [
        f"{GOOD},{GOOD}",
        f"2:{GOOD},{GOOD}",
        f"1:{GOOD},1:{GOOD}",
        f"1:{GOOD},01:{GOOD}",
        f"256:{GOOD}",
        f"-1:{GOOD}",
        f"\u0661:{GOOD}",
        f"1:2:{GOOD}",
        f":{GOOD}",
        "1:",
        f"1:{GOOD},2:{GOOD[:-4]}",
    ],
)
def test_ambiguous_key_lists_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="master key") as caught:
        keys_from_text(text)
    assert GOOD not in str(caught.value)


@given(text=st.text(max_size=60))
@example("")
@example(base64.b64encode(OLD[:31]).decode())
@example(base64.b64encode(OLD + b"\0").decode())
@example(base64.b64encode(OLD).decode()[:-1])
@example(OLD.hex())
@example("é" * 44)
def test_invalid_key_text_is_refused_without_quoting_it(text: str) -> None:
    with pytest.raises(ValueError, match="master key") as caught:
        keys_from_text(text)
    assert str(caught.value) in {
        "A master key is 32 bytes in base64: 44 characters, the last one '='.",
        "Several master keys are written as 2:BASE64,1:BASE64.",
    }
    assert caught.value.__context__ is None


def test_first_start_creates_a_key_file_and_later_ones_read_it(tmp_path: Path) -> None:
    path = tmp_path / "master.key"
    keys = load_or_create_keys(path)
    assert list(keys) == [1]
    assert len(keys[1]) == KEY_BYTES
    assert load_or_create_keys(path) == keys
    assert keys_from_text(path.read_text()) == keys
    assert list(tmp_path.iterdir()) == [path]


def test_key_file_is_private_under_any_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        load_or_create_keys(tmp_path / "master.key")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "master.key").stat().st_mode) == 0o600


def test_two_installations_have_two_keys(tmp_path: Path) -> None:
    assert load_or_create_keys(tmp_path / "one.key") != load_or_create_keys(tmp_path / "two.key")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o602, 0o610, 0o644, 0o666])
def test_key_file_readable_by_others_is_refused_with_the_remedy(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "master.key"
    load_or_create_keys(path)
    path.chmod(mode)
    with pytest.raises(ValueError, match=f"run: chmod 600 {path}"):
        load_or_create_keys(path)


@pytest.mark.parametrize("content", [b"", b"\xff" * 32, b"not a key", base64.b64encode(OLD) * 9])
def test_key_file_without_a_key_is_refused_and_left_unchanged(
    tmp_path: Path, content: bytes
) -> None:
    path = tmp_path / "master.key"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(ValueError, match=f"{path} does not hold 32 bytes in base64") as caught:
        load_or_create_keys(path)
    assert caught.value.__suppress_context__
    assert path.read_bytes() == content


def test_key_file_that_is_a_device_is_refused(tmp_path: Path) -> None:
    (tmp_path / "master.key").symlink_to("/dev/null")
    with pytest.raises(ValueError, match="not an ordinary file"):
        load_or_create_keys(tmp_path / "master.key")


def test_missing_folder_is_not_created(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        load_or_create_keys(tmp_path / "not mounted" / "master.key")


def test_concurrent_creators_get_the_same_key(tmp_path: Path) -> None:
    crowd = 8
    with ThreadPoolExecutor(crowd) as pool:
        for turn in range(20):
            path, start = tmp_path / f"{turn}.key", Barrier(crowd)

            def create(path: Path = path, start: Barrier = start) -> bytes:
                start.wait(timeout=60)
                return load_or_create_keys(path)[1]

            answers = [pool.submit(create) for _ in range(crowd)]
            assert len({answer.result(timeout=60) for answer in answers}) == 1
    assert len(list(tmp_path.iterdir())) == 20


def test_processes_that_start_together_get_the_same_key(tmp_path: Path) -> None:
    path = tmp_path / "master.key"
    program = (
        "import sys; from pathlib import Path; from landbridge.platform.db.sealing import"
        " load_or_create_keys; print(load_or_create_keys(Path(sys.argv[1]))[1].hex())"
    )
    started = [
        subprocess.Popen([sys.executable, "-c", program, str(path)], stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    answers = {process.communicate(timeout=60)[0].strip().decode() for process in started}
    assert answers == {load_or_create_keys(path)[1].hex()}
