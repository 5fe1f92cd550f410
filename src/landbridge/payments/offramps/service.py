"""Offramp service: creates, accepts, cancels and expires offramps, and takes external coins.

A quote holds no funds, unless the offramp needs an approval. The balance is checked when the quote
is made, and again when the accept holds the funds.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from landbridge.customers.users.model import UserCard
from landbridge.customers.users.service import Users
from landbridge.ledger.errors import InsufficientBalance
from landbridge.ledger.model import AdvanceTransfer, CommitOutcome, DueCheck, Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.approvals.model import OFFRAMP_LIFETIME, WHY_EXPIRED, Approval
from landbridge.payments.approvals.service import Approvals
from landbridge.payments.engine.amounts import insufficient_balance_text
from landbridge.payments.engine.create_transfer import (
    CreationOptions,
    TransferCreation,
    TransferDraft,
)
from landbridge.payments.engine.quote_acceptance import QuoteAcceptance
from landbridge.payments.engine.request_options import DEFAULT_OPTIONS, RequestOptions
from landbridge.payments.engine.scripted_outcomes import check_scripted_screening, is_reviewed
from landbridge.payments.offramps import transitions
from landbridge.payments.offramps.draft import OfframpDrafting
from landbridge.payments.offramps.fee_disbursements import CoinReporter, OfframpFeeDisbursements
from landbridge.payments.offramps.model import (
    KIND,
    TRANSITIONS,
    Offramp,
    OfframpStatus,
    accept_refusal,
    as_offramp,
    as_offramps,
    cancel_refusal,
)
from landbridge.payments.offramps.planned_steps import planned_steps
from landbridge.payments.offramps.request import OfframpRequest
from landbridge.payments.offramps.texts import TextArchive
from landbridge.payments.quotes.errors import QuoteInvalid
from landbridge.payments.quotes.pricing import check_quotable
from landbridge.payments.rfis.service import Rfis
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import ResourceConflict, RoleNotAllowed
from landbridge.platform.core.money import Money
from landbridge.platform.core.optimistic_retry import optimistic_retry
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.caller import Caller

_EXPIRED = "the quote of this offramp has expired; create a new one"
_QUESTION = (
    "This payout is in review because of its size. What is its purpose, and who is the payee?"
)


class _ConcurrentUpdate(Exception):
    """The record was changed concurrently."""


@dataclass(frozen=True, slots=True)
class OfframpReplyContext:
    """Data that replies need besides the records: users, and approvals by record."""

    cards: Mapping[UUID, UserCard]
    approvals: Mapping[UUID, Approval]


@dataclass(frozen=True, slots=True)
class Offramps:
    """Offramps of all organisations."""

    database: Database
    ledger: Ledger
    transfer_creation: TransferCreation
    quote_acceptance: QuoteAcceptance
    drafting: OfframpDrafting
    archive: TextArchive
    approvals: Approvals
    rfis: Rfis
    users: Users
    fee_disbursements: OfframpFeeDisbursements
    clock: Clock
    # Offramps worth at least this many dollars are reviewed; None disables the rule.
    review_above_usd: Decimal | None = field(kw_only=True)

    async def create(
        self,
        caller: Caller,
        request_id: UUID,
        params: OfframpRequest,
        request: dict[str, Any],
        *,
        options: RequestOptions = DEFAULT_OPTIONS,
    ) -> Offramp:
        """Quote an offramp, or request its approval, once per request id.

        Members of the organisation who are not admins always need an approval. Raises
        `FieldInvalid`, `RouteInvalid`, `AccountUnfit`, `AccountNotFound`, `InactiveAccount`,
        `AccountDataInvalid`, `VerificationMissing`, `UserNotFound`, `UserFrozen`, `ProfileFrozen`,
        `RoleNotAllowed`, `WalletNotFound`, `QuoteNotReady`, `InsufficientBalance`, and
        `RequestIdTaken`.
        """
        owner_id = await self.drafting.owner(caller, params)
        stored_request = await self.archive.without_texts(caller.org_id, owner_id, request)
        record = await self.transfer_creation.create(
            caller,
            lambda needs_approval: self.build_draft(
                caller, request_id, params, stored_request, needs_approval=needs_approval
            ),
            TRANSITIONS,
            CreationOptions(
                kind=KIND,
                request_id=request_id,
                request=stored_request,
                planned_steps=planned_steps,
                needs_approval=params.requires_approval or caller.payments_need_approval,
                approval_lifetime=OFFRAMP_LIFETIME,
                request_options=options,
            ),
        )
        return as_offramp(record)

    @optimistic_retry("the offramp was changed concurrently; try again")
    async def accept(self, caller: Caller, offramp_id: UUID) -> Offramp | None:
        """Accept the offramp at its quote; a repeated accept returns the same offramp.

        External coins are awaited after the accept; an offramp above `review_above_usd` is reviewed
        first. Raises `TransactionNotFound`, `QuoteNotFound` before the approval, and `QuoteInvalid`
        if the quote has expired (the offramp is then QUOTE_FAILED) or ended. Raises `QuoteNotReady`
        while the coin is off its peg, `InsufficientBalance` and `LimitExceeded`; the quote then
        stays open. Raises `ResourceConflict` in review, and errors of a create on users and
        accounts.
        """
        offramp = await self.get(caller.org_id, offramp_id)
        if refusal := accept_refusal(offramp):
            raise refusal
        if offramp.status is not OfframpStatus.OPEN_QUOTE:
            return offramp
        await self._check_may_accept(caller, offramp)
        at = self.clock.stamp(caller.clock_offset)
        move = transitions.accepted(
            offramp, actor=caller.actor, at=at, is_reviewed=self._must_review(offramp)
        )
        moved = await self.quote_acceptance.advance(
            move,
            TRANSITIONS,
            is_approved=offramp.details.needs_approval,
            write_related=self._question(offramp, move),
        )
        match moved:
            case Transfer():
                return as_offramp(moved)
            case CommitOutcome.LATE:
                if await self.expire(offramp, caller.actor, at):
                    raise QuoteInvalid(_EXPIRED)
            case CommitOutcome.INSUFFICIENT:
                raise InsufficientBalance(insufficient_balance_text(offramp.gross))
            case _:
                pass  # changed concurrently: read the record again
        return None

    @optimistic_retry("the offramp was changed concurrently; try again")
    async def cancel(self, caller: Caller, offramp_id: UUID) -> Offramp | None:
        """Cancel an offramp that is in review; received coins are returned.

        A repeated cancel returns the same offramp. Raises `TransactionNotFound`, and
        `ResourceConflict` unless it is in review without an open external order.
        """
        offramp = await self.get(caller.org_id, offramp_id)
        if refusal := cancel_refusal(offramp):
            raise refusal
        if offramp.details.is_cancelled:
            return offramp
        await self.drafting.parties.check_may_move(caller)
        at = self.clock.stamp(caller.clock_offset)
        move = transitions.cancelled(offramp, actor=caller.actor, at=at)
        try:
            return as_offramp(
                await self.database.transact(lambda tx, by=move: self._cancel(tx, by))
            )
        except _ConcurrentUpdate:
            pass  # changed concurrently: read the record again
        return None

    @optimistic_retry("the offramp was changed concurrently; try again")
    async def coins_arrived(
        self, reporter: CoinReporter, offramp_id: UUID, money: Money, chain_hash: str
    ) -> Offramp | None:
        """Record confirmed external coins for an offramp, once per transaction hash.

        Called for each final treasury deposit (`external_coins.py`). The exact amount in time
        continues the offramp; any other amount ends it and is returned. Coins that are not awaited,
        and coins of another asset, are returned by a disbursement. Raises `TransactionNotFound`,
        `ResourceConflict` for an offramp paid from a wallet of ours, and the errors of
        `OfframpFeeDisbursements.return_surplus`.
        """
        offramp = await self.get(reporter.org_id, offramp_id)
        if not offramp.is_external:
            raise ResourceConflict("this offramp is paid by a wallet of the platform")
        is_expected_asset = money.asset == offramp.gross.asset
        if is_expected_asset and offramp.details.deposit_hash == chain_hash:
            return offramp
        if not is_expected_asset or offramp.state is not OfframpStatus.AWAITING_FUNDS:
            if await self.fee_disbursements.return_surplus(reporter, offramp, money, chain_hash):
                return offramp
            return None
        if await self.fee_disbursements.is_returning(offramp, money, chain_hash):
            # The coins were reported before the accept, and a disbursement returns them.
            return offramp
        at = self.clock.stamp(reporter.clock_offset)
        move = transitions.arrived(
            offramp=offramp,
            money=money,
            chain_hash=chain_hash,
            actor=reporter.actor,
            at=at,
            is_reviewed=self._must_review(offramp),
        )
        moved = await self._advance(offramp, move)
        if isinstance(moved, Transfer):
            return as_offramp(moved)
        if moved is CommitOutcome.LATE:
            await self.expire(offramp, reporter.actor, at)
        return None

    async def has_booked(self, offramp: Offramp, money: Money, chain_hash: str) -> bool:
        """Return whether `coins_arrived` has recorded these coins as taken or as sent back."""
        details = offramp.details
        if money.asset == offramp.gross.asset and details.deposit_hash == chain_hash:
            return True
        return await self.fee_disbursements.is_returning(offramp, money, chain_hash)

    async def expire(self, offramp: Offramp, actor: str, at: datetime) -> bool:
        """Expire an unaccepted or unpaid offramp; False if it was changed concurrently."""
        is_accepted = offramp.details.accepted_at is not None
        move = transitions.ended(
            offramp,
            OfframpStatus.QUOTE_FAILED,
            change_type="expire",
            reason="the coins did not arrive in time"
            if is_accepted
            else "the quote expired before it was accepted",
            actor=actor,
            at=at,
            timing=DueCheck.OVERDUE,
        )
        if offramp.status is not OfframpStatus.IN_REVIEW:
            return isinstance(await self.ledger.advance(move, TRANSITIONS), Transfer)

        async def work(tx: Tx) -> bool:
            is_ended = isinstance(await self.ledger.advance_in(tx, move, TRANSITIONS), Transfer)
            if is_ended:
                await self._close_review(tx, move)
            return is_ended

        return await self.database.transact(work)

    async def expire_approval(self, offramp: Offramp, actor: str, at: datetime) -> bool:
        """Expire an offramp that was not approved in time; False if it was changed concurrently."""
        move = transitions.ended(
            offramp,
            OfframpStatus.EXPIRED,
            change_type="expire",
            reason=WHY_EXPIRED,
            actor=actor,
            at=at,
            timing=DueCheck.OVERDUE,
        )
        return await self.approvals.expire(
            offramp.record, move, TRANSITIONS, write_related=lambda tx: self._close_review(tx, move)
        )

    async def get(self, org_id: UUID, offramp_id: UUID) -> Offramp:
        """Get an offramp; raises `TransactionNotFound`."""
        return as_offramp(await self.ledger.get(org_id, KIND, offramp_id))

    async def page(
        self, org_id: UUID, user_id: UUID | None, window: PageWindow
    ) -> Sequence[Offramp]:
        """List offramps, newest first."""
        return as_offramps(await self.ledger.page(org_id, KIND, user_id, window))

    async def build_draft(
        self,
        caller: Caller,
        request_id: UUID,
        params: OfframpRequest,
        request: dict[str, Any],
        *,
        needs_approval: bool,
    ) -> TransferDraft:
        """Draft an offramp with its texts; raises the errors of `create`."""
        draft = await self.drafting.draft(
            caller, request_id, params, request, needs_approval=needs_approval
        )
        opening, texts = draft.creation, draft.texts
        await self.archive.check_files(caller.org_id, opening.user_id, texts)

        async def keep(tx: Tx) -> None:
            await self.archive.keep(tx, opening.org_id, opening.id, opening.user_id, texts)

        return TransferDraft(
            creation=opening,
            payees=draft.payees,
            needs_seed=not opening.details["destination_address"],
            write_related=None if texts.is_empty else keep,
            destination=draft.destination,
        )

    async def reply_context(self, org_id: UUID, offramps: Sequence[Offramp]) -> OfframpReplyContext:
        """Return the reply context of these records."""
        user_ids = {each.record.user_id for each in offramps}
        user_ids |= {each.details.destination_user_id for each in offramps}
        approval_ids = [each.record.id for each in offramps if each.details.needs_approval]
        return OfframpReplyContext(
            cards=await self.users.cards(org_id, list(user_ids)) if user_ids else {},
            approvals=await self.approvals.of(org_id, approval_ids) if approval_ids else {},
        )

    async def _check_may_accept(self, caller: Caller, offramp: Offramp) -> None:
        details, org_id = offramp.details, caller.org_id
        if caller.payments_need_approval and not details.needs_approval:
            raise RoleNotAllowed("this offramp has no approval; an admin must accept it")
        check_scripted_screening(offramp.record)
        await check_quotable(self.drafting.quoting.rates, offramp.gross.asset)
        await self.drafting.parties.check_may_move(caller, *offramp.required_active_user_ids)
        await self.drafting.accounts.check_usable(
            org_id, details.destination_user_id, details.account_id
        )

    def _must_review(self, offramp: Offramp) -> bool:
        above = self.review_above_usd
        is_large = above is not None and offramp.amount.decimal >= above
        return is_large or is_reviewed(offramp.record)

    async def _advance(self, offramp: Offramp, move: AdvanceTransfer) -> Transfer | CommitOutcome:
        """Advance an offramp; entering review also opens a request for information."""
        question = self._question(offramp, move)
        if question is None:
            return await self.ledger.advance(move, TRANSITIONS)

        async def work(tx: Tx) -> Transfer | CommitOutcome:
            moved = await self.ledger.advance_in(tx, move, TRANSITIONS)
            if isinstance(moved, Transfer):
                await question(tx)
            return moved

        return await self.database.transact(work)

    def _question(
        self, offramp: Offramp, move: AdvanceTransfer
    ) -> Callable[[Tx], Awaitable[None]] | None:
        """Return a function that opens a request for information, for a transition to IN_REVIEW.

        Return None for other transitions.
        """
        if OfframpStatus.IN_REVIEW not in move.path or offramp.status is OfframpStatus.IN_REVIEW:
            return None

        async def ask(tx: Tx) -> None:
            await self.rfis.create_in(
                tx, offramp.record, question=_QUESTION, actor="rule", at=move.at
            )

        return ask

    async def _cancel(self, tx: Tx, move: AdvanceTransfer) -> Transfer:
        record = move.transfer
        # Lock order: approvals, then records, then requests for information.
        await self.approvals.withdraw_in(tx, record.org_id, record.id, actor=move.actor, at=move.at)
        moved = await self.ledger.advance_in(tx, move, TRANSITIONS)
        if not isinstance(moved, Transfer):
            raise _ConcurrentUpdate
        await self._close_review(tx, move)
        return moved

    async def _close_review(self, tx: Tx, move: AdvanceTransfer) -> None:
        """Close the offramp's open request for information, in the transition's transaction."""
        record = move.transfer
        await self.rfis.close_in(tx, record.org_id, record.id, actor=move.actor, at=move.at)
