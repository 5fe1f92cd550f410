"""Worker steps of due swaps."""

from datetime import timedelta

from landbridge.ledger.model import Transfer
from landbridge.payments.swaps.model import SwapStatus, as_swap
from landbridge.payments.swaps.service import Swaps
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken

ACTOR = "worker"


class SwapSteps:
    """Runs the steps of due swaps."""

    def __init__(self, swaps: Swaps, clock: Clock) -> None:
        self._swaps = swaps
        self._clock = clock

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Run the next step of a due record; losing a race for it is no error."""
        swap = as_swap(record)
        match swap.status:
            case SwapStatus.OPEN_QUOTE:
                await self._swaps.expire(swap, ACTOR, self._clock.stamp(clock_offset))
            case status:
                raise InvariantBroken(f"a swap that is {status} has no due step")
