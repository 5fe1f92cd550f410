"""Files of users. Documents, payouts and answers to requests for information refer to them.

Guarantees:
- A file belongs to the user for whom it was first used, and is erased only with that user.
- A claim locks its user before the files, as an erasure does; call it before taking other locks
  that an erasure needs.
"""

from collections.abc import Collection, Mapping
from uuid import UUID

from landbridge.customers.kyc import store
from landbridge.platform.db.pool import Tx
from landbridge.platform.files.model import file_uuid
from landbridge.platform.files.service import Files

_MISSING = "there is no such file"
_FOREIGN = "the file is used for another user"


class UserFiles:
    """Files of the users of all organisations."""

    def __init__(self, files: Files) -> None:
        self._files = files

    async def claim(
        self, tx: Tx, org_id: UUID, user_id: UUID, file_ids: Collection[str]
    ) -> Mapping[str, str]:
        """Assign files to a user until the user is erased; return reasons for refusals by file id.

        The caller rolls back its transaction if any file is refused.
        """
        if not file_ids:
            return {}
        well_formed = [each for each in file_ids if file_uuid(each)]
        await store.claim_files(tx, org_id, user_id, well_formed)
        foreign = await store.foreign_files(tx, org_id, user_id, well_formed)
        missing = await self._files.claim(tx, org_id, file_ids)
        return _refusals(foreign, missing)

    async def find_refusals(
        self, tx: Tx, org_id: UUID, user_id: UUID, file_ids: Collection[str]
    ) -> Mapping[str, str]:
        """Return why `claim` would refuse some of these files now, by id."""
        foreign = await store.foreign_files(tx, org_id, user_id, file_ids)
        return _refusals(foreign, await self._files.missing_in(tx, org_id, file_ids))

    async def erase(
        self, tx: Tx, org_id: UUID, user_id: UUID, file_ids: Collection[str] = ()
    ) -> None:
        """Destroy a user's files, and those in `file_ids` that belong to no user."""
        foreign = await store.foreign_files(tx, org_id, user_id, file_ids)
        own = await store.files(tx, org_id, user_id)
        await self._files.erase(tx, org_id, {*own, *file_ids} - foreign)


def _refusals(foreign: Collection[str], missing: Collection[str]) -> Mapping[str, str]:
    return dict.fromkeys(foreign, _FOREIGN) | dict.fromkeys(missing, _MISSING)
