"""Pages of identity providers, on which a person continues a verification.

Guarantees: each link is a call of the provider, which the members of an organisation and people
with a link to a form can cause. So calls have a rate for each user and each organisation, and one
organisation waits for few at once: all share what the provider allows its client.
"""

import asyncio
import math
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from landbridge.customers.kyc.model import Rail
from landbridge.customers.users.service import Users
from landbridge.customers.verification.model import CALL_TIMEOUT_S, KycStatus, VerificationCase
from landbridge.customers.verification.service import Verification
from landbridge.platform.core.errors import Busy, ResourceConflict, ResourceNotFound, Upstream
from landbridge.platform.http.caller import Caller, check_editor
from landbridge.platform.rate_limits.buckets import TokenBuckets
from landbridge.platform.rate_limits.service import TooManyRequests
from landbridge.providers.identity.port import HostedVerification, Identity

# The person may still do something at the provider.
OPEN_AT_PROVIDER = frozenset({KycStatus.PENDING, KycStatus.INCOMPLETE, KycStatus.RFI_PENDING})
# Links a second, in each API process; ten seconds' worth at once.
USER_RATE: Final = 1
_ORG_RATE: Final = 5
# Calls that an organisation waits for at once, in each API process.
_ORG_CALLS_MAX: Final = 8


@dataclass(frozen=True, slots=True)
class VerificationLinks:
    """Links to the pages of providers. None is stored: anyone who has one can act as the person."""

    users: Users
    verification: Verification
    identity: Identity
    _users: TokenBuckets = field(default_factory=lambda: TokenBuckets(USER_RATE))
    _orgs: TokenBuckets = field(default_factory=lambda: TokenBuckets(_ORG_RATE))
    _calls: list[UUID] = field(default_factory=list[UUID])

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
            with self._call(caller.org_id, user_id):
                async with asyncio.timeout(CALL_TIMEOUT_S):
                    link = await self.identity.open_link(reference)
        except (Upstream, TimeoutError) as error:
            raise Busy("the identity provider gives no link now") from error
        if link is None:
            raise ResourceNotFound("the identity provider has no page for this user")
        return link

    @contextmanager
    def _call(self, org_id: UUID, user_id: UUID) -> Generator[None]:
        """Count a call, and hold one of the organisation's; raises `TooManyRequests`."""
        now_s = asyncio.get_running_loop().time()
        if self._calls.count(org_id) >= _ORG_CALLS_MAX:
            raise TooManyRequests("The organisation waits for too many links.")
        for buckets, share in ((self._users, user_id), (self._orgs, org_id)):
            buckets.sweep(now_s)
            level = buckets.take(share, now_s)
            if not level.is_allowed:
                raise TooManyRequests(
                    "There are too many requests for links to the identity provider.",
                    retry_after_s=math.ceil(level.wait_s),
                )
        self._calls.append(org_id)
        try:
            yield
        finally:
            self._calls.remove(org_id)

    def _is_connected(self, case: VerificationCase) -> bool:
        return not self.identity.is_synchronous(case.org_id, case.rail)


def _reference(case: VerificationCase) -> str | None:
    """Return the provider's name for a case in which the person may still do something."""
    return case.reference if case.status in OPEN_AT_PROVIDER else None
