"""Outgoing transfers: coins of one wallet, held on creation and sent in one chain order.

Wallet transfers and batches are outgoing transfers. They differ in their payees and replies; they
share the states, approvals and steps defined here. Source: contract, lifecycles 2 and 3.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from uuid import UUID

from landbridge.ledger.model import AdvanceTransfer, DueCheck, HouseRole, Posting, Transfer
from landbridge.payments.approvals.model import ON_CHAIN_LIFETIME, WHY_EXPIRED, WHY_REJECTED
from landbridge.payments.approvals.service import Approvals
from landbridge.payments.engine.dry_run import PlannedStep
from landbridge.payments.engine.order_channels import chain_channel
from landbridge.payments.engine.order_keys import order_key
from landbridge.payments.engine.outgoing_orders import (
    ACTOR,
    OrderSender,
    OutgoingOrder,
    build_move,
    run_until_waiting,
)
from landbridge.payments.engine.parties import PaymentParties
from landbridge.payments.engine.postings import hold, release_held, spend_held
from landbridge.payments.engine.wait_states import WaitParty, WaitState, WaitStates
from landbridge.payments.limits.model import PaymentDestination
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.money import Money
from landbridge.platform.core.transitions import Transitions
from landbridge.providers.chains.port import ChainAction, ChainOrder, Chains, OrderLeg


class OutgoingTransferStatus(StrEnum):
    """Status of an outgoing transfer. Until COMPLETED its coins are the payer's, but held."""

    PENDING_APPROVAL = "PENDING_APPROVAL"  # waits for an admin; the worker expires it after a week
    CREATED = "CREATED"  # waits for the worker to send it
    INITIATED = "INITIATED"  # the chain may have the order; the worker gets its status
    PENDING = "PENDING"  # the chain has the order; waits for confirmations, the worker polls
    UNKNOWN = "UNKNOWN"  # no answer from the chain for a day; the worker polls every hour
    COMPLETED = "COMPLETED"  # confirmed: the coins belong to the payee
    FAILED = "FAILED"  # the chain refused it; `failedReason` has the reason
    NOT_INITIATED = "NOT_INITIATED"  # a party was frozen before it was sent
    REJECTED = "REJECTED"  # an admin refused it
    EXPIRED = "EXPIRED"  # not approved in time


TRANSITIONS: Transitions[OutgoingTransferStatus] = Transitions(
    start=frozenset({OutgoingTransferStatus.PENDING_APPROVAL, OutgoingTransferStatus.CREATED}),
    table={
        OutgoingTransferStatus.PENDING_APPROVAL: frozenset(
            {
                OutgoingTransferStatus.CREATED,
                OutgoingTransferStatus.REJECTED,
                OutgoingTransferStatus.EXPIRED,
            }
        ),
        OutgoingTransferStatus.CREATED: frozenset(
            {OutgoingTransferStatus.INITIATED, OutgoingTransferStatus.NOT_INITIATED}
        ),
        OutgoingTransferStatus.INITIATED: frozenset(
            {
                OutgoingTransferStatus.PENDING,
                OutgoingTransferStatus.FAILED,
                OutgoingTransferStatus.UNKNOWN,
            }
        ),
        OutgoingTransferStatus.PENDING: frozenset(
            {
                OutgoingTransferStatus.COMPLETED,
                OutgoingTransferStatus.FAILED,
                OutgoingTransferStatus.UNKNOWN,
            }
        ),
        OutgoingTransferStatus.UNKNOWN: frozenset(
            {OutgoingTransferStatus.COMPLETED, OutgoingTransferStatus.FAILED}
        ),
        OutgoingTransferStatus.COMPLETED: frozenset(),
        OutgoingTransferStatus.FAILED: frozenset(),
        OutgoingTransferStatus.NOT_INITIATED: frozenset(),
        OutgoingTransferStatus.REJECTED: frozenset(),
        OutgoingTransferStatus.EXPIRED: frozenset(),
    },
)

# Time limits: a transfer takes an hour at most, even on a busy chain.
WAITS = WaitStates(
    TRANSITIONS,
    {
        OutgoingTransferStatus.PENDING_APPROVAL: WaitState(WaitParty.ADMIN),
        OutgoingTransferStatus.CREATED: WaitState(WaitParty.WORKER),
        OutgoingTransferStatus.INITIATED: WaitState(WaitParty.CHAIN),
        OutgoingTransferStatus.PENDING: WaitState(WaitParty.CHAIN, timedelta(hours=1)),
        OutgoingTransferStatus.UNKNOWN: WaitState(WaitParty.CHAIN, timedelta()),
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutgoingTransfer:
    """Accounts and amounts of an outgoing transfer.

    `account_id` is the payer's ledger account. `parts` are the credited accounts, with amounts that
    sum to the held amount; `legs` are the recipients on the chain. None of `user_ids` may be frozen
    when it is sent.
    """

    record: Transfer
    chain: str
    wallet_id: UUID
    address: str
    account_id: UUID
    parts: Sequence[tuple[UUID | HouseRole, Money]]
    legs: tuple[OrderLeg, ...]
    user_ids: tuple[UUID, ...]

    @property
    def held(self) -> Money:
        """Return the amount that is held in the payer's account for this transfer."""
        return total(part for _, part in self.parts)

    def order(self, at: datetime) -> ChainOrder:
        """Return the order for the chain."""
        return ChainOrder(
            org_id=self.record.org_id,
            key=order_key(self.record, "send"),
            record_id=self.record.id,
            action=ChainAction.TRANSFER,
            chain=self.chain,
            source=self.address,
            wallet_id=self.wallet_id,
            legs=self.legs,
            at=at,
        )

    def find_order(self, chains: Chains, at: datetime) -> OutgoingOrder:
        """Return the outgoing order, with the statuses and journals of its results."""
        return OutgoingOrder(
            channel=chain_channel(chains, self.order(at)),
            transitions=TRANSITIONS,
            initiated=OutgoingTransferStatus.INITIATED,
            pending=OutgoingTransferStatus.PENDING,
            done=OutgoingTransferStatus.COMPLETED,
            failed=OutgoingTransferStatus.FAILED,
            unknown=OutgoingTransferStatus.UNKNOWN,
            done_journal=spend_held(self.account_id, self.parts),
            failed_journal=self.release_journal(),
        )

    def release_journal(self) -> list[Posting]:
        """Return the journal that releases the held amount to the payer."""
        return release_held(self.account_id, self.held)


# Decodes a flow's record as an outgoing transfer.
Read = Callable[[Transfer], OutgoingTransfer]


def planned_steps(paid: OutgoingTransfer) -> list[PlannedStep]:
    """Return the planned steps that follow the creation if all goes well."""
    return [PlannedStep(OutgoingTransferStatus.COMPLETED, spend_held(paid.account_id, paid.parts))]


def total(parts: Iterable[Money]) -> Money:
    """Return the sum of the amounts, of which there must be at least one."""
    first, *rest = parts
    for part in rest:
        first += part
    return first


def initial_status(
    *, needs_approval: bool, at: datetime
) -> tuple[OutgoingTransferStatus, datetime]:
    """Return the status of a new transfer, and its due time."""
    if needs_approval:
        return OutgoingTransferStatus.PENDING_APPROVAL, at + ON_CHAIN_LIFETIME
    return OutgoingTransferStatus.CREATED, at


def hold_journals(account_id: UUID, money: Money) -> dict[int, list[Posting]]:
    """Return the journals of a creation: the amount is held in the payer's account."""
    return {0: hold(account_id, money)}


@dataclass(frozen=True, slots=True)
class OutgoingTransferDecisions:
    """Applies approval decisions to outgoing transfers."""

    read: Read

    @property
    def transitions(self) -> Transitions[OutgoingTransferStatus]:
        """Return the transitions of outgoing transfers."""
        return TRANSITIONS

    async def approved(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Build the advance of an approved transfer: it is sent like a new one.

        Its coins are held already.
        """
        return build_move(
            record,
            TRANSITIONS,
            OutgoingTransferStatus.CREATED,
            at=at,
            actor=actor,
            change_type="approve",
        )

    def refused(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Build the advance of a rejected transfer: it ends and its coins are released."""
        return _ended(
            self.read(record),
            OutgoingTransferStatus.REJECTED,
            WHY_REJECTED,
            actor,
            at,
            change_type="reject",
        )

    def insufficient(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Raise `InvariantBroken`: an approval moves no money, so the balance can't be too low."""
        raise InvariantBroken(f"{record.kind} {record.id} needs more than it holds: {actor}, {at}")


@dataclass(frozen=True, slots=True)
class OutgoingTransferSteps:
    """Worker steps of due outgoing transfers."""

    read: Read
    order_sender: OrderSender
    chains: Chains
    parties: PaymentParties
    approvals: Approvals
    clock: Clock

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Run the steps of a due record until it waits; a concurrent change of it is no error."""
        await run_until_waiting(
            record,
            lambda here: self._step(here, clock_offset, is_claimed_now=here is not record),
        )

    async def _step(
        self, record: Transfer, clock_offset: timedelta, *, is_claimed_now: bool
    ) -> Transfer | None:
        """Run one step; return the advanced record, or None if another worker advanced it."""
        match OutgoingTransferStatus(record.status):
            case OutgoingTransferStatus.PENDING_APPROVAL:
                at = self.clock.stamp(clock_offset)
                await self.approvals.expire(record, _lapsed(self.read(record), at), TRANSITIONS)
                return None
            case OutgoingTransferStatus.CREATED:
                return await self._claim(self.read(record), clock_offset)
            case status:
                order = await self.find_order(record, clock_offset)
                if order is None:
                    raise InvariantBroken(f"a {record.kind} that is {status} has no due step")
                return await self.order_sender.run(
                    record, order, clock_offset, is_claimed_now=is_claimed_now
                )

    async def find_order(self, record: Transfer, clock_offset: timedelta) -> OutgoingOrder | None:
        """Return the order that a record waits for; None if it waits for none."""
        if record.status not in {
            OutgoingTransferStatus.INITIATED,
            OutgoingTransferStatus.PENDING,
            OutgoingTransferStatus.UNKNOWN,
        }:
            return None
        paid = self.read(record)
        order = paid.find_order(self.chains, self.clock.now(clock_offset))
        return replace(order, find_block_reason=lambda: self._find_block_reason(paid))

    async def _claim(self, paid: OutgoingTransfer, clock_offset: timedelta) -> Transfer | None:
        """Claim the order, unless a party was frozen or a recipient blocked since the creation."""
        why = await self._find_block_reason(paid)
        if why is None:
            return await self.order_sender.advance(
                paid.record,
                TRANSITIONS,
                OutgoingTransferStatus.INITIATED,
                clock_offset=clock_offset,
            )
        return await self.order_sender.advance(
            paid.record,
            TRANSITIONS,
            OutgoingTransferStatus.NOT_INITIATED,
            clock_offset=clock_offset,
            facts={"failed_reason": why},
            journal=paid.release_journal(),
        )

    async def _find_block_reason(self, paid: OutgoingTransfer) -> str | None:
        payees = (PaymentDestination.listed(each.address) for each in paid.legs)
        return await self.parties.find_block_reason(paid.record.org_id, paid.user_ids, payees)


def _lapsed(paid: OutgoingTransfer, at: datetime) -> AdvanceTransfer:
    move = _ended(
        paid, OutgoingTransferStatus.EXPIRED, WHY_EXPIRED, ACTOR, at, change_type="expire"
    )
    return replace(move, timing=DueCheck.OVERDUE)


def _ended(
    paid: OutgoingTransfer,
    status: OutgoingTransferStatus,
    reason: str,
    actor: str,
    at: datetime,
    *,
    change_type: str,
) -> AdvanceTransfer:
    return build_move(
        paid.record,
        TRANSITIONS,
        status,
        at=at,
        actor=actor,
        change_type=change_type,
        facts={"failed_reason": reason},
        journal=paid.release_journal(),
    )
