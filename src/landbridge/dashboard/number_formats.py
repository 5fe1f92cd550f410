"""Numbers in the format of the reader's language, as shown and as typed into forms.

A number is read in one way or refused: `1.250` is 1250 in Spanish and 1.25 in English, and `1.25`
is refused in Spanish. Spaces may group digits in every language. No digit is rounded or dropped.
"""

import re
from dataclasses import dataclass
from decimal import Decimal, localcontext
from typing import Final

from babel.numbers import get_decimal_symbol, get_group_symbol
from markupsafe import Markup

from landbridge.platform.core.errors import FieldInvalid

NONE: Final = Markup("–")  # noqa: RUF001  an en dash, for a missing value
_EXAMPLE: Final = Decimal("1250.50")
_DECIMALS_MIN = 2
_GROUP = 3
_EXACT_DIGITS = 100
_SPACES = " \u00a0\u2009\u202f"
_APOSTROPHES = "'\u2019"


@dataclass(frozen=True, slots=True)
class NumberFormat:
    """Separators of a locale, and an example of a number with and without groups."""

    point: str
    group: str
    groups: str
    grouped_example: str
    plain_example: str

    @classmethod
    def of(cls, locale: str) -> "NumberFormat":
        """Return the format of a locale. `groups` are all separators of groups to accept."""
        group = get_group_symbol(locale)
        return cls(
            point=get_decimal_symbol(locale),
            group=group,
            groups=(_APOSTROPHES if group in _APOSTROPHES else group) + _SPACES,
            grouped_example=plain_number(_EXAMPLE, locale),
            plain_example=number_text(_EXAMPLE, locale),
        )


def parse_number(text: str, locale: str, *, field: str) -> str:
    """Return a typed number as the API takes it, for example `1250.50`; empty stays empty.

    Raises `FieldInvalid` if the text is no number in this format, or has misplaced separators.
    """
    text = text.strip()
    if not text:
        return ""
    shape = NumberFormat.of(locale)
    found = re.fullmatch(
        rf"([-\u2212]?)([1-9][0-9]{{0,2}}([{re.escape(shape.groups)}])[0-9]{{3}}(?:\3[0-9]{{3}})*|[0-9]*)"
        rf"(?:{re.escape(shape.point)}([0-9]+))?",
        text,
    )
    if found is None or not (found[2] or found[4]):
        raise FieldInvalid(
            f"This number can't be read for certain. Enter it as {shape.grouped_example} or"
            f" {shape.plain_example}.",
            field=field,
        )
    digits = re.sub("[^0-9]", "", found[2]) or "0"
    sign = "-" if found[1] else ""
    return f"{sign}{digits}" + (f".{found[4]}" if found[4] else "")


def number_markup(value: object, locale: str) -> Markup:
    """Return a number with all its digits, and its value for scripts."""
    return Markup('<data class="amount" value="{}">{}</data>').format(
        value, plain_number(value, locale)
    )


def plain_number(value: object, locale: str) -> str:
    """Return a number as `amount` does, without markup."""
    with localcontext() as exact:
        exact.prec = _EXACT_DIGITS
        try:
            number = Decimal(str(value))
            # An amount looks alike, whatever decimals it was stored with.
            shown = abs(number) if number else Decimal()
            integer_part, _, remainder = f"{shown:f}".partition(".")
            remainder = remainder.rstrip("0")
        except ArithmeticError:
            return str(value)
        if not number.is_finite() or len(integer_part) > _EXACT_DIGITS:
            return str(value)
    first = len(integer_part) % _GROUP
    groups = [integer_part[:first]] * bool(first)
    groups += [integer_part[at : at + _GROUP] for at in range(first, len(integer_part), _GROUP)]
    text = get_group_symbol(locale).join(groups) + get_decimal_symbol(locale)
    return ("−" if number < 0 else "") + text + remainder.ljust(_DECIMALS_MIN, "0")  # noqa: RUF001


def number_text(value: object, locale: str) -> str:
    """Return a stored number as the reader would type it, ungrouped; other texts unchanged."""
    text = "" if value is None else str(value)
    return text.replace(".", get_decimal_symbol(locale)) if _is_plain(text) else text


def _is_plain(text: str) -> bool:
    return re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text) is not None
