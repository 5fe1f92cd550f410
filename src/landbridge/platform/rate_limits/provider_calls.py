"""Rate limits of provider calls that clients cause one by one.

All organisations share the rate that a provider allows the operator, and each call may cost money.
So calls have a rate for each object and each organisation, and an organisation has few calls in
progress.
"""

import asyncio
import math
from collections.abc import Generator, Hashable
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from landbridge.platform.rate_limits.buckets import TokenBuckets
from landbridge.platform.rate_limits.service import TooManyRequests

# Calls per second in each API process, with a burst of ten seconds.
OBJECT_RATE: Final = 1
_ORG_RATE: Final = 5
# Calls of an organisation that may be in progress at once, in each API process.
_ORG_CALLS_MAX: Final = 8


@dataclass(frozen=True, slots=True)
class ProviderCallRates:
    """Rate limits of one kind of call; `noun` is its plural in errors, such as `links`."""

    noun: str
    _objects: TokenBuckets = field(default_factory=lambda: TokenBuckets(OBJECT_RATE))
    _orgs: TokenBuckets = field(default_factory=lambda: TokenBuckets(_ORG_RATE))
    _calls: list[UUID] = field(default_factory=list[UUID])

    @contextmanager
    def call(self, org_id: UUID, about: Hashable) -> Generator[None]:
        """Count a call, in progress during the block; raises `TooManyRequests` above a limit."""
        now_s = asyncio.get_running_loop().time()
        if self._calls.count(org_id) >= _ORG_CALLS_MAX:
            raise TooManyRequests(f"The organisation waits for too many {self.noun}.")
        for buckets, share in ((self._objects, about), (self._orgs, org_id)):
            buckets.sweep(now_s)
            level = buckets.take(share, now_s)
            if not level.is_allowed:
                raise TooManyRequests(
                    f"There are too many requests for {self.noun}.",
                    retry_after_s=math.ceil(level.wait_s),
                )
        self._calls.append(org_id)
        try:
            yield
        finally:
            self._calls.remove(org_id)
