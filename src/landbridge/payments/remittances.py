"""Remittances: coins of one wallet that are held when they are asked for and go out in one order.

Wallet transfers and batches are such. They differ in whom they pay and how they are told; their
states, what approval does to them and what the worker does are one thing, and stand here.

Source: contract, lifecycles 2 and 3.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from landbridge.approvals.model import ON_CHAIN_LIFETIME, WHY_EXPIRED, WHY_REJECTED
from landbridge.approvals.service import Approvals
from landbridge.chains.port import Action, Chains, Leg, Order
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken
from landbridge.core.ids import derived_id
from landbridge.core.money import Money
from landbridge.core.states import Moves
from landbridge.ledger.model import Move, Posting, Role, Timing, Transfer
from landbridge.payments.ends import Ends
from landbridge.payments.postings import hold, let_go, spend_held
from landbridge.payments.rehearsal import Station
from landbridge.payments.sending import ACTOR, Errand, Sending, as_far_as_it_goes, going
from landbridge.payments.waits import Party, Wait, Waits
from landbridge.payments.ways import by_chain


class Status(StrEnum):
    """Where a remittance stands. Until COMPLETED the coins are the payer's own, but held."""

    PENDING_APPROVAL = "PENDING_APPROVAL"  # waits for an admin; the worker ends it after a week
    CREATED = "CREATED"  # waits for the worker to send it
    INITIATED = "INITIATED"  # the chain may have it; waits for the worker to hear of it
    PENDING = "PENDING"  # the chain has it; waits for confirmations, the worker asks
    UNKNOWN = "UNKNOWN"  # the chain has said nothing for a day; the worker asks every hour
    COMPLETED = "COMPLETED"  # confirmed: the coins are the payee's
    FAILED = "FAILED"  # the chain refused it; `failedReason` says why
    NOT_INITIATED = "NOT_INITIATED"  # somebody was frozen before it was sent
    REJECTED = "REJECTED"  # an admin refused it
    EXPIRED = "EXPIRED"  # nobody approved it in time


MOVES: Moves[Status] = Moves(
    start=frozenset({Status.PENDING_APPROVAL, Status.CREATED}),
    table={
        Status.PENDING_APPROVAL: frozenset({Status.CREATED, Status.REJECTED, Status.EXPIRED}),
        Status.CREATED: frozenset({Status.INITIATED, Status.NOT_INITIATED}),
        Status.INITIATED: frozenset({Status.PENDING, Status.FAILED, Status.UNKNOWN}),
        Status.PENDING: frozenset({Status.COMPLETED, Status.FAILED, Status.UNKNOWN}),
        Status.UNKNOWN: frozenset({Status.COMPLETED, Status.FAILED}),
        Status.COMPLETED: frozenset(),
        Status.FAILED: frozenset(),
        Status.NOT_INITIATED: frozenset(),
        Status.REJECTED: frozenset(),
        Status.EXPIRED: frozenset(),
    },
)

# Coins are on their way for an hour at most, even on a busy chain.
WAITS = Waits(
    MOVES,
    {
        Status.PENDING_APPROVAL: Wait(Party.ADMIN),
        Status.CREATED: Wait(Party.WORKER),
        Status.INITIATED: Wait(Party.CHAIN),
        Status.PENDING: Wait(Party.CHAIN, timedelta(hours=1)),
        Status.UNKNOWN: Wait(Party.CHAIN, timedelta()),
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Remittance:
    """What a record of such a flow does to money.

    `account_id` is the payer's; `parts` are where the coins go in the books and sum to what is
    held, `legs` where they go on the chain. None of `user_ids` may be frozen when it is sent.
    """

    record: Transfer
    chain: str
    wallet_id: UUID
    address: str
    account_id: UUID
    parts: Sequence[tuple[UUID | Role, Money]]
    legs: tuple[Leg, ...]
    user_ids: tuple[UUID, ...]

    @property
    def held(self) -> Money:
        """What the payer's account holds for it."""
        return total(part for _, part in self.parts)

    def order(self, at: datetime) -> Order:
        """The transaction on the chain."""
        return Order(
            org_id=self.record.org_id,
            key=derived_id(self.record.id, "send"),
            record_id=self.record.id,
            action=Action.TRANSFER,
            chain=self.chain,
            source=self.address,
            wallet_id=self.wallet_id,
            legs=self.legs,
            at=at,
        )

    def errand(self, chains: Chains, at: datetime) -> Errand:
        """How it is sent, and what becomes of it."""
        return Errand(
            way=by_chain(chains, self.order(at)),
            moves=MOVES,
            initiated=Status.INITIATED,
            pending=Status.PENDING,
            done=Status.COMPLETED,
            failed=Status.FAILED,
            unknown=Status.UNKNOWN,
            done_journal=spend_held(self.account_id, self.parts),
            failed_journal=self.let_go(),
        )

    def let_go(self) -> list[Posting]:
        """The journal that gives the payer what was held."""
        return let_go(self.account_id, self.held)


# How a flow reads its records.
Read = Callable[[Transfer], Remittance]


def course(paid: Remittance) -> list[Station]:
    """What is posted after it was opened, if all goes well."""
    return [Station(Status.COMPLETED, spend_held(paid.account_id, paid.parts))]


def total(parts: Iterable[Money]) -> Money:
    """The sum of at least one amount."""
    first, *rest = parts
    for part in rest:
        first += part
    return first


def beginning(*, needs_approval: bool, at: datetime) -> tuple[Status, datetime]:
    """At which status one opens, and when time moves it on."""
    if needs_approval:
        return Status.PENDING_APPROVAL, at + ON_CHAIN_LIFETIME
    return Status.CREATED, at


def holding(account_id: UUID, money: Money) -> dict[int, list[Posting]]:
    """The journals of an opening."""
    return {0: hold(account_id, money)}


@dataclass(frozen=True, slots=True)
class Deciding:
    """What an approval does to a remittance."""

    read: Read

    @property
    def moves(self) -> Moves[Status]:
        """Of every remittance."""
        return MOVES

    async def approved(self, record: Transfer, *, actor: str, at: datetime) -> Move:
        """It is sent as if it had been asked for now; what it takes is held already."""
        return going(record, MOVES, Status.CREATED, at=at, actor=actor, what="approve")

    def refused(self, record: Transfer, *, actor: str, at: datetime, reason: str | None) -> Move:
        """It ends, and the coins are free again."""
        del reason  # a person's words; they stay with the vote
        return _ended(self.read(record), Status.REJECTED, WHY_REJECTED, actor, at, what="reject")

    def short(self, record: Transfer, *, actor: str, at: datetime) -> Move:
        """Raise `Broken`: an approval takes nothing."""
        raise Broken(f"{record.kind} {record.id} takes more than it holds: {actor}, {at}")


@dataclass(frozen=True, slots=True)
class RemittanceSteps:
    """What the worker does with remittances that are due."""

    read: Read
    sending: Sending
    chains: Chains
    ends: Ends
    approvals: Approvals
    clock: Clock

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Take a due record as far as it goes; losing a race for it is an ordinary outcome."""
        await as_far_as_it_goes(
            record,
            lambda here: self._step(here, clock_offset, is_claimed_now=here is not record),
        )

    async def _step(
        self, record: Transfer, clock_offset: timedelta, *, is_claimed_now: bool
    ) -> Transfer | None:
        """One move; the record as it is then, None if it is somebody else's."""
        match Status(record.status):
            case Status.PENDING_APPROVAL:
                at = self.clock.stamp(clock_offset)
                await self.approvals.expire(record, _lapsed(self.read(record), at), MOVES)
                return None
            case Status.CREATED:
                return await self._claim(self.read(record), clock_offset)
            case status:
                errand = await self.errand(record, clock_offset)
                if errand is None:
                    raise Broken(f"a {record.kind} that is {status} waits for no time")
                return await self.sending.run(
                    record, errand, clock_offset, is_claimed_now=is_claimed_now
                )

    async def errand(self, record: Transfer, clock_offset: timedelta) -> Errand | None:
        """Return the order that a record waits for; None if it waits for none."""
        if record.status not in {Status.INITIATED, Status.PENDING, Status.UNKNOWN}:
            return None
        paid = self.read(record)
        errand = paid.errand(self.chains, self.clock.now(clock_offset))
        return replace(errand, why_not=lambda: self._why_frozen(paid))

    async def _claim(self, paid: Remittance, clock_offset: timedelta) -> Transfer | None:
        """Say that it is about to be sent, unless somebody was frozen since it was asked for."""
        why = await self._why_frozen(paid)
        if why is None:
            return await self.sending.go(
                paid.record, MOVES, Status.INITIATED, clock_offset=clock_offset
            )
        return await self.sending.go(
            paid.record,
            MOVES,
            Status.NOT_INITIATED,
            clock_offset=clock_offset,
            facts={"failed_reason": why},
            journal=paid.let_go(),
        )

    async def _why_frozen(self, paid: Remittance) -> str | None:
        return await self.ends.why_frozen(paid.record.org_id, *paid.user_ids)


def _lapsed(paid: Remittance, at: datetime) -> Move:
    move = _ended(paid, Status.EXPIRED, WHY_EXPIRED, ACTOR, at, what="expire")
    return replace(move, timing=Timing.OVERDUE)


def _ended(
    paid: Remittance, status: Status, reason: str, actor: str, at: datetime, *, what: str
) -> Move:
    return going(
        paid.record,
        MOVES,
        status,
        at=at,
        actor=actor,
        what=what,
        facts={"failed_reason": reason},
        journal=paid.let_go(),
    )
