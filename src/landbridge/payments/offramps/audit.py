"""Audit rules by which `landbridge check` verifies offramps; see ledger/audit_rules.py."""

from collections.abc import Sequence
from uuid import UUID

from landbridge.ledger.audit_rules import AuditRules, Journals, RecordStep, credit, debit, reserve
from landbridge.ledger.model import HouseRole, Posting, Transfer
from landbridge.payments.engine.postings import hold
from landbridge.payments.offramps import transitions
from landbridge.payments.offramps.model import PAYING_OUT, Offramp, OfframpStatus, as_offramp
from landbridge.platform.core.money import Money


def journals(step: RecordStep) -> Journals:
    """Return the postings that a step of a record should have made."""
    after = as_offramp(step.after)
    if step.before is None:
        return _opened(step, after)
    before = as_offramp(step.before)
    match step.change_type:
        case "approve" if after.status is OfframpStatus.OPEN_QUOTE:
            expected = step.final_journal(_adjust_hold(before, after))
        case "accept":
            expected = step.final_journal(_adjust_hold(before, before))
        case "settle_outside":
            expected = step.final_journal(transitions.returned_outside(before))
        case "payout_returned":
            expected = step.final_journal(
                transitions.payout_return_journal(before, _returned_amount(after))
            )
        case "coins_arrived":
            expected = {0: transitions.arrival(after.received)}
        case _:
            expected = step.final_journal(_posted(before, after.status))
    return expected


def _opened(step: RecordStep, offramp: Offramp) -> Journals:
    account_id = offramp.details.source_account_id
    # Coins are held from the start for a payout that awaits, or already has, an approval.
    if account_id is None or not offramp.details.needs_approval:
        return {}
    return step.final_journal(hold(account_id, offramp.gross))


def _adjust_hold(before: Offramp, after: Offramp) -> list[Posting]:
    return [] if before.is_external else transitions.adjust_hold(before, after.gross)


def _posted(before: Offramp, status: OfframpStatus) -> list[Posting]:
    """Return the postings of the transition to `status`, for a record accepted or final by then."""
    match status:
        case (
            OfframpStatus.NOT_INITIATED
            | OfframpStatus.QUOTE_FAILED
            | OfframpStatus.CRYPTO_FAILED
            | OfframpStatus.REJECTED
            | OfframpStatus.EXPIRED
        ):
            postings = transitions.release_hold(before)
        case OfframpStatus.CRYPTO_PROCESSED if before.status is not OfframpStatus.IN_REVIEW:
            postings = transitions.processed(before)
        case OfframpStatus.FIAT_INITIATED if before.status is not OfframpStatus.IN_REVIEW:
            postings = transitions.payout_claimed(before)
        case OfframpStatus.COMPLETED:
            postings = transitions.payout_done(before)
        case OfframpStatus.FIAT_FAILED if before.status in PAYING_OUT:
            postings = transitions.payout_failed(before)
        case OfframpStatus.CRYPTO_RETURNED:
            postings = transitions.returned(before)
        case _:
            postings = []
    return postings


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return the total effect of an offramp on balances, after the statuses it has passed."""
    offramp = as_offramp(record)
    has_coins = OfframpStatus.CRYPTO_PROCESSED in statuses
    match offramp.state:
        case OfframpStatus.PENDING_APPROVAL:
            moved = _reserved(offramp)
        case OfframpStatus.OPEN_QUOTE:
            # A quote holds coins only if the offramp awaited an approval before.
            moved = _reserved(offramp) if OfframpStatus.PENDING_APPROVAL in statuses else []
        case OfframpStatus.CRYPTO_INITIATED | OfframpStatus.CRYPTO_PENDING:
            moved = _arrived(offramp) if offramp.is_external else _reserved(offramp)
        case OfframpStatus.CRYPTO_PROCESSED:
            moved = _taken(offramp)
        case OfframpStatus.FIAT_INITIATED | OfframpStatus.FIAT_PENDING:
            moved = [*_taken(offramp), *_paid(offramp, HouseRole.IN_TRANSIT)]
        case OfframpStatus.COMPLETED:
            moved = [*_taken(offramp), *_paid(offramp, HouseRole.OUTSIDE)]
        case OfframpStatus.FIAT_FAILED:
            moved = [*(_taken(offramp) if has_coins else _arrived(offramp)), *_kept(offramp)]
        case OfframpStatus.CRYPTO_RETURNED:
            moved = [*_returned(offramp, has_coins=has_coins), *_kept(offramp)]
        case (
            OfframpStatus.CREATED
            | OfframpStatus.IN_REVIEW
            | OfframpStatus.AWAITING_FUNDS
            | OfframpStatus.NOT_INITIATED
            | OfframpStatus.QUOTE_FAILED
            | OfframpStatus.CRYPTO_FAILED
            | OfframpStatus.REJECTED
            | OfframpStatus.EXPIRED
        ):
            moved = []
    return moved


def _returned_amount(offramp: Offramp) -> Money:
    """Return how much fiat of a settled payout came back: all of it unless a fact states less."""
    units = offramp.details.payout_returned_units
    return offramp.receive if units is None else Money(units, offramp.receive.asset)


def _kept(offramp: Offramp) -> list[Posting]:
    """Return the postings of a bank's deduction from a returned payout: the organisation pays."""
    retained = offramp.receive - _returned_amount(offramp)
    return [credit(HouseRole.OUTSIDE, retained), debit(HouseRole.WRITE_OFFS, retained)]


def _payer(offramp: Offramp) -> UUID | HouseRole:
    return offramp.details.source_account_id or HouseRole.OUTSIDE


def _reserved(offramp: Offramp) -> list[Posting]:
    account_id = offramp.details.source_account_id
    return [] if account_id is None else [reserve(account_id, offramp.gross)]


def _arrived(offramp: Offramp) -> list[Posting]:
    return [
        debit(HouseRole.OUTSIDE, offramp.received),
        credit(HouseRole.IN_TRANSIT, offramp.received),
    ]


def _fees(offramp: Offramp) -> list[Posting]:
    """Return the postings of the fees; fees from external coins wait in PAYABLE."""
    return [
        credit(
            HouseRole.PAYABLE if offramp.is_external else fee.line.account_id or HouseRole.OUTSIDE,
            fee.money,
        )
        for fee in offramp.fees
    ]


def _taken(offramp: Offramp) -> list[Posting]:
    """Return the credits of the coins to the organisation, and of the fees to their payees."""
    return [
        debit(_payer(offramp), offramp.gross),
        *_fees(offramp),
        credit(HouseRole.FEES, offramp.exchange_fee),
        credit(HouseRole.LIQUIDITY, offramp.amount - offramp.exchange_fee),
    ]


def _paid(offramp: Offramp, to: HouseRole) -> list[Posting]:
    return [debit(HouseRole.LIQUIDITY, offramp.receive), credit(to, offramp.receive)]


def _returned(offramp: Offramp, *, has_coins: bool) -> list[Posting]:
    """Return the postings of a refund: all coins that arrived, or all except fees already paid."""
    back = offramp.details.return_account_id or HouseRole.OUTSIDE
    if offramp.details.is_settled_outside:
        back = HouseRole.OUTSIDE
    if has_coins:
        paid = debit(_payer(offramp), offramp.gross)
        return [paid, *_fees(offramp), credit(back, offramp.amount)]
    return [debit(HouseRole.OUTSIDE, offramp.received), credit(back, offramp.received)]


RULES = AuditRules(journals, effect)
