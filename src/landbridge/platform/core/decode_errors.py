"""Error sentences for request bodies that msgspec can't decode."""

import re
from collections.abc import Callable, Collection
from typing import NoReturn

from landbridge.platform.core.choices import case_hint
from landbridge.platform.core.errors import FieldInvalid

# Format of msgspec's messages: "Object missing required field `b` - at `$.a`".
_PATH = re.compile(r" - at `(?:key in )?\$?\.?(?P<path>[^`]*)`$")
_MISSING = re.compile(r"^Object missing required field `(?P<name>[^`]+)`$")
_CHOICE = re.compile(r"^Invalid (?:enum )?value '(?P<value>.*)'$", re.DOTALL)
_QUOTED = re.compile(r"`([^`]*)`")
# msgspec's names of types, and the words that clients know for them.
_WORDS = {
    "str": "string",
    "int": "integer",
    "float": "number",
    "decimal": "number",
    "bool": "boolean",
    "uuid": "UUID",
}
_EXAMPLES = {
    "invalid RFC3339 encoded date": "must be a date, as in 2026-01-31",
    "invalid RFC3339 encoded datetime": "must be a time, as in 2026-01-31T12:00:00Z",
    "invalid UUID": "must be a UUID, as in 8d3a7cfe-0000-4000-8000-000000000000",
}
_CHOICES_MAX = 40


def refuse(message: str, choices: Callable[[str], Collection[str]] | None = None) -> NoReturn:
    """Raise `FieldInvalid` for an error message of msgspec, in the words of the API.

    `choices` returns the allowed values of the enumeration at a path of the body.
    """
    match = _PATH.search(message)
    path = match["path"] if match else ""
    text = message[: match.start()] if match else message
    if missing := _MISSING.match(text):
        field = f"{path}.{missing['name']}".removeprefix(".")
        raise FieldInvalid(f"{field} is required", field=field)
    if (choice := _CHOICE.match(text)) and choices is not None:
        text = _choice_text(choice["value"], sorted(set(choices(path))))
    else:
        text = text[:1].lower() + _QUOTED.sub(_in_words, text[1:])
        text = _EXAMPLES.get(text, text)
    raise FieldInvalid(f"{path or 'the request body'}: {text}", field=path or None)


def _in_words(match: re.Match[str]) -> str:
    return " or ".join(_WORDS.get(each, each) for each in match[1].split(" | "))


def _choice_text(value: str, choices: list[str]) -> str:
    hint = case_hint(value, choices) or f", not {value}"
    listed = ", ".join(choices[:_CHOICES_MAX]) + (", …" if len(choices) > _CHOICES_MAX else "")
    return f"must be one of {listed}{hint}" if choices else f"invalid value {value}"
