"""How `landbridge check` verifies offramps; see ledger/audit_rules.py."""

from collections.abc import Sequence
from uuid import UUID

from landbridge.core.money import Money
from landbridge.flows.offramps import moves
from landbridge.flows.offramps.model import Offramp, Status, as_offramp
from landbridge.ledger.audit_rules import AuditRules, Journals, Step, credit, debit, reserve
from landbridge.ledger.model import Posting, Role, Transfer
from landbridge.payments.postings import hold

_AT_BANK = frozenset({Status.FIAT_INITIATED, Status.FIAT_PENDING})


def journals(step: Step) -> Journals:
    """Recompute the postings of a step."""
    after = as_offramp(step.after)
    if step.before is None:
        return _opened(step, after)
    before = as_offramp(step.before)
    match step.what:
        case "approve" if after.status is Status.OPEN_QUOTE:
            made = step.at_end(_held_instead(before, after))
        case "accept":
            made = step.at_end(_held_instead(before, before))
        case "settle_outside":
            made = step.at_end(moves.returned_outside(before))
        case "payout_returned":
            made = step.at_end(moves.payout_came_back(before, _came_back(after)))
        case "coins_arrived":
            made = {0: moves.arrival(after.received)}
        case _:
            made = step.at_end(_posted(before, after.status))
    return made


def _opened(step: Step, offramp: Offramp) -> Journals:
    account_id = offramp.details.source_account_id
    if account_id is None or offramp.status is not Status.PENDING_APPROVAL:
        return {}
    return step.at_end(hold(account_id, offramp.gross))


def _held_instead(before: Offramp, after: Offramp) -> list[Posting]:
    return [] if before.is_external else moves.held_instead(before, after.gross)


def _posted(before: Offramp, status: Status) -> list[Posting]:
    """Return what a record posts on its way to a status, once it was accepted or is over."""
    match status:
        case (
            Status.NOT_INITIATED
            | Status.QUOTE_FAILED
            | Status.CRYPTO_FAILED
            | Status.REJECTED
            | Status.EXPIRED
        ):
            postings = moves.held_let_go(before)
        case Status.CRYPTO_PROCESSED if before.status is not Status.IN_REVIEW:
            postings = moves.processed(before)
        case Status.FIAT_INITIATED if before.status is not Status.IN_REVIEW:
            postings = moves.payout_claimed(before)
        case Status.COMPLETED:
            postings = moves.payout_done(before)
        case Status.FIAT_FAILED if before.status in _AT_BANK:
            postings = moves.payout_failed(before)
        case Status.CRYPTO_RETURNED:
            postings = moves.returned(before)
        case _:
            postings = []
    return postings


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting]:
    """Return what an offramp has moved in all."""
    offramp = as_offramp(record)
    has_coins = Status.CRYPTO_PROCESSED in statuses
    match offramp.standing:
        case Status.PENDING_APPROVAL:
            moved = _reserved(offramp)
        case Status.OPEN_QUOTE:
            # Coins of a quote are held only if it waited for an approval before.
            moved = _reserved(offramp) if Status.PENDING_APPROVAL in statuses else []
        case Status.CRYPTO_INITIATED | Status.CRYPTO_PENDING:
            moved = _arrived(offramp) if offramp.is_external else _reserved(offramp)
        case Status.CRYPTO_PROCESSED:
            moved = _taken(offramp)
        case Status.FIAT_INITIATED | Status.FIAT_PENDING:
            moved = [*_taken(offramp), *_paid(offramp, Role.IN_TRANSIT)]
        case Status.COMPLETED:
            moved = [*_taken(offramp), *_paid(offramp, Role.OUTSIDE)]
        case Status.FIAT_FAILED:
            moved = [*(_taken(offramp) if has_coins else _arrived(offramp)), *_kept(offramp)]
        case Status.CRYPTO_RETURNED:
            moved = [*_returned(offramp, has_coins=has_coins), *_kept(offramp)]
        case (
            Status.CREATED
            | Status.IN_REVIEW
            | Status.AWAITING_FUNDS
            | Status.NOT_INITIATED
            | Status.QUOTE_FAILED
            | Status.CRYPTO_FAILED
            | Status.REJECTED
            | Status.EXPIRED
        ):
            moved = []
    return moved


def _came_back(offramp: Offramp) -> Money:
    """Return what came back of a payout after it was settled: all of it, unless a fact says."""
    units = offramp.details.payout_returned_units
    return offramp.receive if units is None else Money(units, offramp.receive.asset)


def _kept(offramp: Offramp) -> list[Posting]:
    """Return what a bank kept of a payout that it gave back, which the organisation bears."""
    kept = offramp.receive - _came_back(offramp)
    return [credit(Role.OUTSIDE, kept), debit(Role.WRITE_OFFS, kept)]


def _payer(offramp: Offramp) -> UUID | Role:
    return offramp.details.source_account_id or Role.OUTSIDE


def _reserved(offramp: Offramp) -> list[Posting]:
    account_id = offramp.details.source_account_id
    return [] if account_id is None else [reserve(account_id, offramp.gross)]


def _arrived(offramp: Offramp) -> list[Posting]:
    return [debit(Role.OUTSIDE, offramp.received), credit(Role.IN_TRANSIT, offramp.received)]


def _fees(offramp: Offramp) -> list[Posting]:
    """Return the fees: of coins from outside they are owed until a disbursement pays them."""
    return [
        credit(
            Role.PAYABLE if offramp.is_external else fee.line.account_id or Role.OUTSIDE, fee.money
        )
        for fee in offramp.fees
    ]


def _taken(offramp: Offramp) -> list[Posting]:
    """Return the coins as the organisation's, and the fees as their beneficiaries'."""
    return [
        debit(_payer(offramp), offramp.gross),
        *_fees(offramp),
        credit(Role.FEES, offramp.exchange_fee),
        credit(Role.LIQUIDITY, offramp.amount - offramp.exchange_fee),
    ]


def _paid(offramp: Offramp, to: Role) -> list[Posting]:
    return [debit(Role.LIQUIDITY, offramp.receive), credit(to, offramp.receive)]


def _returned(offramp: Offramp, *, has_coins: bool) -> list[Posting]:
    """Return the coins as returned: all that arrived, or all but the fees that were paid."""
    back = offramp.details.return_account_id or Role.OUTSIDE
    if offramp.details.is_settled_outside:
        back = Role.OUTSIDE
    if has_coins:
        paid = debit(_payer(offramp), offramp.gross)
        return [paid, *_fees(offramp), credit(back, offramp.amount)]
    return [debit(Role.OUTSIDE, offramp.received), credit(back, offramp.received)]


RULES = AuditRules(journals, effect)
