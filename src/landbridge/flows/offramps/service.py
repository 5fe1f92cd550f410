"""Verbs on offramps: create, accept, cancel, get, list; coins that arrive; what time ends.

A quote holds nothing unless it waits for, or has had, an approval: the balance is checked when it
is made, and again in the statement that holds it when it is accepted.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from landbridge.approvals.model import OFFRAMP_LIFETIME, WHY_EXPIRED, Approval
from landbridge.approvals.service import Approvals
from landbridge.core.clock import Clock
from landbridge.core.errors import (
    Busy,
    ResourceConflict,
    RoleNotAllowed,
)
from landbridge.core.money import Money
from landbridge.core.pages import Window
from landbridge.db.pool import Database, Tx
from landbridge.flows.offramps import moves
from landbridge.flows.offramps.asked import Wanted
from landbridge.flows.offramps.disbursing import OfframpDisbursing
from landbridge.flows.offramps.drafting import Drafting
from landbridge.flows.offramps.model import (
    KIND,
    MOVES,
    Offramp,
    Status,
    as_offramp,
    as_offramps,
    why_not_accept,
    why_not_cancel,
)
from landbridge.flows.offramps.texts import TextArchive
from landbridge.ledger.errors import InsufficientBalance
from landbridge.ledger.model import Move, Outcome, Timing, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.amounts import too_little
from landbridge.payments.committing import Committing
from landbridge.payments.forced import check_screened, is_reviewed
from landbridge.payments.manner import PLAIN, Manner
from landbridge.payments.openings import Drafted, Openings, Terms
from landbridge.quotes.errors import QuoteInvalid
from landbridge.quotes.pricing import check_quotable
from landbridge.rfis.service import Rfis
from landbridge.users.model import UserCard
from landbridge.users.service import Users
from landbridge.web.caller import Caller

# How often a verb looks again after it has lost a race before it says so.
_ATTEMPTS = 4
_EXPIRED = "the quote of this offramp has expired; create a new one"
_QUESTION = "This payout is reviewed because of its size. What is it for, and who is paid?"


class _Moved(Exception):
    """Somebody else has moved the record."""


@dataclass(frozen=True, slots=True)
class Background:
    """What replies show beside records: users, and approvals by record."""

    cards: Mapping[UUID, UserCard]
    approvals: Mapping[UUID, Approval]


@dataclass(frozen=True, slots=True)
class Offramps:
    """Offramps of all organisations."""

    database: Database
    ledger: Ledger
    openings: Openings
    committing: Committing
    drafting: Drafting
    archive: TextArchive
    approvals: Approvals
    rfis: Rfis
    users: Users
    disbursing: OfframpDisbursing
    clock: Clock
    # From which worth on a reviewer looks; None for never.
    review_above_usd: Decimal | None = field(kw_only=True)

    async def create(
        self,
        caller: Caller,
        request_id: UUID,
        wanted: Wanted,
        request: dict[str, Any],
        *,
        manner: Manner = PLAIN,
    ) -> Offramp:
        """Quote an offramp, or ask for its approval, once per request id.

        Members of the organisation who are no admins always ask. Raises `FieldInvalid`,
        `RouteInvalid`, `AccountUnfit`, `AccountNotFound`, `InactiveAccount`, `AccountDataInvalid`,
        `VerificationMissing`, `UserNotFound`, `UserFrozen`, `ProfileFrozen`, `RoleNotAllowed`,
        `WalletNotFound`, `QuoteNotReady`, `InsufficientBalance`, and `RequestIdTaken`.
        """
        owner_id = await self.drafting.owner(caller, wanted)
        kept = await self.archive.without_texts(caller.org_id, owner_id, request)
        record = await self.openings.once(
            caller,
            lambda asks: self._drafted(caller, request_id, wanted, kept, needs_approval=asks),
            MOVES,
            Terms(
                kind=KIND,
                request_id=request_id,
                request=kept,
                course=moves.course,
                asks=wanted.requires_approval or caller.must_ask,
                lifetime=OFFRAMP_LIFETIME,
                manner=manner,
            ),
        )
        return as_offramp(record)

    async def accept(self, caller: Caller, offramp_id: UUID) -> Offramp:
        """Carry the offramp out at its quote; accepting twice answers as the first time.

        Coins from outside are waited for instead; a large one is reviewed first. Raises
        `TransactionNotFound`, `QuoteNotFound` before its approval, `QuoteInvalid` when it is late
        (QUOTE_FAILED then) or was not carried out, `QuoteNotReady` while its coin is off its peg,
        `InsufficientBalance` and `LimitExceeded` (the quote stays open), `ResourceConflict` in
        review, and what a create raises of users and accounts.
        """
        for _ in range(_ATTEMPTS):
            offramp = await self.get(caller.org_id, offramp_id)
            if refusal := why_not_accept(offramp):
                raise refusal
            if offramp.status is not Status.OPEN_QUOTE:
                return offramp
            await self._check_may_accept(caller, offramp)
            at = self.clock.stamp(caller.clock_offset)
            move = moves.accepted(
                offramp, actor=caller.actor, at=at, is_reviewed=self._must_review(offramp)
            )
            moved = await self.committing.advance(
                move,
                MOVES,
                is_approved=offramp.details.needs_approval,
                beside=self._question(offramp, move),
            )
            match moved:
                case Transfer():
                    return as_offramp(moved)
                case Outcome.LATE:
                    if await self.expire(offramp, caller.actor, at):
                        raise QuoteInvalid(_EXPIRED)
                case Outcome.SHORT:
                    raise InsufficientBalance(too_little(offramp.gross))
                case _:
                    pass  # somebody else moved it: look again
        raise _busy()

    async def cancel(self, caller: Caller, offramp_id: UUID) -> Offramp:
        """Give up an offramp that is in review; coins that were taken go back.

        Cancelling twice answers as the first time. Raises `TransactionNotFound`, and
        `ResourceConflict` unless it is in review with nothing under way.
        """
        for _ in range(_ATTEMPTS):
            offramp = await self.get(caller.org_id, offramp_id)
            if refusal := why_not_cancel(offramp):
                raise refusal
            if offramp.details.is_cancelled:
                return offramp
            await self.drafting.ends.check_may_move(caller)
            at = self.clock.stamp(caller.clock_offset)
            move = moves.cancelled(offramp, actor=caller.actor, at=at)
            try:
                return as_offramp(
                    await self.database.transact(lambda tx, by=move: self._cancel(tx, by))
                )
            except _Moved:
                pass  # look again
        raise _busy()

    async def coins_arrived(
        self, caller: Caller, offramp_id: UUID, money: Money, chain_hash: str
    ) -> Offramp:
        """Coins from outside have arrived for an offramp, confirmed; once per transaction hash.

        Called by whatever watches the chain, which asks again after `Busy`. The exact amount in
        time carries the offramp on; any other ends it, and goes back. Coins that nothing waits for,
        and coins of another kind, go back by a disbursement of their own. Raises
        `TransactionNotFound`, `ResourceConflict` for an offramp that a wallet of ours pays, and
        what `OfframpDisbursing.return_surplus` raises.
        """
        for _ in range(_ATTEMPTS):
            offramp = await self.get(caller.org_id, offramp_id)
            if not offramp.is_external:
                raise ResourceConflict("this offramp is paid by a wallet of the platform")
            is_right_asset = money.asset == offramp.gross.asset
            if is_right_asset and offramp.details.deposit_hash == chain_hash:
                return offramp
            if not is_right_asset or offramp.standing is not Status.AWAITING_FUNDS:
                if await self.disbursing.return_surplus(caller, offramp, money, chain_hash):
                    return offramp
                continue
            if await self.disbursing.is_returning(offramp, money, chain_hash):
                # They were reported before the accept, and are on their way back.
                return offramp
            at = self.clock.stamp(caller.clock_offset)
            move = moves.arrived(
                *(offramp, money, chain_hash),
                actor=caller.actor,
                at=at,
                is_reviewed=self._must_review(offramp),
            )
            moved = await self._advance(offramp, move)
            if isinstance(moved, Transfer):
                return as_offramp(moved)
            if moved is Outcome.LATE:
                await self.expire(offramp, caller.actor, at)
        raise _busy()

    async def expire(self, offramp: Offramp, actor: str, at: datetime) -> bool:
        """End what was not accepted, or not paid for, in time; False if somebody else moved it."""
        is_accepted = offramp.details.accepted_at is not None
        move = moves.ended(
            offramp,
            Status.QUOTE_FAILED,
            what="expire",
            reason="the coins did not arrive in time"
            if is_accepted
            else "the quote expired before it was accepted",
            actor=actor,
            at=at,
            timing=Timing.OVERDUE,
        )
        if offramp.status is not Status.IN_REVIEW:
            return isinstance(await self.ledger.advance(move, MOVES), Transfer)

        async def work(tx: Tx) -> bool:
            is_ended = isinstance(await self.ledger.advance_in(tx, move, MOVES), Transfer)
            if is_ended:
                await self._close_review(tx, move)
            return is_ended

        return await self.database.transact(work)

    async def lapse(self, offramp: Offramp, actor: str, at: datetime) -> bool:
        """End what nobody approved in time; False if somebody else moved it."""
        move = moves.ended(
            offramp,
            Status.EXPIRED,
            what="expire",
            reason=WHY_EXPIRED,
            actor=actor,
            at=at,
            timing=Timing.OVERDUE,
        )
        return await self.approvals.expire(
            offramp.record, move, MOVES, beside=lambda tx: self._close_review(tx, move)
        )

    async def get(self, org_id: UUID, offramp_id: UUID) -> Offramp:
        """An offramp; raises `TransactionNotFound`."""
        return as_offramp(await self.ledger.get(org_id, KIND, offramp_id))

    async def page(self, org_id: UUID, user_id: UUID | None, window: Window) -> Sequence[Offramp]:
        """A page of offramps, newest first."""
        return as_offramps(await self.ledger.page(org_id, KIND, user_id, window))

    async def background(self, org_id: UUID, offramps: Sequence[Offramp]) -> Background:
        """What replies show beside these records."""
        user_ids = {each.record.user_id for each in offramps}
        user_ids |= {each.details.destination_user_id for each in offramps}
        asked = [each.record.id for each in offramps if each.details.needs_approval]
        return Background(
            cards=await self.users.cards(org_id, list(user_ids)) if user_ids else {},
            approvals=await self.approvals.of(org_id, asked) if asked else {},
        )

    async def _drafted(
        self,
        caller: Caller,
        request_id: UUID,
        wanted: Wanted,
        request: dict[str, Any],
        *,
        needs_approval: bool,
    ) -> Drafted:
        draft = await self.drafting.draft(
            caller, request_id, wanted, request, needs_approval=needs_approval
        )
        opening, texts = draft.opening, draft.texts

        async def keep(tx: Tx) -> None:
            await self.archive.keep(tx, opening.org_id, opening.id, opening.user_id, texts)

        return Drafted(opening=opening, beside=None if texts.is_empty else keep)

    async def _check_may_accept(self, caller: Caller, offramp: Offramp) -> None:
        details, org_id = offramp.details, caller.org_id
        if caller.must_ask and not details.needs_approval:
            raise RoleNotAllowed("nobody approved this offramp; an admin accepts it")
        check_screened(offramp.record)
        await check_quotable(self.drafting.quoting.rates, offramp.gross.asset)
        await self.drafting.ends.check_may_move(caller, *offramp.concerned)
        await self.drafting.accounts.check_usable(
            org_id, details.destination_user_id, details.account_id
        )

    def _must_review(self, offramp: Offramp) -> bool:
        above = self.review_above_usd
        is_large = above is not None and offramp.amount.decimal >= above
        return is_large or is_reviewed(offramp.record)

    async def _advance(self, offramp: Offramp, move: Move) -> Transfer | Outcome:
        """Move an offramp on; with a question about it if it goes into review."""
        ask = self._question(offramp, move)
        if ask is None:
            return await self.ledger.advance(move, MOVES)

        async def work(tx: Tx) -> Transfer | Outcome:
            moved = await self.ledger.advance_in(tx, move, MOVES)
            if isinstance(moved, Transfer):
                await ask(tx)
            return moved

        return await self.database.transact(work)

    def _question(self, offramp: Offramp, move: Move) -> Callable[[Tx], Awaitable[None]] | None:
        """What asks about an offramp that goes into review with this move; None for others."""
        if Status.IN_REVIEW not in move.path or offramp.status is Status.IN_REVIEW:
            return None

        async def ask(tx: Tx) -> None:
            await self.rfis.open_in(
                tx, offramp.record, question=_QUESTION, actor="rule", at=move.at
            )

        return ask

    async def _cancel(self, tx: Tx, move: Move) -> Transfer:
        record = move.transfer
        # Approvals are locked before records, records before requests for information.
        await self.approvals.withdraw_in(tx, record.org_id, record.id, actor=move.actor, at=move.at)
        moved = await self.ledger.advance_in(tx, move, MOVES)
        if not isinstance(moved, Transfer):
            raise _Moved
        await self._close_review(tx, move)
        return moved

    async def _close_review(self, tx: Tx, move: Move) -> None:
        """Nobody has to answer any more; in the transaction of the move, if there is a request."""
        record = move.transfer
        await self.rfis.close_in(tx, record.org_id, record.id, actor=move.actor, at=move.at)


def _busy() -> Busy:
    return Busy("the offramp is being changed by somebody else")
