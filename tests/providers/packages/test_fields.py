"""Fields of what a provider or a payee sent: missing and of another type alike."""

from typing import Any
from uuid import UUID

import pytest

from landbridge.providers.packages.fields import read_object, read_our_key, read_text

KEY = "0192f0c1-5d3a-7c41-8d6a-3f2b1c0d9e8f"


@pytest.mark.parametrize("value", [None, "", [], {}, 1, True, {"b": "c"}, "text"])
def test_a_field_is_read_by_its_type_only(value: Any) -> None:
    of = {"a": value}
    assert read_text(of, "a") == ("text" if value == "text" else None)
    assert read_object(of, "a") == ({"b": "c"} if value == {"b": "c"} else {})
    assert (read_text(of, "other"), read_object(of, "other")) == (None, {})


@pytest.mark.parametrize("text", [None, "", "invoice 7", KEY.upper(), f"{{{KEY}}}", f"{KEY} "])
def test_a_text_that_we_did_not_write_is_no_key(text: str | None) -> None:
    assert read_our_key(text) is None


def test_our_key_is_read_back() -> None:
    assert read_our_key(KEY) == UUID(KEY)
