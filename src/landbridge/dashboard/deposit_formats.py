"""Jinja filters for deposit instructions: what a payer copies is shown whole, and until when."""

import re
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Final

from babel.dates import format_date, get_timezone_name
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup, escape

from landbridge.platform.core.masks import is_masked

_GROUP = 4
# Nine digits, such as a routing number, make three groups.
_NINE, _THREE = 9, 3
# Numbers of accounts and keys within a sentence: IBAN, CLABE, bank account, UUID.
_NUMBER = re.compile(
    r"\b(?=[A-Z]*\d)[A-Z0-9]{10,34}\b|\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b"
)
# Second part of an instruction: amount, time and reference, which pages show by themselves.
_REQUIREMENT = re.compile(r"\s*Send exactly .*", re.DOTALL)


def whole(value: str) -> Markup:
    """Return a text as it is, with a button that copies it."""
    return _copied(value, escape(value))


def account_number(value: str) -> Markup:
    """Return a number in groups of four or three, with a button that copies it without gaps.

    The gaps are margins, so a selection has none either. A masked number is not copied.
    """
    if is_masked(value):
        return escape(value)
    size = _THREE if len(value) == _NINE else _GROUP
    groups = (value[at : at + size] for at in range(0, len(value), size))
    spans = (Markup("<span>{}</span>").format(each) for each in groups)
    return _copied(value, Markup("").join(spans))


def with_account_numbers(text: str) -> Markup:
    """Return a sentence whose account numbers are grouped and can be copied."""
    return Markup(_NUMBER.sub(_number, escape(text)))  # noqa: S704  escaped just before


def bank_sentence(instruction: str) -> str:
    """Return what a bank says of its account, without amount, time and reference."""
    return _REQUIREMENT.sub("", instruction)


@pass_context
def deadline(context: Context, value: str) -> Markup:
    """Return a time in words, with weekday and time zone, in the organisation's zone."""
    at = datetime.fromisoformat(value)
    local, locale = at.astimezone(context["zone"]), str(context["locale"])
    zone = get_timezone_name(local, width="long", locale=locale)
    return Markup('<time datetime="{}" class="words">{}</time>').format(
        at.isoformat(), f"{format_date(local, 'full', locale=locale)}, {local:%H:%M} ({zone})"
    )


def _copied(value: str, shown: Markup) -> Markup:
    return Markup(
        '<span class="copied-whole"><code class="grouped">{}</code>'
        '<button type="button" class="copy" data-copy="{}" hidden></button></span>'
    ).format(shown, value)


def _number(found: re.Match[str]) -> str:
    text = found[0]
    return whole(text) if "-" in text else account_number(text)


DEPOSIT_FILTERS: Final[Mapping[str, Callable[..., str]]] = {
    "whole": whole,
    "account_number": account_number,
    "with_account_numbers": with_account_numbers,
    "bank_sentence": bank_sentence,
    "deadline": deadline,
}
