"""Copies of fields that have the same names."""

from dataclasses import dataclass

import msgspec
import pytest

from landbridge.platform.core.fields import copy_fields


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    id: int
    name: str
    sealed_text: bytes


class _Opened(msgspec.Struct, frozen=True, kw_only=True):
    id: int
    name: str
    text: str | None = None


ROW = _Row(id=1, name="a", sealed_text=b"")


def test_equal_names_are_copied_and_others_given() -> None:
    assert copy_fields(ROW, _Opened, text="b") == _Opened(id=1, name="a", text="b")
    opened = _Opened(id=1, name="a", text="b")
    assert copy_fields(opened, _Row, sealed_text=b"", name="c") == _Row(
        id=1, name="c", sealed_text=b""
    )


def test_missing_field_is_an_error_even_with_a_default() -> None:
    with pytest.raises(AttributeError):
        copy_fields(ROW, _Opened)
