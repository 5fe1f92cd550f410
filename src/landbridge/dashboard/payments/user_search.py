"""Finding the user whom somebody means: by id, by e-mail, or by a part of a name."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from landbridge.core.errors import FieldInvalid
from landbridge.core.ids import as_uuid
from landbridge.dashboard.finding import find_users
from landbridge.dashboard.forms import Form
from landbridge.web.inside import Interface

Found: TypeAlias = Mapping[str, Any]

SHOWN_MAX = 10


async def newest_users(interface: Interface) -> Sequence[Found]:
    """Users to choose from before anything was typed."""
    return await _few(interface, "")


async def search_users(interface: Interface, text: str) -> Sequence[Found]:
    """Users whose id, e-mail or name this is, or is a part of; at most a few."""
    return await _few(interface, text) if text.strip() else []


async def _few(interface: Interface, text: str) -> Sequence[Found]:
    return (await find_users(interface, text, type_="", cursor=None)).users[:SHOWN_MAX]


async def meant_user(interface: Interface, form: Form, name: str) -> Found:
    """The user whom the field `name` means; raises `FieldInvalid` unless that is one.

    `<name>Id` is the one that was chosen among those that were found for `<name>For`.
    """
    text = form.text(name)
    if not text:
        raise FieldInvalid("Say who: a name, an e-mail or a user id.", field=name)
    chosen = as_uuid(form.text(f"{name}Id"))
    if chosen is not None and form.text(f"{name}For") == text:
        return await interface.get(f"/v2/users/{chosen}")
    found = await search_users(interface, text)
    exact = [each for each in found if each["email"].casefold() == text.casefold()]
    found = exact or found
    if not found:
        raise FieldInvalid("No user has this name, e-mail or id.", field=name)
    if len(found) > 1:
        raise FieldInvalid("Several users fit. Choose one of them.", field=name)
    return found[0]


async def candidates(interface: Interface, form: Form, name: str) -> Sequence[Found]:
    """Who is offered below the field `name`."""
    return await search_users(interface, form.text(name))
