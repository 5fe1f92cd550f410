"""What the worker does with an offramp that is due: as far as it goes in one run.

What stops a payout is looked at before each claim: a frozen user or organisation before the coins
are taken and before the bank is told, the bank account before the bank is told. Once the bank may
know, only its answer counts. In a later run than its claim, no order is given while somebody is
frozen.

Coins from outside need no debit. They are booked with the claim, and their fees are disbursements
(disbursing.py): nothing of the payout waits for those.
"""

from dataclasses import replace
from datetime import timedelta
from uuid import UUID

from landbridge.accounts.errors import AccountDataInvalid, AccountNotFound, InactiveAccount
from landbridge.accounts.service import Accounts
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken
from landbridge.flows.offramps import moves
from landbridge.flows.offramps.errands import Errands
from landbridge.flows.offramps.model import MOVES, Offramp, Status, as_offramp
from landbridge.flows.offramps.service import Offramps
from landbridge.ledger.model import Move, Transfer
from landbridge.payments.ends import Ends
from landbridge.payments.sending import ACTOR, Errand, Sending, as_far_as_it_goes
from landbridge.verification.errors import VerificationMissing

# What makes a bank account that was good when it was asked for unfit now.
_UNUSABLE = (AccountNotFound, InactiveAccount, AccountDataInvalid, VerificationMissing)


class OfframpSteps:
    """Moves on what time, chains and banks move."""

    def __init__(
        self,
        offramps: Offramps,
        errands: Errands,
        sending: Sending,
        *,
        ends: Ends,
        accounts: Accounts,
        clock: Clock,
    ) -> None:
        self._offramps = offramps
        self._errands = errands
        self._sending = sending
        self._ends = ends
        self._accounts = accounts
        self._clock = clock

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Take the steps of a due record; losing the race for it is an ordinary outcome."""
        await as_far_as_it_goes(
            record,
            lambda each: self._step(
                as_offramp(each), clock_offset, is_claimed_now=each is not record
            ),
        )

    async def errand(self, record: Transfer, clock_offset: timedelta) -> Errand | None:
        """Return the order that a record waits for, as given now; None if it waits for none."""
        offramp, errands = as_offramp(record), self._errands
        match offramp.status:
            case Status.CRYPTO_PENDING:
                errand = errands.debit(offramp, clock_offset)
                return replace(
                    errand, why_not=lambda: self._why_frozen(offramp, *offramp.beneficiaries)
                )
            case Status.FIAT_INITIATED | Status.FIAT_PENDING:
                errand = errands.payout(offramp, clock_offset)
                # Frozen only: an account that is gone for good would keep the payout here for ever.
                return replace(errand, why_not=lambda: self._why_frozen(offramp))
            case Status.FIAT_FAILED:
                return errands.refund(offramp, clock_offset)
            case _:
                return None

    async def _step(
        self, offramp: Offramp, clock_offset: timedelta, *, is_claimed_now: bool
    ) -> Transfer | None:
        """The next step; None if there is no more to do now."""
        match offramp.status:
            case (
                Status.PENDING_APPROVAL
                | Status.OPEN_QUOTE
                | Status.AWAITING_FUNDS
                | Status.IN_REVIEW
            ):
                await self._end(offramp, clock_offset)
                return None
            case Status.CRYPTO_INITIATED:
                return await self._claim_debit(offramp, clock_offset)
            case Status.CRYPTO_PROCESSED:
                return await self._claim_payout(offramp, clock_offset)
            case status:
                errand = await self.errand(offramp.record, clock_offset)
                if errand is None:
                    raise Broken(f"an offramp that is {status} waits for no time")
                return await self._sending.run(
                    offramp.record, errand, clock_offset, is_claimed_now=is_claimed_now
                )

    async def _end(self, offramp: Offramp, clock_offset: timedelta) -> None:
        """Time has decided, also about what is in review."""
        at = self._clock.stamp(clock_offset)
        match offramp.standing:
            case Status.PENDING_APPROVAL:
                await self._offramps.lapse(offramp, ACTOR, at)
            case Status.OPEN_QUOTE | Status.AWAITING_FUNDS:
                await self._offramps.expire(offramp, ACTOR, at)
            case status:
                raise Broken(f"an offramp reviewed at {status} waits for no time")

    async def _claim_debit(self, offramp: Offramp, clock_offset: timedelta) -> Transfer | None:
        if offramp.is_external:
            return await self._take_in(offramp, clock_offset)
        reason = await self._why_frozen(offramp, *offramp.beneficiaries)
        if reason is None:
            return await self._sending.go(
                offramp.record, MOVES, Status.CRYPTO_PENDING, clock_offset=clock_offset
            )
        at = self._clock.stamp(clock_offset)
        return await self._advance(
            moves.ended(
                offramp,
                Status.NOT_INITIATED,
                what=Status.NOT_INITIATED.lower(),
                reason=reason,
                actor=ACTOR,
                at=at,
            )
        )

    async def _take_in(self, offramp: Offramp, clock_offset: timedelta) -> Transfer | None:
        """Book coins from outside, and open the disbursements of their fees with that."""
        reason = await self._why_frozen(offramp)
        if reason is not None:
            # The coins are here, whoever is frozen: they go back.
            return await self._fail(offramp, reason, clock_offset)
        move = moves.taken_in(offramp, actor=ACTOR, at=self._clock.stamp(clock_offset))
        return await self._offramps.disbursing.take_in(offramp, move, clock_offset)

    async def _claim_payout(self, offramp: Offramp, clock_offset: timedelta) -> Transfer | None:
        reason = await self._why_frozen(offramp) or await self._why_unusable(offramp)
        if reason is not None:
            return await self._fail(offramp, reason, clock_offset)
        return await self._sending.go(
            offramp.record,
            MOVES,
            Status.FIAT_INITIATED,
            clock_offset=clock_offset,
            journal=moves.payout_claimed(offramp),
        )

    async def _fail(
        self, offramp: Offramp, reason: str, clock_offset: timedelta
    ) -> Transfer | None:
        at = self._clock.stamp(clock_offset)
        what = Status.FIAT_FAILED.lower()
        return await self._advance(
            moves.failed(offramp, what=what, reason=reason, actor=ACTOR, at=at)
        )

    async def _advance(self, move: Move) -> Transfer | None:
        moved = await self._offramps.ledger.advance(move, MOVES)
        return moved if isinstance(moved, Transfer) else None

    async def _why_frozen(self, offramp: Offramp, *beneficiaries: UUID) -> str | None:
        return await self._ends.why_frozen(offramp.record.org_id, *offramp.moving, *beneficiaries)

    async def _why_unusable(self, offramp: Offramp) -> str | None:
        details = offramp.details
        try:
            await self._accounts.check_usable(
                offramp.record.org_id, details.destination_user_id, details.account_id
            )
        except _UNUSABLE as error:
            return error.message
        return None
