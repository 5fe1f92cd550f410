"""Small flow that requires approvals, for tests of approvals alone.

Its payments hold their amount from the start and spend it when they are approved.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from landbridge.app.container import Container
from landbridge.customers.wallets.service import Wallets
from landbridge.ledger.model import AdvanceTransfer, CreateTransfer, HouseRole, Posting, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.approvals.model import (
    ON_CHAIN_LIFETIME,
    Approval,
    ApprovalPolicy,
    VoteChoice,
)
from landbridge.payments.approvals.service import Approvals
from landbridge.payments.approvals.voting import Voting
from landbridge.payments.engine.create_transfer import (
    CreationOptions,
    TransferCreation,
    TransferDraft,
)
from landbridge.payments.engine.postings import hold, release_held
from landbridge.payments.limits.service import Limits
from landbridge.platform.core.clock import Clock, FrozenClock
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.encryption.service import Vault
from landbridge.platform.http.caller import Caller, MemberRole, SignedInMember
from tests.make import USDC, balance, make_account

KIND = "TEST.APPROVED"
UNITS = 1_000_000
NO_OFFSET = timedelta()


class Status(StrEnum):
    """Status of a payment of this flow."""

    PENDING_APPROVAL = "PENDING_APPROVAL"
    IN_REVIEW = "IN_REVIEW"
    CREATED = "CREATED"
    QUOTE_FAILED = "QUOTE_FAILED"
    REJECTED = "REJECTED"
    EXPIRED = "EXPIRED"


ENDS = frozenset({Status.CREATED, Status.QUOTE_FAILED, Status.REJECTED, Status.EXPIRED})
TRANSITIONS: Transitions[Status] = Transitions(
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


def leave(record: Transfer, status: Status, actor: str, at: datetime) -> AdvanceTransfer:
    """Advance to a terminal status that releases the held money."""
    journals: dict[int, Sequence[Posting]] = {0: release_held(account_of(record), money(record))}
    return AdvanceTransfer(
        record, path=(status,), change_type="as flows like", actor=actor, at=at, journals=journals
    )


@dataclass
class Payments:
    """The flow. An approved payment takes `extra` units on top, as a quote might."""

    extra: int = 0
    has_price: bool = True
    approved_calls: int = 0

    transitions: Transitions[Any] = field(default_factory=lambda: TRANSITIONS)

    async def approved(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        self.approved_calls += 1
        if not self.has_price:
            return leave(record, Status.QUOTE_FAILED, actor, at)
        paid, more = money(record), Money(self.extra, USDC)
        spent = Posting(account_of(record), -more, held_units=-paid.units)
        return AdvanceTransfer(
            record,
            path=(Status.CREATED,),
            change_type="whatever",
            actor=actor,
            at=at,
            journals={0: [spent, Posting(HouseRole.OUTSIDE, paid + more)]},
        )

    def refused(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        return leave(record, Status.REJECTED, actor, at)

    def insufficient(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        return leave(record, Status.QUOTE_FAILED, actor, at)


@dataclass
class World:
    """Organisation with a wallet, the flow, and callers of every role."""

    org_id: UUID
    user_id: UUID
    account_id: UUID
    database: Database
    ledger: Ledger
    approvals: Approvals
    voting: Voting
    clock: Clock
    flow: Payments
    vault: Vault

    def key(self, *, can_approve: bool = True, is_org_frozen: bool = False) -> Caller:
        """An API key."""
        return Caller(
            self.org_id, new_id(), NO_OFFSET, can_approve=can_approve, is_org_frozen=is_org_frozen
        )

    def member(self, role: MemberRole = MemberRole.ADMIN, *, is_org_frozen: bool = False) -> Caller:
        """Return a team member as caller."""
        return Caller(
            *(self.org_id, None, NO_OFFSET),
            member=SignedInMember(new_id(), role),
            is_org_frozen=is_org_frozen,
        )

    async def request_payment(
        self,
        caller: Caller,
        *,
        units: int = UNITS,
        lifetime: timedelta = ON_CHAIN_LIFETIME,
        due_in: timedelta | None = None,
    ) -> Approval:
        """Create a payment pending approval, as a flow's create does."""
        at = self.clock.stamp()
        creation = CreateTransfer(
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
        limits = Limits(self.database, self.vault)
        wallets = Wallets(self.database, self.ledger, self.vault, self.clock)
        transfer_creation = TransferCreation(
            self.database, self.ledger, wallets, self.approvals, limits
        )

        async def draft(_: bool) -> TransferDraft:  # noqa: FBT001  as Openings calls it
            return TransferDraft(creation=creation, payees=())

        terms = CreationOptions(
            kind=KIND,
            request_id=creation.request_id,
            request=creation.request,
            planned_steps=lambda _: [],
            needs_approval=True,
            approval_lifetime=lifetime,
        )
        record = await transfer_creation.create(caller, draft, TRANSITIONS, terms)
        return await self.approval(record.id)

    async def approval(self, transfer_id: UUID) -> Approval:
        """Return the approval of a record's reply."""
        return (await self.approvals.of(self.org_id, [transfer_id]))[transfer_id]

    async def again(self, approval: Approval) -> Approval:
        """Return an approval as currently stored."""
        return await self.approval(approval.transfer_id)

    async def record(self, approval: Approval) -> Transfer:
        return await self.ledger.get(self.org_id, KIND, approval.transfer_id)

    async def status(self, approval: Approval) -> str:
        return (await self.record(approval)).status

    async def lapse(self, approval: Approval, at: datetime) -> bool:
        """Run the worker's expiry step."""
        record = await self.record(approval)
        if record.status not in {Status.PENDING_APPROVAL, Status.IN_REVIEW}:
            return False
        move = leave(record, Status.EXPIRED, "worker", at)
        return await self.approvals.expire(record, move, TRANSITIONS)

    async def review(self, approval: Approval, *, back: bool = False) -> None:
        """Move a payment into review, or back out of it."""
        record = await self.record(approval)
        status = Status.PENDING_APPROVAL if back else Status.IN_REVIEW
        move = AdvanceTransfer(
            record,
            path=(status,),
            change_type="review",
            actor="test",
            at=self.clock.stamp(),
            due_at=approval.expires_at,
        )
        assert isinstance(await self.ledger.advance(move, TRANSITIONS), Transfer)

    async def balance(self) -> tuple[int, int]:
        """(available, held) units of the wallet."""
        return await balance(self.database, self.account_id)

    async def changes(self, approval: Approval) -> list[tuple[str, int]]:
        """Return the recorded changes of an approval."""
        rows = await self.database.rows(
            "select change_type, seq from changes where org_id = $1 and object_id = $2"
            " order by seq",
            self.org_id,
            approval.id,
        )
        return [(row["change_type"], row["seq"]) for row in rows]

    def through(self, container: Container, database: Database) -> "World":
        """Return the same organisation as seen by another process."""
        return make_world_in(
            container, database, self.org_id, self.user_id, self.account_id, clock=container.clock
        )


async def make_world(
    container: Container,
    database: Database,
    org_id: UUID,
    *,
    units: int = 0,
    clock: Clock | None = None,
) -> World:
    """Create a wallet with `units`; its user has a data key, as all users have."""
    user_id = new_id()

    async def make_key(tx: Tx) -> None:
        await container.vault.make(tx, org_id, user_id)

    await database.transact(make_key)
    account_id = await make_account(database, org_id, units=units)
    return make_world_in(
        container, database, org_id, user_id, account_id, clock=clock or container.clock
    )


def make_world_in(
    container: Container,
    database: Database,
    org_id: UUID,
    user_id: UUID,
    account_id: UUID,
    *,
    clock: Clock,
) -> World:
    """Wire the services over a database, with the flow registered for approvals."""
    flow = Payments()
    vault: Vault = container.vault
    ledger = Ledger(database)
    return World(
        org_id=org_id,
        user_id=user_id,
        account_id=account_id,
        database=database,
        ledger=ledger,
        approvals=Approvals(database, ledger, vault, clock),
        voting=Voting(database, ledger, vault, clock, {KIND: flow}),
        clock=clock,
        flow=flow,
        vault=vault,
    )


def clock_of(world: World) -> FrozenClock:
    """Return the stopped clock of a world."""
    assert isinstance(world.clock, FrozenClock)
    return world.clock


async def policy(world: World, threshold: int = 1, *, needs_second: bool = False) -> None:
    """Set the organisation's policy."""
    policy_ = ApprovalPolicy(threshold=threshold, needs_second=needs_second)
    await world.approvals.set_policy(world.org_id, policy_, actor="test", at=world.clock.stamp())


async def cast(
    world: World, caller: Caller, approval_id: UUID, choice: VoteChoice, text: str | None = None
) -> object:
    """Vote."""
    verb = world.voting.approve if choice is VoteChoice.APPROVE else world.voting.reject
    return await verb(caller, approval_id, text)
