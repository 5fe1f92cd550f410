"""Freezes of an organisation by the operator of the server, which its admins can't end.

The change log shows who last froze an organisation. Both functions run in the caller's transaction.
"""

from uuid import UUID

from landbridge.platform.changes.service import last_actor
from landbridge.platform.core.errors import RoleNotAllowed
from landbridge.platform.db.pool import Tx

# Actor of changes that commands make.
OPERATOR = "cli"
_FREEZE = "freeze"


async def is_operator_takeover(tx: Tx, org_id: UUID, actor: str) -> bool:
    """Return whether the operator is freezing an organisation that an admin has already frozen."""
    return actor == OPERATOR and await last_actor(tx, org_id, org_id, _FREEZE) != OPERATOR


async def check_may_unfreeze(tx: Tx, org_id: UUID, actor: str) -> None:
    """Raise `RoleNotAllowed` if the operator froze the organisation and `actor` is another one."""
    if actor != OPERATOR and await last_actor(tx, org_id, org_id, _FREEZE) == OPERATOR:
        raise RoleNotAllowed(
            "the operator of this server froze the organisation: only the operator unfreezes it, "
            "by `landbridge orgs unfreeze`"
        )
