"""Flow that can only be reviewed, for tests of reviews alone."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from landbridge.app.container import Container
from landbridge.ledger.model import AdvanceTransfer, CommitOutcome, DueCheck, Transfer
from landbridge.payments.rfis.reviews import TransferReviews
from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.pool import Tx
from tests import make
from tests.tenants import Tenant, make_user, served

KIND = "TEST.REVIEWED"


class Status(StrEnum):
    """Status of a payment of this flow."""

    CREATED = "CREATED"  # waits for the worker
    PENDING = "PENDING"  # is in progress
    IN_REVIEW = "IN_REVIEW"  # waits for a reviewer
    COMPLETED = "COMPLETED"
    CANCELLED = "CANCELLED"
    EXPIRED = "EXPIRED"


TRANSITIONS: Transitions[Status] = Transitions(
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
    def transitions(self) -> Transitions[Any]:
        return TRANSITIONS

    def into_review(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        if TRANSITIONS.is_terminal(Status(record.status)) or record.status == Status.IN_REVIEW:
            raise ResourceConflict(f"it is {record.status}")
        facts = {"reviewed_from": record.status}
        return _move(record, Status.IN_REVIEW, actor, at, facts=facts)

    def out_of_review(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        if record.status != Status.IN_REVIEW:
            raise ResourceConflict(f"it is {record.status}")
        return _move(record, Status(record.facts["reviewed_from"]), actor, at, due_at=at)


@dataclass(frozen=True, slots=True)
class ReviewScenario:
    """Tenant whose container reviews this flow, with the actions of the flow."""

    org: Tenant

    @property
    def container(self) -> Container:
        return self.org.container

    async def open(self, user_id: str | None = None) -> Transfer:
        """Create a payment of a user."""
        user = UUID(user_id or await make_user(self.org))
        request = make.opening(self.org.org_id, Status.CREATED, kind=KIND, user_id=user)
        return make.opened(await self.container.ledger.create(request, TRANSITIONS))

    async def read(self, record: Transfer) -> Transfer:
        return await self.container.ledger.get(record.org_id, KIND, record.id)

    async def changes(self, record: Transfer) -> list[tuple[str, str, str]]:
        """Return the recorded changes of a payment's requests: kind, change type, actor."""
        rows = await self.container.database.rows(
            "select kind, change_type, actor from changes where org_id = $1"
            " and facts->>'transferId' = $2 order by occurred_at, seq",
            *(self.org.org_id, str(record.id)),
        )
        return [(row["kind"], row["change_type"], row["actor"]) for row in rows]

    async def step(self, record: Transfer, status: Status) -> Transfer | CommitOutcome:
        """Advance a payment as the worker does."""
        return await self.container.ledger.advance(
            _move(record, status, "worker", make.CLOCK.stamp()), TRANSITIONS
        )

    async def cancel(self, record: Transfer) -> Transfer | CommitOutcome:
        """Cancel as flows do: the record first, then its request for information."""
        at = make.CLOCK.stamp()

        async def work(tx: Tx) -> Transfer | CommitOutcome:
            move = _move(record, Status.CANCELLED, "test", at)
            moved = await self.container.ledger.advance_in(tx, move, TRANSITIONS)
            if isinstance(moved, Transfer):
                await self.container.rfis.close_in(
                    tx, record.org_id, record.id, actor="test", at=at
                )
            return moved

        return await self.container.database.transact(work)


@asynccontextmanager
async def review_scenario(
    org: Tenant, container: Container | None = None
) -> AsyncGenerator[ReviewScenario]:
    """Yield the tenant with a container that also reviews this flow."""
    known = container or org.container
    transfer_reviews: TransferReviews = replace(
        known.transfer_reviews, flows={**known.transfer_reviews.flows, KIND: Flow()}
    )
    replaced = replace(
        known,
        transfer_reviews=transfer_reviews,
        sandbox=replace(known.sandbox, transfer_reviews=transfer_reviews),
    )
    caller = replace(org.caller, can_review=True)
    async with served(replaced) as client:
        yield ReviewScenario(replace(org, container=replaced, client=client, caller=caller))


def _move(
    record: Transfer,
    status: Status,
    actor: str,
    at: datetime,
    *,
    due_at: datetime | None = None,
    facts: dict[str, Any] | None = None,
) -> AdvanceTransfer:
    return AdvanceTransfer(
        record,
        path=(status,),
        change_type=status.lower(),
        actor=actor,
        at=at,
        timing=DueCheck.ANY,
        due_at=due_at,
        facts=facts or {},
    )
