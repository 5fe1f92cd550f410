"""Check that the author of a change of the team is still an admin when it is written."""

from landbridge.customers.team import store
from landbridge.customers.team.model import ChangeAuthor
from landbridge.platform.core.errors import RoleNotAllowed
from landbridge.platform.db.pool import Tx
from landbridge.platform.http.caller import Caller


async def author_of(tx: Tx, by: Caller | ChangeAuthor) -> ChangeAuthor:
    """Return the author of a change of the team: a key, an admin, or the operator's command.

    Locks the admins before all other locks on members. Raises `RoleNotAllowed` for an admin who was
    removed or demoted since the request began.
    """
    if isinstance(by, ChangeAuthor):
        return by
    if by.member is not None and by.id not in await store.lock_admins(tx, by.org_id):
        raise RoleNotAllowed
    return ChangeAuthor.caller(by)
