"""What becomes of an offramp that others decide on: who approves it, and who reviews it."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from landbridge.accounts.service import Accounts
from landbridge.approvals.model import WHY_REJECTED
from landbridge.core.errors import FieldInvalid, ResourceConflict
from landbridge.core.states import Moves
from landbridge.flows.offramps import moves
from landbridge.flows.offramps.model import (
    MOVES,
    QUOTE_LIFETIME,
    Offramp,
    Status,
    as_offramp,
    why_not_review,
)
from landbridge.flows.offramps.quoting import Asked, Quoting
from landbridge.ledger.model import Move, Transfer
from landbridge.orgs.service import Orgs
from landbridge.payments.amounts import too_little
from landbridge.quotes.errors import RouteInvalid
from landbridge.users.service import Users


@dataclass(frozen=True, slots=True)
class Deciding:
    """Implements `approvals.voting.Decider` and `rfis.reviewing.Reviewed`."""

    orgs: Orgs
    users: Users
    accounts: Accounts
    quoting: Quoting

    @property
    def moves(self) -> Moves[Any]:
        """The table of moves."""
        return MOVES

    async def approved(self, record: Transfer, *, actor: str, at: datetime) -> Move:
        """The quote is made now. Source: spec.md, so that it can't expire while it waits.

        Without a price, or with one at which it is too little, the offramp ends. Raises what a
        create raises of users and accounts, and `QuoteNotReady`: then nothing is decided, and it
        can be approved once that is mended.
        """
        offramp = as_offramp(record)
        details = offramp.details
        await self.orgs.check_active(record.org_id)
        for user_id in dict.fromkeys(offramp.concerned):
            await self.users.check_active(record.org_id, user_id)
        await self.accounts.check_usable(
            record.org_id, details.destination_user_id, details.account_id
        )
        try:
            terms = await self.quoting.terms(record.org_id, _asked(offramp), at)
        except (RouteInvalid, FieldInvalid) as error:
            return _no_quote(offramp, error.message, actor=actor, at=at)
        return moves.quoted(offramp, terms, at + QUOTE_LIFETIME, actor=actor, at=at)

    def short(self, record: Transfer, *, actor: str, at: datetime) -> Move:
        """The price has moved, and the wallet has less than it takes now."""
        offramp = as_offramp(record)
        return _no_quote(offramp, too_little(offramp.gross), actor=actor, at=at)

    def refused(self, record: Transfer, *, actor: str, at: datetime, reason: str | None) -> Move:
        """An admin said no; their words are with the vote."""
        del reason
        return moves.ended(
            as_offramp(record),
            Status.REJECTED,
            what="reject",
            reason=WHY_REJECTED,
            actor=actor,
            at=at,
        )

    def into_review(self, record: Transfer, *, actor: str, at: datetime) -> Move:
        """The move to IN_REVIEW; raises `ResourceConflict`."""
        offramp = as_offramp(record)
        if refusal := why_not_review(offramp):
            raise refusal
        return moves.into_review(offramp, actor=actor, at=at)

    def out_of_review(self, record: Transfer, *, actor: str, at: datetime) -> Move:
        """The move back; raises `ResourceConflict` if it is not in review."""
        offramp = as_offramp(record)
        if offramp.status is not Status.IN_REVIEW:
            raise ResourceConflict(f"this offramp is {offramp.status}, not in review")
        return moves.out_of_review(offramp, actor=actor, at=at)


def _no_quote(offramp: Offramp, reason: str, *, actor: str, at: datetime) -> Move:
    return moves.ended(
        offramp,
        Status.QUOTE_FAILED,
        what="approve",
        reason=f"it was approved, but no quote could be made: {reason}",
        actor=actor,
        at=at,
    )


def _asked(offramp: Offramp) -> Asked:
    """What is to be quoted, as it was asked for."""
    details = offramp.details
    return Asked(
        money=offramp.receive if details.is_exact_out else offramp.amount,
        source=offramp.gross.asset,
        destination=offramp.receive.asset,
        corridor=details.corridor,
        payment_rail=details.payment_rail,
        fees=details.fees,
    )
