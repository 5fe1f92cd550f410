from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.platform.core.ids import as_uuid, derived_id, new_id


def test_new_ids_are_distinct_and_of_version_seven() -> None:
    created = [new_id() for _ in range(20_000)]
    assert len(set(created)) == len(created)
    assert {(each.version, each.variant) for each in created} == {(7, "specified in RFC 4122")}


def test_new_ids_use_all_their_random_bits() -> None:
    ones = zeros = 0
    for _ in range(200):
        value = new_id().int
        ones, zeros = ones | value, zeros | ~value
    random_bits = 0xFFF << 64 | (1 << 62) - 1
    assert ones & random_bits == random_bits
    assert zeros & random_bits == random_bits


def test_a_derived_id_is_the_same_each_time_and_never_a_new_one() -> None:
    parent = new_id()
    assert derived_id(parent, "refund") == derived_id(parent, "refund")
    assert derived_id(parent, "refund") != derived_id(parent, "return")
    assert derived_id(parent, "refund") != derived_id(new_id(), "refund")
    assert derived_id(parent, "refund").version == 5


@given(st.uuids())
def test_an_id_is_read_back_in_either_case(some: UUID) -> None:
    assert as_uuid(str(some)) == as_uuid(str(some).upper()) == some


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "01a1fc07cddf72ae92e89a1f6b8399aa",
        "{01a1fc07-cddf-72ae-92e8-9a1f6b8399aa}",
        "urn:uuid:01a1fc07-cddf-72ae-92e8-9a1f6b8399aa",
        "01a1fc07-cddf-72ae-92e8-9a1f6b8399aa ",
        "01a1fc07-cddf-72ae-92e8-9a1f6b8399a",
        "01a1fc07-cddf-72ae-92e8-9a1f6b8399a\u0661",
        "0_1a1fc0-cddf-72ae-92e8-9a1f6b8399aa",
    ],
)
def test_other_spelling_of_an_id_is_refused(text: str) -> None:
    assert as_uuid(text) is None
