"""What a decoder says of data that has not the shape it should, in our words."""

import re
from typing import NoReturn

from landbridge.core.errors import FieldInvalid

# As msgspec says it: "Object missing required field `b` - at `$.a`".
_PLACE = re.compile(r" - at `(?:key in )?\$?\.?(?P<path>[^`]*)`$")
_MISSING = re.compile(r"^Object missing required field `(?P<name>[^`]+)`$")


def refuse(message: str) -> NoReturn:
    """Raise `FieldInvalid` for a message of msgspec's, in our words."""
    place = _PLACE.search(message)
    path = place["path"] if place else ""
    what = message[: place.start()] if place else message
    if missing := _MISSING.match(what):
        field = f"{path}.{missing['name']}".removeprefix(".")
        raise FieldInvalid(f"{field} is required", field=field)
    what = what[:1].lower() + what[1:].replace("`", "")
    raise FieldInvalid(f"{path or 'the request body'}: {what}", field=path or None)
