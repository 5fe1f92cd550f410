"""Pages of identity providers, on which a person continues a verification.

Guarantees: calls are rate limited (platform/rate_limits/provider_calls.py), because each link needs
a call to the provider, which members of the organisation and visitors of a form can cause.
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

# Statuses in which the person may still be able to continue at the provider.
OPEN_AT_PROVIDER = frozenset({KycStatus.PENDING, KycStatus.INCOMPLETE, KycStatus.RFI_PENDING})


@dataclass(frozen=True, slots=True)
class VerificationLinks:
    """Links to providers' pages. None is stored, as anyone with a link can act as the person."""

    users: Users
    verification: Verification
    identity: Identity
    _rates: ProviderCallRates = field(
        default_factory=lambda: ProviderCallRates("links to the identity provider")
    )

    def is_open(self, case: VerificationCase) -> bool:
        """Return whether a connected provider has this case and may wait for the person.

        It may be True for a provider without a page, which only `open` detects.
        """
        return _reference(case) is not None and self._is_connected(case)

    def is_expected(self, case: VerificationCase) -> bool:
        """Return whether this case is submitted to a connected provider next."""
        return case.status is KycStatus.CREATED and self._is_connected(case)

    async def open(self, caller: Caller, user_id: UUID, rail: Rail) -> HostedVerification:
        """Return a new link for a user whose case is at a provider.

        Raises `ResourceConflict` if the case is not open there, `ResourceNotFound` if the provider
        has no page, `Busy` if it does not answer, `TooManyRequests`, `UserNotFound` and
        `UserFrozen`.
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
    """Return the provider's reference of a case that is open there; None for other cases."""
    return case.reference if case.status in OPEN_AT_PROVIDER else None
