"""How `landbridge check` verifies onramps; see ledger/audit_rules.py."""

from collections.abc import Sequence
from itertools import pairwise

from landbridge.core.money import Money
from landbridge.flows.onramps import moves
from landbridge.flows.onramps.model import Onramp, Status, as_onramp
from landbridge.ledger.audit_rules import AuditRules, Journals, Step, credit, debit
from landbridge.ledger.model import Posting, Role, Transfer

_DELIVERING = frozenset({Status.CRYPTO_INITIATED, Status.CRYPTO_PENDING, Status.UNKNOWN})


def journals(step: Step) -> Journals:
    """Recompute the postings of a step."""
    if Status.FIAT_INITIATED in step.path:
        # The deposit was seen, by an opening (on a virtual account) or by a move.
        place = step.path.index(Status.FIAT_INITIATED)
        onramp = as_onramp(step.after)
        return {place: moves.seen_journal(onramp.received or onramp.source)}
    if step.before is None:
        return {}
    onramp = as_onramp(step.before)
    if step.what == "return_came_back":
        return step.at_end(moves.came_back(onramp, _came_back(as_onramp(step.after))))
    if step.path == (Status.FIAT_PROCESSED, Status.CRYPTO_INITIATED):
        return moves.claimed(onramp, actor=step.actor, at=step.at).journals
    match Status(step.after.status):
        case Status.COMPLETED:
            made = step.at_end(moves.delivered(onramp))
        case Status.CRYPTO_FAILED if onramp.status in _DELIVERING:
            made = step.at_end(moves.back_in_transit(onramp))
        case Status.FIAT_RETURNED:
            made = step.at_end(moves.returned(onramp))
        case _:
            made = step.at_end([])
    return made


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting] | None:
    """Return what an onramp has moved in all.

    None if its return came back more than once: the log has only the last amount.
    """
    onramp = as_onramp(record)
    came_back = sum(
        before == Status.FIAT_RETURNED and after == Status.FIAT_FAILED
        for before, after in pairwise(statuses)
    )
    if came_back > 1:
        return None
    deposit = onramp.received or onramp.source
    kept = deposit - _came_back(onramp)
    lost = [credit(Role.OUTSIDE, kept), debit(Role.WRITE_OFFS, kept)]
    match onramp.standing:
        case Status.FIAT_RETURNED:
            moved = lost
        case (
            Status.CREATED
            | Status.NOT_INITIATED
            | Status.OPEN_QUOTE
            | Status.QUOTE_FAILED
            | Status.AWAITING_FUNDS
            | Status.IN_REVIEW
        ):
            moved = []
        case (
            Status.FIAT_INITIATED | Status.FIAT_PENDING | Status.FIAT_FAILED | Status.CRYPTO_FAILED
        ):
            moved = [debit(Role.OUTSIDE, deposit), credit(Role.IN_TRANSIT, deposit), *lost]
        case (
            Status.FIAT_PROCESSED | Status.CRYPTO_INITIATED | Status.CRYPTO_PENDING | Status.UNKNOWN
        ):
            moved = _bought(onramp)
        case Status.COMPLETED:
            moved = [*_bought(onramp), *_delivered(onramp)]
    return moved


def _came_back(onramp: Onramp) -> Money:
    """Return what came back of a returned deposit: all of it, unless a fact says."""
    units = onramp.details.return_came_back_units
    return onramp.deposit if units is None else Money(units, onramp.source.asset)


def _bought(onramp: Onramp) -> list[Posting]:
    """Return the fiat of the deposit as the organisation's."""
    return [
        debit(Role.OUTSIDE, onramp.source),
        credit(Role.FEES, onramp.fee),
        credit(Role.LIQUIDITY, onramp.source - onramp.fee),
    ]


def _delivered(onramp: Onramp) -> list[Posting]:
    """Return the coins as those of the payees: the parts of a settlement rule, and the rest."""
    left = onramp.destination
    postings = [debit(Role.LIQUIDITY, onramp.destination)]
    for part, money in onramp.parts:
        left -= money
        postings.append(credit(part.account_id or Role.OUTSIDE, money))
    return [*postings, credit(onramp.details.destination_account_id or Role.OUTSIDE, left)]


RULES = AuditRules(journals, effect)
