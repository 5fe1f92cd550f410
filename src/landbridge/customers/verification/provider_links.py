"""Pages of identity providers, on which a person continues a verification.

Guarantees: each link is a call of the provider, which the members of an organisation and people
with a link to a form can cause. So calls have rates (platform/rate_limits/provider_calls.py).
"""

import asyncio
from dataclasses import dataclass, field
from uuid import UUID

from landbridge.customers.kyc.model import Rail
from landbridge.customers.users.service import Users
from landbridge.customers.verification.model import CALL_TIMEOUT_S, KycStatus, VerificationCase
from landbridge.customers.verification.service import Verification
from landbridge.platform.core.errors import Busy, ResourceConflict, ResourceNotFound, Upstream
from landbridge.platform.http.caller import Caller, check_editor
from landbridge.platform.rate_limits.provider_calls import ProviderCallRates
from landbridge.providers.identity.port import HostedVerification, Identity

# The person may still do something at the provider.
OPEN_AT_PROVIDER = frozenset({KycStatus.PENDING, KycStatus.INCOMPLETE, KycStatus.RFI_PENDING})


@dataclass(frozen=True, slots=True)
class VerificationLinks:
    """Links to the pages of providers. None is stored: anyone who has one can act as the person."""

    users: Users
    verification: Verification
    identity: Identity
    _rates: ProviderCallRates = field(
        default_factory=lambda: ProviderCallRates("links to the identity provider")
    )

    def is_open(self, case: VerificationCase) -> bool:
        """Return whether a connected provider has this case, and may wait for the person.

        A provider without a page is recognised only by `open`.
        """
        return _reference(case) is not None and self._is_connected(case)

    def is_expected(self, case: VerificationCase) -> bool:
        """Return whether a connected provider gets this case next."""
        return case.status is KycStatus.CREATED and self._is_connected(case)

    async def open(self, caller: Caller, user_id: UUID, rail: Rail) -> HostedVerification:
        """Return a new link for a user whose case is at a provider.

        Raises `ResourceConflict` if nothing is open there, `ResourceNotFound` if the provider has
        no page, `Busy` if it does not answer, `TooManyRequests`, `UserNotFound` and `UserFrozen`.
        """
        check_editor(caller)
        await self.users.check_active(caller.org_id, user_id)
        case = await self.verification.status(caller.org_id, user_id, rail)
        reference = None if case is None else _reference(case)
        if reference is None:
            raise ResourceConflict("no provider waits for this user now", field="rails")
        try:
            with self._rates.call(caller.org_id, user_id):
                async with asyncio.timeout(CALL_TIMEOUT_S):
                    link = await self.identity.open_link(reference)
        except (Upstream, TimeoutError) as error:
            raise Busy("the identity provider gives no link now") from error
        if link is None:
            raise ResourceNotFound("the identity provider has no page for this user")
        return link

    def _is_connected(self, case: VerificationCase) -> bool:
        return not self.identity.is_synchronous(case.org_id, case.rail)


def _reference(case: VerificationCase) -> str | None:
    """Return the provider's name for a case in which the person may still do something."""
    return case.reference if case.status in OPEN_AT_PROVIDER else None
