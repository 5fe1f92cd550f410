"""A flow that can be reviewed and does nothing else, for tests of reviews alone."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from landbridge.core.errors import ResourceConflict
from landbridge.core.states import Moves
from landbridge.db.pool import Tx
from landbridge.ledger.model import Move, Outcome, Timing, Transfer
from landbridge.rfis.reviewing import Reviewing
from landbridge.wiring import House
from tests import make
from tests.tenants import Tenant, make_user, served

KIND = "TEST.REVIEWED"


class Status(StrEnum):
    """Where it stands."""

    CREATED = "CREATED"  # waits for the worker
    PENDING = "PENDING"  # is under way
    IN_REVIEW = "IN_REVIEW"  # waits for a reviewer
    COMPLETED = "COMPLETED"
    CANCELLED = "CANCELLED"
    EXPIRED = "EXPIRED"


MOVES: Moves[Status] = Moves(
    start=frozenset({Status.CREATED}),
    table={
        Status.CREATED: frozenset({Status.PENDING, Status.IN_REVIEW}),
        Status.PENDING: frozenset({Status.COMPLETED, Status.IN_REVIEW}),
        Status.IN_REVIEW: frozenset(
            {Status.CREATED, Status.PENDING, Status.CANCELLED, Status.EXPIRED}
        ),
        Status.COMPLETED: frozenset(),
        Status.CANCELLED: frozenset(),
        Status.EXPIRED: frozenset(),
    },
)


class Flow:
    """Implements `Reviewed`."""

    @property
    def moves(self) -> Moves[Any]:
        return MOVES

    def into_review(self, record: Transfer, *, actor: str, at: datetime) -> Move:
        if MOVES.is_terminal(Status(record.status)) or record.status == Status.IN_REVIEW:
            raise ResourceConflict(f"it is {record.status}")
        facts = {"reviewed_from": record.status}
        return _move(record, Status.IN_REVIEW, actor, at, facts=facts)

    def out_of_review(self, record: Transfer, *, actor: str, at: datetime) -> Move:
        if record.status != Status.IN_REVIEW:
            raise ResourceConflict(f"it is {record.status}")
        return _move(record, Status(record.facts["reviewed_from"]), actor, at, due_at=at)


@dataclass(frozen=True, slots=True)
class Play:
    """A tenant whose house reviews this flow, and what the flow's verbs would do."""

    org: Tenant

    @property
    def house(self) -> House:
        return self.org.house

    async def open(self, user_id: str | None = None) -> Transfer:
        """A payment of a user."""
        user = UUID(user_id or await make_user(self.org))
        asked = make.opening(self.org.org_id, Status.CREATED, kind=KIND, user_id=user)
        return make.opened(await self.house.ledger.open(asked, MOVES))

    async def read(self, record: Transfer) -> Transfer:
        return await self.house.ledger.get(record.org_id, KIND, record.id)

    async def changes(self, record: Transfer) -> list[tuple[str, str, str]]:
        """What was told of a payment's requests: kind, what, actor."""
        rows = await self.house.database.rows(
            "select kind, what, actor from changes where org_id = $1"
            " and facts->>'transferId' = $2 order by at, seq",
            *(self.org.org_id, str(record.id)),
        )
        return [(row["kind"], row["what"], row["actor"]) for row in rows]

    async def step(self, record: Transfer, status: Status) -> Transfer | Outcome:
        """What the worker does."""
        return await self.house.ledger.advance(
            _move(record, status, "worker", make.CLOCK.stamp()), MOVES
        )

    async def cancel(self, record: Transfer) -> Transfer | Outcome:
        """As flows do: the record first, then its request for information."""
        at = make.CLOCK.stamp()

        async def work(tx: Tx) -> Transfer | Outcome:
            move = _move(record, Status.CANCELLED, "test", at)
            moved = await self.house.ledger.advance_in(tx, move, MOVES)
            if isinstance(moved, Transfer):
                await self.house.rfis.close_in(tx, record.org_id, record.id, actor="test", at=at)
            return moved

        return await self.house.database.transact(work)


@asynccontextmanager
async def playing(org: Tenant, house: House | None = None) -> AsyncGenerator[Play]:
    """The tenant, in a house that reviews this flow too."""
    known = house or org.house
    reviewing: Reviewing = replace(known.reviewing, flows={**known.reviewing.flows, KIND: Flow()})
    replaced = replace(
        known, reviewing=reviewing, sandbox=replace(known.sandbox, reviewing=reviewing)
    )
    caller = replace(org.caller, can_review=True)
    async with served(replaced) as client:
        yield Play(replace(org, house=replaced, client=client, caller=caller))


def _move(
    record: Transfer,
    status: Status,
    actor: str,
    at: datetime,
    *,
    due_at: datetime | None = None,
    facts: dict[str, Any] | None = None,
) -> Move:
    return Move(
        record,
        path=(status,),
        what=status.lower(),
        actor=actor,
        at=at,
        timing=Timing.ANY,
        due_at=due_at,
        facts=facts or {},
    )
