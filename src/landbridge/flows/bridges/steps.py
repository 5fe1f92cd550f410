"""What the worker does with a bridge that is due."""

from dataclasses import dataclass, replace
from datetime import timedelta

from landbridge.approvals.service import Approvals
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken
from landbridge.flows.bridges.errands import Errands
from landbridge.flows.bridges.model import MOVES, Bridge, Status, as_bridge
from landbridge.flows.bridges.moves import ended, unsent
from landbridge.flows.bridges.service import Bridges, moving
from landbridge.ledger.model import Transfer
from landbridge.payments.ends import Ends
from landbridge.payments.sending import ACTOR, Errand, Sending, as_far_as_it_goes


@dataclass(frozen=True, slots=True)
class BridgeSteps:
    """Moves on what time, and what chains, move."""

    bridges: Bridges
    approvals: Approvals
    ends: Ends
    errands: Errands
    sending: Sending
    clock: Clock

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Take a due record as far as it goes; losing the race for it is an ordinary outcome.

        Raises `Unavailable` and `Unclear` while a chain has no answer.
        """
        await as_far_as_it_goes(
            record,
            lambda here: self._step(
                as_bridge(here), clock_offset, is_claimed_now=here is not record
            ),
        )

    async def errand(
        self, record: Transfer, clock_offset: timedelta, *, is_claimed_now: bool = False
    ) -> Errand | None:
        """Return the order that a record waits for, as given now; None if it waits for none."""
        bridge, at = as_bridge(record), self.clock.now(clock_offset)

        async def why_not() -> str | None:
            return await self._why_frozen(bridge)

        is_unknown = bridge.status is Status.UNKNOWN
        match bridge.details.unknown_from if is_unknown else bridge.status:
            case Status.SOURCE_INITIATED:
                return self.errands.approve(bridge, at, why_not, is_claimed_now=is_claimed_now)
            case Status.SOURCE_PENDING:
                return replace(self.errands.burn(bridge, at), why_not=why_not)
            case Status.DESTINATION_INITIATED | Status.DESTINATION_PENDING:
                errand = await self.errands.destination(bridge, at)
                # What goes back goes back, whoever is frozen.
                is_refund = bridge.details.halted_reason is not None
                return errand if is_refund else replace(errand, why_not=why_not)
            case _:
                return None

    async def _step(
        self, bridge: Bridge, clock_offset: timedelta, *, is_claimed_now: bool
    ) -> Transfer | None:
        """One move; the record if it was made here and there may be another."""
        moved: Transfer | None = None
        match bridge.status:
            case Status.PENDING_APPROVAL:
                move = ended(bridge, Status.EXPIRED, ACTOR, self.clock.stamp(clock_offset))
                await self.approvals.expire(bridge.record, move, MOVES)
            case Status.OPEN_QUOTE:
                await self.bridges.expire(bridge, ACTOR, self.clock.stamp(clock_offset))
            case Status.CREATED:
                moved = await self._start(bridge, clock_offset)
            case Status.SOURCE_PROCESSED:
                moved = await self._go_over(bridge, clock_offset)
            case status:
                errand = await self.errand(
                    bridge.record, clock_offset, is_claimed_now=is_claimed_now
                )
                if errand is None:
                    raise Broken(f"a bridge that is {status} waits for no time")
                moved = await self.sending.run(
                    bridge.record, errand, clock_offset, is_claimed_now=is_claimed_now
                )
        return moved

    async def _start(self, bridge: Bridge, clock_offset: timedelta) -> Transfer | None:
        """Claim the first leg, unless somebody has been frozen since the accept."""
        reason = await self._why_frozen(bridge)
        if reason is None:
            return await self.sending.go(
                bridge.record, MOVES, Status.SOURCE_INITIATED, clock_offset=clock_offset
            )
        move = unsent(bridge, ACTOR, self.clock.stamp(clock_offset), reason)
        await self.bridges.ledger.advance(move, MOVES)
        return None

    async def _go_over(self, bridge: Bridge, clock_offset: timedelta) -> Transfer | None:
        """Claim the second leg; if somebody has been frozen, the coins are to go back instead."""
        reason = await self._why_frozen(bridge)
        return await self.sending.go(
            bridge.record,
            MOVES,
            Status.DESTINATION_INITIATED,
            clock_offset=clock_offset,
            facts={} if reason is None else {"halted_reason": reason},
        )

    async def _why_frozen(self, bridge: Bridge) -> str | None:
        return await self.ends.why_frozen(bridge.record.org_id, *moving(bridge))
