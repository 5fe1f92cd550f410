"""Sentences for the errors of the JSON decoder."""

import re
from typing import NoReturn

from landbridge.platform.core.errors import FieldInvalid

# Format of msgspec's messages: "Object missing required field `b` - at `$.a`".
_PATH = re.compile(r" - at `(?:key in )?\$?\.?(?P<path>[^`]*)`$")
_MISSING = re.compile(r"^Object missing required field `(?P<name>[^`]+)`$")


def refuse(message: str) -> NoReturn:
    """Raise `FieldInvalid` for an error message of msgspec, in the words of the API."""
    match = _PATH.search(message)
    path = match["path"] if match else ""
    text = message[: match.start()] if match else message
    if missing := _MISSING.match(text):
        field = f"{path}.{missing['name']}".removeprefix(".")
        raise FieldInvalid(f"{field} is required", field=field)
    text = text[:1].lower() + text[1:].replace("`", "")
    raise FieldInvalid(f"{path or 'the request body'}: {text}", field=path or None)
