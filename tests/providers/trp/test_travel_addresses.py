"""Travel addresses: a URL in base58check, as other programs make them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.platform.core.errors import FieldInvalid
from landbridge.providers.trp.travel_addresses import (
    decode_travel_address,
    encode_travel_address,
)

# Known to other implementations.
URL = "https://beneficiary.com/x/12345?t=i"
ADDRESS = "ta2W2HPKfHxgSgrzY178knqXHg1H3jfeQrwQ9JrKBs9wv"


def test_a_known_address_is_read_and_written() -> None:
    assert encode_travel_address(URL) == ADDRESS
    assert _decode(ADDRESS) == URL


@given(st.text("abcxyz0189-_/", max_size=200))
def test_what_is_written_is_read(path: str) -> None:
    url = f"https://vasp.example.com/{path}?t=i"
    assert _decode(encode_travel_address(url)) == url


@given(st.integers(2, len(ADDRESS) - 1), st.sampled_from("123456789ABCDEFGHJKLMNPQRSTUVWXYZ"))
def test_a_typing_error_is_found(at: int, letter: str) -> None:
    changed = ADDRESS[:at] + letter + ADDRESS[at + 1 :]
    if changed != ADDRESS:
        with pytest.raises(FieldInvalid):
            _decode(changed)


@pytest.mark.parametrize(
    "url",
    [
        "https://vasp.example.com/x",
        "https://vasp.example.com/x?t=p",
        "https://10.0.0.1/x?t=i",
        "https://169.254.169.254/x?t=i",
        "https://user:pw@vasp.example.com/x?t=i",
        "https://vasp.example.com:22/x?t=i",
        "https://127.0.0.1:8080/x?t=i",
    ],
)
def test_an_address_that_leads_nowhere_is_refused(url: str) -> None:
    with pytest.raises(FieldInvalid):
        _decode(encode_travel_address(url))


@pytest.mark.parametrize("text", ["", "ta", "lnurl1dp68", "ta0OIl", "ta" + "1" * 2_000, "täxx"])
def test_other_words_are_refused(text: str) -> None:
    with pytest.raises(FieldInvalid):
        _decode(text)


def test_this_machine_is_reached_by_http_in_a_sandbox_only() -> None:
    address = encode_travel_address("http://127.0.0.1:8080/x?t=i")
    found = decode_travel_address("travelAddress", address, allows_loopback=True)
    assert found == "http://127.0.0.1:8080/x?t=i"


def _decode(text: str) -> str:
    return decode_travel_address("travelAddress", text, allows_loopback=False)
