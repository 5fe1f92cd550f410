"""Users in forms: entered by name, e-mail or id, and shown by name."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Final

from landbridge.dashboard.approvals.payment_cards import user_names
from landbridge.dashboard.user_lookup import find_user_id
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.http.internal_client import InternalClient

# Users that are shown by name; each takes a request. The others are shown by their ids.
NAMED_MAX: Final = 50


async def user_ids_of(
    interface: InternalClient, texts: Iterable[str], *, field: str
) -> Sequence[str]:
    """Return the ids of users that texts name; raises `FieldInvalid` for one that is not a user's.

    Ids are returned as they are.
    """
    try:
        found = [await find_user_id(interface, each) for each in texts]
    except FieldInvalid as error:
        error.field = field
        raise
    return list(dict.fromkeys(each for each in found if each is not None))


async def names_of_users(interface: InternalClient, user_ids: Iterable[str]) -> Mapping[str, str]:
    """Return the names of the first of these users by id; texts that are no ids have none."""
    known = dict.fromkeys(each for each in user_ids if as_uuid(each) is not None)
    return await user_names(interface, list(islice(known, NAMED_MAX)))


def split_users(texts: Iterable[str]) -> tuple[Sequence[str], str]:
    """Return the ids among these texts, and the other texts as one."""
    found = list(texts)
    ids = [each for each in found if as_uuid(each) is not None]
    return ids, " ".join(each for each in found if each not in ids)
