"""Market prices from a connected provider."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from landbridge.platform.core.errors import Unavailable, Unclear
from landbridge.providers.rates.feeds import PRICED, Observation, read_observations
from landbridge.providers.sidecar.client import SidecarClient


@dataclass(frozen=True, slots=True)
class ProviderFeed:
    """Rates of the provider that the providers file names for them.

    A call ends after `deadline_s`, well before the next one, whatever the provider's `timeout_s`
    is.
    """

    provider: SidecarClient
    deadline_s: float = 5

    async def observe(self, now: datetime) -> Sequence[Observation]:
        """Return all of its prices; none if one of them is invalid. See `Feed`."""
        try:
            async with asyncio.timeout(self.deadline_s):
                answer = await self.provider.read_rates(sorted(PRICED))
        except (Unclear, TimeoutError) as error:
            raise Unavailable(str(error) or "the provider of rates took too long") from error
        known = {code: price for code, price in answer.usd.items() if code in PRICED}
        return read_observations(answer.at, known, now)
