"""A small flow that asks for approvals, for tests of these alone.

Its payments hold their amount from the start and spend it when they are approved.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from landbridge.approvals.model import ON_CHAIN_LIFETIME, Approval, Choice, Policy
from landbridge.approvals.service import Approvals
from landbridge.approvals.voting import Voting
from landbridge.core.clock import Clock, FrozenClock
from landbridge.core.ids import new_id
from landbridge.core.money import Money
from landbridge.core.states import Moves
from landbridge.db.pool import Database, Tx
from landbridge.ledger.model import Move, Opening, Posting, Transfer
from landbridge.ledger.model import Role as Posted
from landbridge.ledger.service import Ledger
from landbridge.limits.service import Limits
from landbridge.payments.openings import Drafted, Openings, Terms
from landbridge.payments.postings import hold, let_go
from landbridge.privacy.service import Vault
from landbridge.web.caller import Caller, Member, Role
from landbridge.wiring import House
from tests.make import USDC, balance, make_account
from tests.simulation.made import make_forcing

KIND = "TEST.APPROVED"
UNITS = 1_000_000
NO_OFFSET = timedelta()


class Status(StrEnum):
    """Where such a payment stands."""

    PENDING_APPROVAL = "PENDING_APPROVAL"
    IN_REVIEW = "IN_REVIEW"
    CREATED = "CREATED"
    QUOTE_FAILED = "QUOTE_FAILED"
    REJECTED = "REJECTED"
    EXPIRED = "EXPIRED"


ENDS = frozenset({Status.CREATED, Status.QUOTE_FAILED, Status.REJECTED, Status.EXPIRED})
MOVES: Moves[Status] = Moves(
    start=frozenset({Status.PENDING_APPROVAL}),
    table={
        Status.PENDING_APPROVAL: ENDS | {Status.IN_REVIEW},
        Status.IN_REVIEW: frozenset({Status.PENDING_APPROVAL, Status.EXPIRED, Status.REJECTED}),
        **dict.fromkeys(ENDS, frozenset()),
    },
)


def money(record: Transfer) -> Money:
    return Money(record.source_units, USDC)


def account_of(record: Transfer) -> UUID:
    return UUID(record.details["accountId"])


def leave(record: Transfer, status: Status, actor: str, at: datetime) -> Move:
    """To an end at which the money is the wallet's again."""
    journals: dict[int, Sequence[Posting]] = {0: let_go(account_of(record), money(record))}
    return Move(record, path=(status,), what="as flows like", actor=actor, at=at, journals=journals)


@dataclass
class Payments:
    """The flow. `extra` units are taken on top once a payment is approved, as a quote might."""

    extra: int = 0
    has_price: bool = True
    approved_calls: int = 0

    moves: Moves[Any] = field(default_factory=lambda: MOVES)

    async def approved(self, record: Transfer, *, actor: str, at: datetime) -> Move:
        self.approved_calls += 1
        if not self.has_price:
            return leave(record, Status.QUOTE_FAILED, actor, at)
        paid, more = money(record), Money(self.extra, USDC)
        spent = Posting(account_of(record), -more, held_units=-paid.units)
        return Move(
            record,
            path=(Status.CREATED,),
            what="whatever",
            actor=actor,
            at=at,
            journals={0: [spent, Posting(Posted.OUTSIDE, paid + more)]},
        )

    def refused(self, record: Transfer, *, actor: str, at: datetime, reason: str | None) -> Move:
        del reason
        return leave(record, Status.REJECTED, actor, at)

    def short(self, record: Transfer, *, actor: str, at: datetime) -> Move:
        return leave(record, Status.QUOTE_FAILED, actor, at)


@dataclass
class World:
    """An organisation with a wallet, the flow, and everybody who may want something."""

    org_id: UUID
    user_id: UUID
    account_id: UUID
    database: Database
    ledger: Ledger
    approvals: Approvals
    voting: Voting
    clock: Clock
    flow: Payments

    def key(self, *, can_approve: bool = True, is_org_frozen: bool = False) -> Caller:
        """An API key."""
        return Caller(
            self.org_id, new_id(), NO_OFFSET, can_approve=can_approve, is_org_frozen=is_org_frozen
        )

    def member(self, role: Role = Role.ADMIN, *, is_org_frozen: bool = False) -> Caller:
        """A person."""
        return Caller(
            *(self.org_id, None, NO_OFFSET),
            member=Member(new_id(), role),
            is_org_frozen=is_org_frozen,
        )

    async def ask(
        self,
        caller: Caller,
        *,
        units: int = UNITS,
        lifetime: timedelta = ON_CHAIN_LIFETIME,
        due_in: timedelta | None = None,
    ) -> Approval:
        """A payment that waits, as a flow's create makes one."""
        at = self.clock.stamp()
        opening = Opening(
            org_id=self.org_id,
            id=new_id(),
            kind=KIND,
            user_id=self.user_id,
            request_id=new_id(),
            request={"amount": str(units), "deep": {"b": [1, "ä"], "a": None}},
            path=(Status.PENDING_APPROVAL,),
            source=Money(units, USDC),
            destination=Money(units, USDC),
            details={"toAddress": "0xabc", "accountId": str(self.account_id)},
            due_at=at + (due_in or lifetime),
            at=at,
            actor=caller.actor,
            journals={0: hold(self.account_id, Money(units, USDC))},
        )
        limits = Limits(self.database)
        forcing = make_forcing(self.database)
        openings = Openings(self.database, self.ledger, self.approvals, limits, forcing)

        async def draft(_: bool) -> Drafted:  # noqa: FBT001  as Openings calls it
            return Drafted(opening=opening)

        terms = Terms(
            kind=KIND,
            request_id=opening.request_id,
            request=opening.request,
            course=lambda _: [],
            asks=True,
            lifetime=lifetime,
        )
        record = await openings.once(caller, draft, MOVES, terms)
        return await self.approval(record.id)

    async def approval(self, transfer_id: UUID) -> Approval:
        """As the record's reply has it."""
        return (await self.approvals.of(self.org_id, [transfer_id]))[transfer_id]

    async def again(self, approval: Approval) -> Approval:
        """An approval as it is now."""
        return await self.approval(approval.transfer_id)

    async def record(self, approval: Approval) -> Transfer:
        return await self.ledger.get(self.org_id, KIND, approval.transfer_id)

    async def status(self, approval: Approval) -> str:
        return (await self.record(approval)).status

    async def lapse(self, approval: Approval, at: datetime) -> bool:
        """What the worker's step does."""
        record = await self.record(approval)
        if record.status not in {Status.PENDING_APPROVAL, Status.IN_REVIEW}:
            return False
        move = leave(record, Status.EXPIRED, "worker", at)
        return await self.approvals.expire(record, move, MOVES)

    async def review(self, approval: Approval, *, back: bool = False) -> None:
        """Into a review, or back out of it."""
        record = await self.record(approval)
        status = Status.PENDING_APPROVAL if back else Status.IN_REVIEW
        move = Move(
            record,
            path=(status,),
            what="review",
            actor="test",
            at=self.clock.stamp(),
            due_at=approval.expires_at,
        )
        assert isinstance(await self.ledger.advance(move, MOVES), Transfer)

    async def balance(self) -> tuple[int, int]:
        """(available, held) units of the wallet."""
        return await balance(self.database, self.account_id)

    async def told(self, approval: Approval) -> list[tuple[str, int]]:
        """What the log has of an approval."""
        rows = await self.database.rows(
            "select what, seq from changes where org_id = $1 and object_id = $2 order by seq",
            self.org_id,
            approval.id,
        )
        return [(row["what"], row["seq"]) for row in rows]

    def through(self, house: House, database: Database) -> "World":
        """The same organisation, spoken to through another process."""
        return make_world_in(
            house, database, self.org_id, self.user_id, self.account_id, clock=house.clock
        )


async def make_world(
    house: House, database: Database, org_id: UUID, *, units: int = 0, clock: Clock | None = None
) -> World:
    """A wallet with `units` in it; its user has a data key, as users have."""
    user_id = new_id()

    async def make_key(tx: Tx) -> None:
        await house.vault.make(tx, org_id, user_id)

    await database.transact(make_key)
    account_id = await make_account(database, org_id, units=units)
    return make_world_in(house, database, org_id, user_id, account_id, clock=clock or house.clock)


def make_world_in(
    house: House,
    database: Database,
    org_id: UUID,
    user_id: UUID,
    account_id: UUID,
    *,
    clock: Clock,
) -> World:
    """The services over a database, with the flow among the deciders."""
    flow = Payments()
    vault: Vault = house.vault
    ledger = Ledger(database)
    return World(
        org_id=org_id,
        user_id=user_id,
        account_id=account_id,
        database=database,
        ledger=ledger,
        approvals=Approvals(database, ledger, vault),
        voting=Voting(database, ledger, vault, clock, {KIND: flow}),
        clock=clock,
        flow=flow,
    )


def clock_of(world: World) -> FrozenClock:
    """The time of a world in which it stands still."""
    assert isinstance(world.clock, FrozenClock)
    return world.clock


async def policy(world: World, threshold: int = 1, *, needs_second: bool = False) -> None:
    """Set the organisation's policy."""
    wanted = Policy(threshold=threshold, needs_second=needs_second)
    await world.approvals.set_policy(world.org_id, wanted, actor="test", at=world.clock.stamp())


async def cast(
    world: World, caller: Caller, approval_id: UUID, choice: Choice, text: str | None = None
) -> object:
    """Vote."""
    verb = world.voting.approve if choice is Choice.APPROVE else world.voting.reject
    return await verb(caller, approval_id, text)
