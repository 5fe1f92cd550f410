"""Outcomes of approvals and reviews of an offramp."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from landbridge.customers.bank_accounts.service import BankAccounts
from landbridge.customers.users.service import Users
from landbridge.ledger.model import AdvanceTransfer, Transfer
from landbridge.payments.approvals.model import WHY_REJECTED
from landbridge.payments.engine.amounts import insufficient_balance_text
from landbridge.payments.offramps import transitions
from landbridge.payments.offramps.model import (
    QUOTE_LIFETIME,
    TRANSITIONS,
    Offramp,
    OfframpStatus,
    as_offramp,
    review_refusal,
)
from landbridge.payments.offramps.quote import OfframpQuoteRequest, OfframpQuoting
from landbridge.payments.quotes.errors import RouteInvalid
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.orgs.service import Orgs


@dataclass(frozen=True, slots=True)
class OfframpDecisions:
    """Decisions on offramps: implements `approvals.voting.Decider` and `rfis.reviews.Reviewed`."""

    orgs: Orgs
    users: Users
    accounts: BankAccounts
    quoting: OfframpQuoting

    @property
    def transitions(self) -> Transitions[Any]:
        """The transition table."""
        return TRANSITIONS

    async def approved(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Quote the approved offramp.

        The quote is made now, so that it cannot expire while the offramp waits. Source: spec.md.

        The offramp ends if there is no price, or if its amount is too small at the price. Raises
        the errors of a create about users and accounts, and `QuoteNotReady`. If it raises, nothing
        is decided, and the offramp can be approved once the cause is fixed.
        """
        offramp = as_offramp(record)
        details = offramp.details
        await self.orgs.check_active(record.org_id)
        for user_id in dict.fromkeys(offramp.required_active_user_ids):
            await self.users.check_active(record.org_id, user_id)
        await self.accounts.check_usable(
            record.org_id, details.destination_user_id, details.account_id
        )
        try:
            terms = await self.quoting.terms(record.org_id, _quote_request(offramp), at)
        except (RouteInvalid, FieldInvalid) as error:
            return _no_quote(offramp, error.message, actor=actor, at=at)
        return transitions.quoted(offramp, terms, at + QUOTE_LIFETIME, actor=actor, at=at)

    def insufficient(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """End an offramp if its wallet holds less than the new price requires."""
        offramp = as_offramp(record)
        return _no_quote(offramp, insufficient_balance_text(offramp.gross), actor=actor, at=at)

    def refused(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Reject the offramp; the admin's comment is stored with the vote."""
        return transitions.ended(
            as_offramp(record),
            OfframpStatus.REJECTED,
            change_type="reject",
            reason=WHY_REJECTED,
            actor=actor,
            at=at,
        )

    def into_review(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Build the transition to IN_REVIEW; raises `ResourceConflict`."""
        offramp = as_offramp(record)
        if refusal := review_refusal(offramp):
            raise refusal
        return transitions.into_review(offramp, actor=actor, at=at)

    def out_of_review(self, record: Transfer, *, actor: str, at: datetime) -> AdvanceTransfer:
        """Build the transition out of review; raises `ResourceConflict` if it is not in review."""
        offramp = as_offramp(record)
        if offramp.status is not OfframpStatus.IN_REVIEW:
            raise ResourceConflict(f"this offramp is {offramp.status}, not in review")
        return transitions.out_of_review(offramp, actor=actor, at=at)


def _no_quote(offramp: Offramp, reason: str, *, actor: str, at: datetime) -> AdvanceTransfer:
    return transitions.ended(
        offramp,
        OfframpStatus.QUOTE_FAILED,
        change_type="approve",
        reason=f"it was approved, but no quote could be made: {reason}",
        actor=actor,
        at=at,
    )


def _quote_request(offramp: Offramp) -> OfframpQuoteRequest:
    """Build the quote request from the stored request."""
    details = offramp.details
    return OfframpQuoteRequest(
        money=offramp.receive if details.is_exact_out else offramp.amount,
        source=offramp.gross.asset,
        destination=offramp.receive.asset,
        corridor=details.corridor,
        payment_rail=details.payment_rail,
        fees=details.fees,
    )
