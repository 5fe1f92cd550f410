"""User fields of payment forms: find a user by id, e-mail or part of a name."""

from collections.abc import Sequence

from landbridge.customers.users.schemas import UserReply
from landbridge.dashboard.page_request import Form
from landbridge.dashboard.user_lookup import find_users
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.http.internal_client import InternalClient

RESULTS_MAX = 10


async def newest_users(interface: InternalClient) -> Sequence[UserReply]:
    """Users to choose from before anything was typed."""
    return await _search(interface, "")


async def search_users(interface: InternalClient, text: str) -> Sequence[UserReply]:
    """Return a few users whose id, e-mail or name contains the text."""
    return await _search(interface, text) if text.strip() else []


async def _search(interface: InternalClient, text: str) -> Sequence[UserReply]:
    return (await find_users(interface, text, type_="", cursor=None)).users[:RESULTS_MAX]


async def resolve_user(interface: InternalClient, form: Form, name: str) -> UserReply:
    """Return the user that field `name` identifies; raise `FieldInvalid` unless exactly one does.

    `<name>Id` is the user chosen among the candidates found for the text `<name>For`.
    """
    text = form.text(name)
    if not text:
        raise FieldInvalid("Enter a name, an e-mail or a user ID.", field=name)
    chosen = as_uuid(form.text(f"{name}Id"))
    if chosen is not None and form.text(f"{name}For") == text:
        return await interface.read(UserReply, f"/v2/users/{chosen}")
    found = await search_users(interface, text)
    exact = [each for each in found if each.email.casefold() == text.casefold()]
    found = exact or found
    if not found:
        raise FieldInvalid("No user has this name, e-mail or ID.", field=name)
    if len(found) > 1:
        raise FieldInvalid("Several users match. Choose one.", field=name)
    return found[0]


async def candidates(interface: InternalClient, form: Form, name: str) -> Sequence[UserReply]:
    """Return the users offered below the field `name`."""
    return await search_users(interface, form.text(name))
