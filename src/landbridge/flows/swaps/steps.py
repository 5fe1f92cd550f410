"""What the worker does with a swap that is due."""

from datetime import timedelta

from landbridge.core.clock import Clock
from landbridge.core.errors import Broken
from landbridge.flows.swaps.model import Status, as_swap
from landbridge.flows.swaps.service import Swaps
from landbridge.ledger.model import Transfer

ACTOR = "worker"


class SwapSteps:
    """Moves on what time moves."""

    def __init__(self, swaps: Swaps, clock: Clock) -> None:
        self._swaps = swaps
        self._clock = clock

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Take the next step of a due record; losing the race for it is an ordinary outcome."""
        swap = as_swap(record)
        match swap.status:
            case Status.OPEN_QUOTE:
                await self._swaps.expire(swap, ACTOR, self._clock.stamp(clock_offset))
            case status:
                raise Broken(f"a swap that is {status} waits for no time")
