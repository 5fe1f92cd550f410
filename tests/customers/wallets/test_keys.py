"""Wallet keys against published test vectors, then our own guarantees as properties."""

import hashlib
import string
from typing import Protocol, cast

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from slip10 import SLIP10

from landbridge.customers.wallets.keys import (
    SEED_BYTES,
    WalletKeys,
    evm_address,
    evm_private_key,
    new_seed,
    solana_address,
    solana_private_key,
)
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.formats.evm_addresses import AddressError, checked_evm_address
from landbridge.platform.formats.solana_addresses import checked_solana_address

INDEX_MAX = 2**31 - 1
SEEDS = st.binary(min_size=SEED_BYTES, max_size=SEED_BYTES)
INDEXES = st.integers(min_value=0, max_value=INDEX_MAX)

# Examples of EIP-55: two of one case, then mixed ones.
CAPITAL = "0x52908400098527886E0F7030069857D2E4169EE7"
SMALL = "0xde709f2102306220921060314715629080e2fb77"
MIXED = (
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
    "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
    "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
)
SYSTEM_PROGRAM = "1" * 32
SOLANA = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk"


def from_phrase(phrase: str) -> bytes:
    """Return the seed of a phrase without a password (BIP-39)."""
    return hashlib.pbkdf2_hmac("sha512", phrase.encode(), b"mnemonic", 2048)


# Well-known seeds, whose addresses wallets and tools publish.
JUNK = from_phrase("test " * 11 + "junk")
ABANDON = from_phrase("abandon " * 11 + "about")


def test_known_phrases_give_their_known_evm_addresses() -> None:
    assert evm_address(JUNK, 0) == "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
    assert evm_address(JUNK, 1) == "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
    assert evm_address(ABANDON, 0) == "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"


def test_known_phrase_gives_its_known_evm_key() -> None:
    expected = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
    assert evm_private_key(JUNK, 0).hex() == expected


def test_known_phrase_gives_its_known_solana_addresses() -> None:
    assert solana_address(ABANDON, 0) == SOLANA
    assert solana_address(ABANDON, 1) == "Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb"


@given(seed=SEEDS, index=INDEXES)
@settings(max_examples=30)
def test_functions_and_opened_keys_agree(seed: bytes, index: int) -> None:
    keys = WalletKeys(seed)
    assert keys.evm_address(index) == evm_address(seed, index)
    assert keys.evm_private_key(index) == evm_private_key(seed, index)
    assert keys.solana_address(index) == solana_address(seed, index)
    assert keys.solana_private_key(index) == solana_private_key(seed, index)


@given(seed=SEEDS, indexes=st.lists(INDEXES, min_size=2, max_size=8, unique=True))
@settings(max_examples=30)
def test_no_two_owners_share_an_address_or_a_key(seed: bytes, indexes: list[int]) -> None:
    keys = WalletKeys(seed)
    for derive in (keys.evm_address, keys.evm_private_key, keys.solana_address):
        assert len({derive(index) for index in indexes}) == len(indexes)


@given(one=SEEDS, other=SEEDS, index=INDEXES)
@settings(max_examples=30)
def test_no_two_seeds_share_an_address(one: bytes, other: bytes, index: int) -> None:
    is_same = one == other
    assert (evm_address(one, index) == evm_address(other, index)) is is_same
    assert (solana_address(one, index) == solana_address(other, index)) is is_same


@given(seed=SEEDS, index=INDEXES)
@settings(max_examples=30)
def test_every_derived_address_is_one_to_send_to(seed: bytes, index: int) -> None:
    keys = WalletKeys(seed)
    assert checked_evm_address(keys.evm_address(index)) == keys.evm_address(index)
    assert checked_solana_address(keys.solana_address(index)) == keys.solana_address(index)


@pytest.mark.parametrize("index", [0, INDEX_MAX])
def test_first_and_last_index_derive(index: int) -> None:
    keys = WalletKeys(JUNK)
    assert len(keys.evm_private_key(index)) == 32
    assert len(keys.solana_private_key(index)) == 32


@pytest.mark.parametrize("index", [-1, INDEX_MAX + 1])
def test_index_outside_the_path_is_a_bug(index: int) -> None:
    keys = WalletKeys(JUNK)
    for derive in (keys.evm_private_key, keys.evm_address, keys.solana_private_key):
        with pytest.raises(InvariantBroken, match="not a derivation index"):
            derive(index)


@pytest.mark.parametrize("length", [0, 16, 32, 63, 65])
def test_seed_of_another_length_is_a_bug_that_does_not_show_it(length: int) -> None:
    seed = b"s" * length
    with pytest.raises(InvariantBroken) as caught:
        WalletKeys(seed)
    assert str(caught.value) == f"a wallet seed has 64 bytes, this one {length}"


def test_new_seeds_are_long_and_never_the_same() -> None:
    seeds = {new_seed() for _ in range(100)}
    assert len(seeds) == 100
    assert {len(seed) for seed in seeds} == {SEED_BYTES}


def test_opened_keys_do_not_show_themselves() -> None:
    keys = WalletKeys(JUNK)
    assert repr(keys) == object.__repr__(keys)
    assert not hasattr(keys, "__dict__")


@pytest.mark.parametrize("address", [CAPITAL, SMALL, *MIXED])
def test_checksum_examples_of_eip_55_are_accepted_unchanged(address: str) -> None:
    assert checked_evm_address(address) == address


@pytest.mark.parametrize("address", [CAPITAL, SMALL, *MIXED])
def test_evm_address_in_one_case_gets_its_checksum(address: str) -> None:
    assert checked_evm_address(address.lower()) == address
    assert checked_evm_address("0x" + address[2:].upper()) == address


@pytest.mark.parametrize("address", MIXED)
def test_any_one_changed_character_of_a_mixed_evm_address_is_refused(address: str) -> None:
    # Every position and every character: a fixed list, since EIP-55 misses one typo in thousands.
    for place in range(2, 42):
        for other in set(string.hexdigits) - {address[place]}:
            with pytest.raises(AddressError, match="checksum"):
                checked_evm_address(address[:place] + other + address[place + 1 :])


@given(raw=st.binary(min_size=20, max_size=20), places=st.sets(st.integers(2, 41)))
def test_letters_in_other_cases_are_refused_unless_all_are_alike(
    raw: bytes, places: set[int]
) -> None:
    small = "0x" + raw.hex()
    assume(any(raw))
    checked = checked_evm_address(small)
    turned = "".join(
        character.swapcase() if place in places else character
        for place, character in enumerate(checked)
    )
    if turned in {checked, small, "0x" + raw.hex().upper()}:
        assert checked_evm_address(turned) == checked
    else:
        with pytest.raises(AddressError, match="checksum"):
            checked_evm_address(turned)


@given(text=st.text(max_size=60))
@example(SMALL + "\n")
@example(" " + SMALL)
@example(SMALL[2:])
@example("0X" + SMALL[2:])
@example(SMALL + "0")
@example("0x" + "٣" * 40)  # a Unicode digit, but not an ASCII one
@example("0x" * 1_000_000)
def test_text_that_is_no_evm_address_is_refused_with_the_form(text: str) -> None:
    with pytest.raises(AddressError) as caught:
        checked_evm_address(text)
    assert str(caught.value) == "must be 0x followed by 40 hexadecimal digits"


def test_zero_address_is_refused() -> None:
    with pytest.raises(AddressError, match="coins are lost"):
        checked_evm_address("0x" + "0" * 40)


@given(raw=st.binary(min_size=32, max_size=32))
@example(bytes(31) + b"\x01")
@example(b"\xff" * 32)
def test_every_public_key_on_solana_is_an_address(raw: bytes) -> None:
    text = in_base58(raw)
    if any(raw):
        assert checked_solana_address(text) == text


@given(raw=st.binary(max_size=40))
@example(bytes(33))
@example(b"\xff" * 31)
@example(b"\x01" + bytes(32))
def test_base58_of_another_length_is_no_solana_address(raw: bytes) -> None:
    if len(raw) != 32:
        with pytest.raises(AddressError):
            checked_solana_address(in_base58(raw))


@pytest.mark.parametrize(
    "text",
    [
        "",
        SOLANA + "\n",
        " " + SOLANA,
        *(other + SOLANA[1:] for other in "0OIlé"),
        SMALL,
        "2" * 1_000_000,
    ],
)
def test_text_that_is_no_solana_address_is_refused_with_the_form(text: str) -> None:
    with pytest.raises(AddressError) as caught:
        checked_solana_address(text)
    assert str(caught.value) == "must be 32 to 44 characters of base58"


def test_system_program_is_refused() -> None:
    with pytest.raises(AddressError, match="coins are lost"):
        checked_solana_address(SYSTEM_PROGRAM)


def in_base58(raw: bytes) -> str:
    """Base58 by its definition, apart from the library that we use."""
    alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
    number, text = int.from_bytes(raw), ""
    while number:
        number, rest = divmod(number, 58)
        text = alphabet[rest] + text
    return "1" * (len(raw) - len(raw.lstrip(b"\0"))) + text


# The derivation library against its standards, on which our paths above depend.


class Node(Protocol):
    """Part of slip10 that these tests use; the library ships no types."""

    def get_xpub_from_path(self, path: str) -> str: ...
    def get_xpriv_from_path(self, path: str) -> str: ...
    def get_extended_privkey_from_path(self, path: str) -> tuple[bytes, bytes]: ...
    def get_pubkey_from_path(self, path: str) -> bytes: ...


def master(seed: str, curve: str) -> Node:
    """Return the root node of a seed in hex."""
    root = SLIP10.from_seed(bytes.fromhex(seed), curve_name=curve)  # pyright: ignore[reportUnknownMemberType]
    return cast("Node", root)


SEED_1 = "000102030405060708090a0b0c0d0e0f"
SEED_2 = (
    "fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a2"
    "9f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542"
)
SEED_3 = (
    "4b381541583be4423346c643850da4b320e46a87ae3d2a4e6da11eba819cd4ac"
    "ba45d239319ac14f863b8d5ab5a0d0c64d2e8a1e7d1457df2e5a3c51c73235be"
)

# Path, extended public key, extended private key.
BIP_32_SEED_1 = """
m
xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8
xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtRBeJgk33yuGBxrMPHi
m/0h
xpub68Gmy5EdvgibQVfPdqkBBCHxA5htiqg55crXYuXoQRKfDBFA1WEjWgP6LHhwBZeNK1VTsfTFUHCdrfp1bgwQ9xv5ski8PX9rL2dZXvgGDnw
xprv9uHRZZhk6KAJC1avXpDAp4MDc3sQKNxDiPvvkX8Br5ngLNv1TxvUxt4cV1rGL5hj6KCesnDYUhd7oWgT11eZG7XnxHrnYeSvkzY7d2bhkJ7
m/0h/1
xpub6ASuArnXKPbfEwhqN6e3mwBcDTgzisQN1wXN9BJcM47sSikHjJf3UFHKkNAWbWMiGj7Wf5uMash7SyYq527Hqck2AxYysAA7xmALppuCkwQ
xprv9wTYmMFdV23N2TdNG573QoEsfRrWKQgWeibmLntzniatZvR9BmLnvSxqu53Kw1UmYPxLgboyZQaXwTCg8MSY3H2EU4pWcQDnRnrVA1xe8fs
m/0h/1/2h
xpub6D4BDPcP2GT577Vvch3R8wDkScZWzQzMMUm3PWbmWvVJrZwQY4VUNgqFJPMM3No2dFDFGTsxxpG5uJh7n7epu4trkrX7x7DogT5Uv6fcLW5
xprv9z4pot5VBttmtdRTWfWQmoH1taj2axGVzFqSb8C9xaxKymcFzXBDptWmT7FwuEzG3ryjH4ktypQSAewRiNMjANTtpgP4mLTj34bhnZX7UiM
m/0h/1/2h/2
xpub6FHa3pjLCk84BayeJxFW2SP4XRrFd1JYnxeLeU8EqN3vDfZmbqBqaGJAyiLjTAwm6ZLRQUMv1ZACTj37sR62cfN7fe5JnJ7dh8zL4fiyLHV
xprvA2JDeKCSNNZky6uBCviVfJSKyQ1mDYahRjijr5idH2WwLsEd4Hsb2Tyh8RfQMuPh7f7RtyzTtdrbdqqsunu5Mm3wDvUAKRHSC34sJ7in334
m/0h/1/2h/2/1000000000
xpub6H1LXWLaKsWFhvm6RVpEL9P4KfRZSW7abD2ttkWP3SSQvnyA8FSVqNTEcYFgJS2UaFcxupHiYkro49S8yGasTvXEYBVPamhGW6cFJodrTHy
xprvA41z7zogVVwxVSgdKUHDy1SKmdb533PjDz7J6N6mV6uS3ze1ai8FHa8kmHScGpWmj4WggLyQjgPie1rFSruoUihUZREPSL39UNdE3BBDu76
"""
BIP_32_SEED_2 = """
m
xpub661MyMwAqRbcFW31YEwpkMuc5THy2PSt5bDMsktWQcFF8syAmRUapSCGu8ED9W6oDMSgv6Zz8idoc4a6mr8BDzTJY47LJhkJ8UB7WEGuduB
xprv9s21ZrQH143K31xYSDQpPDxsXRTUcvj2iNHm5NUtrGiGG5e2DtALGdso3pGz6ssrdK4PFmM8NSpSBHNqPqm55Qn3LqFtT2emdEXVYsCzC2U
m/0
xpub69H7F5d8KSRgmmdJg2KhpAK8SR3DjMwAdkxj3ZuxV27CprR9LgpeyGmXUbC6wb7ERfvrnKZjXoUmmDznezpbZb7ap6r1D3tgFxHmwMkQTPH
xprv9vHkqa6EV4sPZHYqZznhT2NPtPCjKuDKGY38FBWLvgaDx45zo9WQRUT3dKYnjwih2yJD9mkrocEZXo1ex8G81dwSM1fwqWpWkeS3v86pgKt
m/0/2147483647h
xpub6ASAVgeehLbnwdqV6UKMHVzgqAG8Gr6riv3Fxxpj8ksbH9ebxaEyBLZ85ySDhKiLDBrQSARLq1uNRts8RuJiHjaDMBU4Zn9h8LZNnBC5y4a
xprv9wSp6B7kry3Vj9m1zSnLvN3xH8RdsPP1Mh7fAaR7aRLcQMKTR2vidYEeEg2mUCTAwCd6vnxVrcjfy2kRgVsFawNzmjuHc2YmYRmagcEPdU9
m/0/2147483647h/1
xpub6DF8uhdarytz3FWdA8TvFSvvAh8dP3283MY7p2V4SeE2wyWmG5mg5EwVvmdMVCQcoNJxGoWaU9DCWh89LojfZ537wTfunKau47EL2dhHKon
xprv9zFnWC6h2cLgpmSA46vutJzBcfJ8yaJGg8cX1e5StJh45BBciYTRXSd25UEPVuesF9yog62tGAQtHjXajPPdbRCHuWS6T8XA2ECKADdw4Ef
m/0/2147483647h/1/2147483646h
xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQVHQKqhMkhgbmJbZRkrgZw4koxb5JaHWkY4ALHY2grBGRjaDMzQLcgJvLJuZZvRcEL
xprvA1RpRA33e1JQ7ifknakTFpgNXPmW2YvmhqLQYMmrj4xJXXWYpDPS3xz7iAxn8L39njGVyuoseXzU6rcxFLJ8HFsTjSyQbLYnMpCqE2VbFWc
m/0/2147483647h/1/2147483646h/2
xpub6FnCn6nSzZAw5Tw7cgR9bi15UV96gLZhjDstkXXxvCLsUXBGXPdSnLFbdpq8p9HmGsApME5hQTZ3emM2rnY5agb9rXpVGyy3bdW6EEgAtqt
xprvA2nrNbFZABcdryreWet9Ea4LvTJcGsqrMzxHx98MMrotbir7yrKCEXw7nadnHM8Dq38EGfSh6dqA9QWTyefMLEcBYJUuekgW4BYPJcr9E7j
"""
# A key that begins with a zero byte, which some libraries dropped.
BIP_32_SEED_3 = """
m
xpub661MyMwAqRbcEZVB4dScxMAdx6d4nFc9nvyvH3v4gJL378CSRZiYmhRoP7mBy6gSPSCYk6SzXPTf3ND1cZAceL7SfJ1Z3GC8vBgp2epUt13
xprv9s21ZrQH143K25QhxbucbDDuQ4naNntJRi4KUfWT7xo4EKsHt2QJDu7KXp1A3u7Bi1j8ph3EGsZ9Xvz9dGuVrtHHs7pXeTzjuxBrCmmhgC6
m/0h
xpub68NZiKmJWnxxS6aaHmn81bvJeTESw724CRDs6HbuccFQN9Ku14VQrADWgqbhhTHBaohPX4CjNLf9fq9MYo6oDaPPLPxSb7gwQN3ih19Zm4Y
xprv9uPDJpEQgRQfDcW7BkF7eTya6RPxXeJCqCJGHuCJ4GiRVLzkTXBAJMu2qaMWPrS7AANYqdq6vcBcBUdJCVVFceUvJFjaPdGZ2y9WACViL4L
"""


@pytest.mark.parametrize(
    ("seed", "vectors"),
    [(SEED_1, BIP_32_SEED_1), (SEED_2, BIP_32_SEED_2), (SEED_3, BIP_32_SEED_3)],
)
def test_vectors_of_bip_32_hold(seed: str, vectors: str) -> None:
    root = master(seed, "secp256k1")
    lines = iter(vectors.split())
    for path, public, private in zip(lines, lines, lines, strict=True):
        assert root.get_xpub_from_path(path) == public
        assert root.get_xpriv_from_path(path) == private


# Path, chain code, private key, public key.
SLIP_10_SEED_1 = """
m
90046a93de5380a72b5e45010748567d5ea02bbf6522f979e05c0d8d8ca9fffb
2b4be7f19ee27bbf30c667b642d5f4aa69fd169872f8fc3059c08ebae2eb19e7
00a4b2856bfec510abab89753fac1ac0e1112364e7d250545963f135f2a33188ed
m/0h
8b59aa11380b624e81507a27fedda59fea6d0b779a778918a2fd3590e16e9c69
68e0fe46dfb67e368c75379acec591dad19df3cde26e63b93a8e704f1dade7a3
008c8a13df77a28f3445213a0f432fde644acaa215fc72dcdf300d5efaa85d350c
m/0h/1h
a320425f77d1b5c2505a6b1b27382b37368ee640e3557c315416801243552f14
b1d0bad404bf35da785a64ca1ac54b2617211d2777696fbffaf208f746ae84f2
001932a5270f335bed617d5b935c80aedb1a35bd9fc1e31acafd5372c30f5c1187
m/0h/1h/2h
2e69929e00b5ab250f49c3fb1c12f252de4fed2c1db88387094a0f8c4c9ccd6c
92a5b23c0b8a99e37d07df3fb9966917f5d06e02ddbd909c7e184371463e9fc9
00ae98736566d30ed0e9d2f4486a64bc95740d89c7db33f52121f8ea8f76ff0fc1
m/0h/1h/2h/2h
8f6d87f93d750e0efccda017d662a1b31a266e4a6f5993b15f5c1f07f74dd5cc
30d1dc7e5fc04c31219ab25a27ae00b50f6fd66622f6e9c913253d6511d1e662
008abae2d66361c879b900d204ad2cc4984fa2aa344dd7ddc46007329ac76c429c
m/0h/1h/2h/2h/1000000000h
68789923a0cac2cd5a29172a475fe9e0fb14cd6adb5ad98a3fa70333e7afa230
8f94d394a8e8fd6b1bc2f3f49f5c47e385281d5c17e65324b0f62483e37e8793
003c24da049451555d51a7014a37337aa4e12d41e485abccfa46b47dfb2af54b7a
"""
SLIP_10_SEED_2 = """
m
ef70a74db9c3a5af931b5fe73ed8e1a53464133654fd55e7a66f8570b8e33c3b
171cb88b1b3c1db25add599712e36245d75bc65a1a5c9e18d76f9f2b1eab4012
008fe9693f8fa62a4305a140b9764c5ee01e455963744fe18204b4fb948249308a
m/0h
0b78a3226f915c082bf118f83618a618ab6dec793752624cbeb622acb562862d
1559eb2bbec5790b0c65d8693e4d0875b1747f4970ae8b650486ed7470845635
0086fab68dcb57aa196c77c5f264f215a112c22a912c10d123b0d03c3c28ef1037
m/0h/2147483647h
138f0b2551bcafeca6ff2aa88ba8ed0ed8de070841f0c4ef0165df8181eaad7f
ea4f5bfe8694d8bb74b7b59404632fd5968b774ed545e810de9c32a4fb4192f4
005ba3b9ac6e90e83effcd25ac4e58a1365a9e35a3d3ae5eb07b9e4d90bcf7506d
m/0h/2147483647h/1h
73bd9fff1cfbde33a1b846c27085f711c0fe2d66fd32e139d3ebc28e5a4a6b90
3757c7577170179c7868353ada796c839135b3d30554bbb74a4b1e4a5a58505c
002e66aa57069c86cc18249aecf5cb5a9cebbfd6fadeab056254763874a9352b45
m/0h/2147483647h/1h/2147483646h
0902fe8a29f9140480a00ef244bd183e8a13288e4412d8389d140aac1794825a
5837736c89570de861ebc173b1086da4f505d4adb387c6a1b1342d5e4ac9ec72
00e33c0f7d81d843c572275f287498e8d408654fdf0d1e065b84e2e6f157aab09b
m/0h/2147483647h/1h/2147483646h/2h
5d70af781f3a37b829f0d060924d5e960bdc02e85423494afc0b1a41bbe196d4
551d333177df541ad876a60ea71f00447931c0a9da16f227c11ea080d7391b8d
0047150c75db263559a70d5778bf36abbab30fb061ad69f69ece61a72b0cfa4fc0
"""


@pytest.mark.parametrize(("seed", "vectors"), [(SEED_1, SLIP_10_SEED_1), (SEED_2, SLIP_10_SEED_2)])
def test_vectors_of_slip_10_hold(seed: str, vectors: str) -> None:
    root = master(seed, "ed25519")
    lines = iter(vectors.split())
    for path, chain_code, private, public in zip(lines, lines, lines, lines, strict=True):
        expected = (bytes.fromhex(chain_code), bytes.fromhex(private))
        assert root.get_extended_privkey_from_path(path) == expected
        assert root.get_pubkey_from_path(path).hex() == public
