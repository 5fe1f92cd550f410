"""How the sandbox's chains and banks keep to plans: between an order and what is remembered of it.

Faults are those of outside parties, and no others: whatever a plan says, an order is carried once
per key, and asked about it is answered the same. What is refused or lost is not remembered.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from uuid import UUID

from landbridge.core.errors import Rejected, Unavailable, Unclear
from landbridge.simulation.forcing import Forcing, Turn
from landbridge.simulation.model import Ending, Operation, Part
from landbridge.simulation.outcomes import Effect, Step
from landbridge.simulation.plans import Forced
from landbridge.simulation.service import Memory


class Playing:
    """Takes orders as their records' plans say."""

    def __init__(self, memory: Memory, forcing: Forcing) -> None:
        self._memory = memory
        self._forcing = forcing

    async def take(
        self,
        operation: Operation,
        record_id: UUID,
        steps: Sequence[Step],
        *,
        turn_key: UUID | None = None,
    ) -> Operation:
        """What is remembered of an order that takes its record through `steps`.

        An outcome happens to the first order at a step, and to those with the same `turn_key`.
        Raises what the ports let a chain or a bank raise: `Rejected`, `Unavailable`, `Unclear`.
        """
        plan = await self._forcing.plan(operation.org_id, record_id)
        asked = (
            [] if plan is None else [plan.outcomes[each] for each in steps if each in plan.outcomes]
        )
        turns: list[tuple[Forced, Turn]] = []
        for each in asked:
            turn = await self._forcing.turn(
                operation.org_id,
                record_id,
                each.outcome.step,
                key=turn_key or operation.key,
                at=operation.accepted_at,
            )
            if turn is not None:
                turns.append((each, turn))
                operation = _settling(operation, each)
        return await self._give(operation, turns)

    async def find(self, org_id: UUID, part: Part, key: UUID, at: datetime) -> Operation | None:
        """The operation of this key; None if none ever arrived.

        Raises `Unavailable` while nobody answers questions about it.
        """
        kept = await self._memory.find(org_id, part, key)
        if kept is not None:
            kept.check_told(at)
        return kept

    async def _give(self, operation: Operation, turns: Sequence[tuple[Forced, Turn]]) -> Operation:
        effects = {each.effect for each, turn in turns if turn.is_first}
        for each, turn in turns:
            if each.effect is Effect.REFUSE:
                raise Rejected(each.outcome.reason)
            is_early = operation.accepted_at < turn.first_at + each.delay
            if each.effect is Effect.REFUSE_AT_FIRST and is_early:
                raise Rejected(each.outcome.reason)
            if each.effect is Effect.AWAY and is_early:
                raise Unavailable("out of reach, as the sandbox was asked")
        if Effect.LOSE in effects:
            raise Unclear("no answer, as the sandbox was asked; it did not arrive")
        if Effect.TWICE in effects:
            await asyncio.gather(*(self._memory.remember(operation) for _ in range(2)))
        kept = await self._memory.remember(operation)
        if Effect.UNCLEAR in effects:
            raise Unclear("no answer, as the sandbox was asked; it did arrive")
        kept.check_told(operation.accepted_at)
        return kept


def _settling(operation: Operation, forced: Forced) -> Operation:
    """The operation as it is to end."""
    late = replace(operation, settles_at=operation.accepted_at + forced.delay, is_paced=False)
    reason = forced.outcome.reason
    match forced.effect:
        case Effect.SETTLE_LATE:
            return late
        case Effect.SILENT:
            return replace(late, is_silent=True)
        case Effect.FAIL_LATE:
            return replace(late, ending=Ending.FAILED, reason=reason)
        case Effect.FAIL:
            return replace(operation, ending=Ending.FAILED, reason=reason)
        case _:
            return operation
