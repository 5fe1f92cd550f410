"""What the worker does with a disbursement that is due: claim its order, give it, record it.

The chain must carry it in the end: a refused order is given again under its next key, after pauses
from a minute to a day. The fee of a frozen beneficiary waits, before each order, until they are
unfrozen. Surplus coins go back to their sender in any case, as all returned coins do.
"""

from dataclasses import dataclass
from datetime import timedelta

from landbridge.chains.port import Action, Chains, Leg, Order
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken
from landbridge.flows.disbursements import moves
from landbridge.flows.disbursements.model import (
    MOVES,
    ORDER,
    Disbursement,
    Status,
    as_disbursement,
)
from landbridge.ledger.model import Transfer
from landbridge.payments.disbursing import Purpose
from landbridge.payments.ends import Ends
from landbridge.payments.insistence import key_to_insist
from landbridge.payments.sending import Errand, Refund, Sending, as_far_as_it_goes
from landbridge.payments.ways import by_chain, insisting

# How soon a blocked disbursement looks again whether its beneficiary is unfrozen.
BLOCKED_PAUSE = timedelta(minutes=10)


@dataclass(frozen=True, slots=True)
class DisbursementSteps:
    """Moves disbursements on."""

    sending: Sending
    chains: Chains
    ends: Ends
    clock: Clock

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Take the steps of a due record; losing the race for it is an ordinary outcome.

        Raises `StillRefused` after a refusal, and `Unavailable` and `Unclear` while there is no
        answer.
        """
        await as_far_as_it_goes(
            record,
            lambda each: self._step(each, clock_offset, is_claimed_now=each is not record),
        )

    async def errand(self, record: Transfer, clock_offset: timedelta) -> Errand | None:
        """Return the order of a record, as it would be given now; None unless it is claimed."""
        disbursement = as_disbursement(record)
        if disbursement.status is not Status.INITIATED:
            return None
        order = Order(
            org_id=record.org_id,
            key=key_to_insist(record, ORDER),
            record_id=record.id,
            action=Action.TRANSFER,
            chain=disbursement.money.asset.chain,
            source=disbursement.details.source_address,
            wallet_id=None,
            legs=(Leg(disbursement.details.address, disbursement.money),),
            at=self.clock.now(clock_offset),
            is_refund=disbursement.details.purpose is Purpose.SURPLUS_RETURN,
        )
        return Errand(
            way=insisting(by_chain(self.chains, order), ORDER),
            moves=MOVES,
            initiated=Status.INITIATED,
            done=Status.COMPLETED,
            why_not=lambda: self._why_not(disbursement),
            done_journal=moves.paid(disbursement),
            refund=Refund(
                name=ORDER,
                status=Status.COMPLETED,
                journal=moves.paid(disbursement),
                outside_journal=moves.paid_outside(disbursement),
            ),
        )

    async def _step(
        self, record: Transfer, clock_offset: timedelta, *, is_claimed_now: bool
    ) -> Transfer | None:
        """Take one step; return the record if it was moved here."""
        match Status(record.status):
            case Status.CREATED:
                return await self._claim(record, clock_offset)
            case status:
                errand = await self.errand(record, clock_offset)
                if errand is None:
                    raise Broken(f"a disbursement that is {status} waits for no time")
                return await self.sending.run(
                    record, errand, clock_offset, is_claimed_now=is_claimed_now
                )

    async def _claim(self, record: Transfer, clock_offset: timedelta) -> Transfer | None:
        """Claim the order, unless it may not be given now."""
        reason = await self._why_not(as_disbursement(record))
        if reason is None:
            return await self.sending.go(record, MOVES, Status.INITIATED, clock_offset=clock_offset)
        due_at = self.clock.now(clock_offset) + BLOCKED_PAUSE
        await self.sending.ledger.postpone(record, due_at, {"blocked_reason": reason})
        return None

    async def _why_not(self, disbursement: Disbursement) -> str | None:
        """Return why it may not be paid now; None if it may."""
        match disbursement.details.purpose:
            case Purpose.FEE:
                org_id = disbursement.record.org_id
                return await self.ends.why_frozen(org_id, *disbursement.checked_user_ids)
            case Purpose.SURPLUS_RETURN:
                return None
