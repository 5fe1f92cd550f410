"""Pages of identity providers, on which a person continues a verification."""

import asyncio
from dataclasses import dataclass
from uuid import UUID

from landbridge.customers.kyc.model import Rail
from landbridge.customers.users.service import Users
from landbridge.customers.verification.model import CALL_TIMEOUT_S, KycStatus
from landbridge.customers.verification.service import Verification
from landbridge.platform.core.errors import Busy, ResourceConflict, ResourceNotFound, Upstream
from landbridge.platform.http.caller import Caller, check_editor
from landbridge.providers.identity.port import HostedVerification, Identity

# The person may still do something at the provider.
_OPEN = frozenset({KycStatus.PENDING, KycStatus.INCOMPLETE, KycStatus.RFI_PENDING})


@dataclass(frozen=True, slots=True)
class VerificationLinks:
    """Links to the pages of providers. None is stored: anyone who has one can act as the person."""

    users: Users
    verification: Verification
    identity: Identity

    async def open(self, caller: Caller, user_id: UUID, rail: Rail) -> HostedVerification:
        """Return a new link for a user whose case is at a provider.

        Raises `ResourceConflict` if nothing is open there, `ResourceNotFound` if the provider has
        no page, `Busy` if it does not answer, `UserNotFound` and `UserFrozen`.
        """
        check_editor(caller)
        await self.users.check_active(caller.org_id, user_id)
        case = await self.verification.status(caller.org_id, user_id, rail)
        if case is None or case.reference is None or case.status not in _OPEN:
            raise ResourceConflict("no provider waits for this user now", field="rails")
        try:
            async with asyncio.timeout(CALL_TIMEOUT_S):
                link = await self.identity.open_link(case.reference)
        except (Upstream, TimeoutError) as error:
            raise Busy("the identity provider gives no link now") from error
        if link is None:
            raise ResourceNotFound("the identity provider has no page for this user")
        return link
