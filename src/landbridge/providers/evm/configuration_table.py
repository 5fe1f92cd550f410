"""Table of the chains file; its members are read by name and type."""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any, TypeVar, cast

from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.formats.evm_addresses import AddressError, checked_evm_address

E = TypeVar("E", bound=StrEnum)

_NAME_LENGTH_SHOWN_MAX = 40
_AMOUNT_FORM = re.compile(r"[0-9]{1,18}(?:\.[0-9]{1,18})?", re.ASCII)


class ChainsFileError(LandbridgeError):
    """The chains file is invalid; the sentence begins with the path of the value."""


class ConfigurationTable:
    """Members of a table at `path`. Every error is a `ChainsFileError` that names the member."""

    def __init__(self, path: str, members: Mapping[str, Any]) -> None:
        self.path = path
        self.names = list(members)
        self._members = members
        self._read: set[str] = set()

    def error(self, name: str, problem: str) -> ChainsFileError:
        """Return the error for a member; `problem` continues the member's path."""
        return ChainsFileError(f"{self._path_of(name)} {problem}")

    def refuse_unknown(self) -> None:
        """Raise for the first member that no method has read."""
        for name in self.names:
            if name not in self._read:
                raise self.error(name, "is unknown: remove it, or correct its name")

    def required(self, name: str) -> Any:
        """Return a value of any type; raises if the member is absent."""
        self._read.add(name)
        if name not in self._members:
            raise self.error(name, "is missing")
        return self._members[name]

    def table(self, name: str) -> "ConfigurationTable":
        """Return a table; raises if the member is absent."""
        value = self.required(name)
        if not isinstance(value, dict):
            raise self.error(name, "must be a table")
        return ConfigurationTable(self._path_of(name), cast("dict[str, Any]", value))

    def optional_table(self, name: str) -> "ConfigurationTable | None":
        """Return a table; None if the member is absent."""
        return self.table(name) if name in self._members else None

    def text(self, name: str) -> str:
        """Return a text; raises if the member is absent."""
        value = self.required(name)
        if not isinstance(value, str):
            raise self.error(name, "must be text in quotes")
        return value

    def optional_text(self, name: str) -> str | None:
        """Return a text; None if the member is absent."""
        return self.text(name) if name in self._members else None

    def texts(self, name: str) -> list[str]:
        """Return a list of texts; raises if the member is absent."""
        value = self.required(name)
        members = cast("list[object]", value) if isinstance(value, list) else [None]
        texts = [each for each in members if isinstance(each, str)]
        if len(texts) < len(members):
            raise self.error(name, "must be a list of texts in quotes")
        return texts

    def optional_flag(self, name: str) -> bool:
        """Return a boolean; False if the member is absent."""
        value = self.required(name) if name in self._members else False
        if not isinstance(value, bool):
            raise self.error(name, "must be true or false")
        return value

    def choice(self, name: str, choices: type[E]) -> E:
        """Return one of these texts."""
        text = self.text(name)
        if text not in list(choices):
            raise self.error(name, f"must be {either(choices)}")
        return choices(text)

    def whole(self, name: str, *, least: int, most: int, default: int | None = None) -> int:
        """Return a whole number within both bounds; `default`, if given, for an absent member."""
        if default is not None and name not in self._members:
            return default
        value = self.required(name)
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if not is_whole or not least <= value <= most:
            raise self.error(name, f"must be a whole number from {least} to {most}")
        return value

    def optional_units(self, name: str, decimals: int) -> int | None:
        """Return an amount of coins in smallest units; None if the member is absent."""
        text = self.optional_text(name)
        if text is None:
            return None
        if not _AMOUNT_FORM.fullmatch(text):
            raise self.error(name, 'must be a decimal in quotes, as in "50000" or "0.25"')
        whole, _, fraction = text.partition(".")
        if len(fraction) > decimals:
            raise self.error(name, f"must have at most {decimals} decimals")
        return int(whole + fraction.ljust(decimals, "0"))

    def address(self, name: str) -> str:
        """Return an address with EIP-55 capital letters."""
        text = self.text(name)
        try:
            return checked_evm_address(text)
        except AddressError as error:
            raise self.error(name, str(error)) from None

    def optional_address(self, name: str) -> str | None:
        """Return an address; None if the member is absent."""
        return self.address(name) if name in self._members else None

    def _path_of(self, name: str) -> str:
        # A name may have any length, and could be a misplaced secret.
        shown = name if len(name) <= _NAME_LENGTH_SHOWN_MAX else f"{name[:10]}..."
        return f"{self.path}.{shown}" if self.path else shown


def either(texts: Iterable[str]) -> str:
    """Return names as an enumeration, such as `usdc, usdt or usdg`."""
    *others, last = (str(each) for each in texts)
    return f"{', '.join(others)} or {last}" if others else last
