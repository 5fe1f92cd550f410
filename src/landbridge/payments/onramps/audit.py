"""Audit rules by which `landbridge check` verifies onramps; see ledger/audit_rules.py."""

from collections.abc import Sequence
from itertools import pairwise

from landbridge.ledger.audit_rules import AuditRules, Journals, RecordStep, credit, debit
from landbridge.ledger.model import HouseRole, Posting, Transfer
from landbridge.payments.onramps import transitions
from landbridge.payments.onramps.model import Onramp, OnrampStatus, as_onramp
from landbridge.platform.core.money import Money

_DELIVERING = frozenset(
    {OnrampStatus.CRYPTO_INITIATED, OnrampStatus.CRYPTO_PENDING, OnrampStatus.UNKNOWN}
)


def journals(step: RecordStep) -> Journals:
    """Return the postings that a step of a record should have made."""
    if OnrampStatus.FIAT_INITIATED in step.path:
        # The deposit was seen: on creation (virtual account) or by a transition.
        index = step.path.index(OnrampStatus.FIAT_INITIATED)
        onramp = as_onramp(step.after)
        return {index: transitions.deposit_postings(onramp.received or onramp.source)}
    if step.before is None:
        return {}
    onramp = as_onramp(step.before)
    if step.change_type == "return_came_back":
        return step.final_journal(
            transitions.return_journal(onramp, _returned_amount(as_onramp(step.after)))
        )
    if step.path == (OnrampStatus.FIAT_PROCESSED, OnrampStatus.CRYPTO_INITIATED):
        return transitions.claimed(onramp, actor=step.actor, at=step.at).journals
    match OnrampStatus(step.after.status):
        case OnrampStatus.COMPLETED:
            expected = step.final_journal(transitions.delivered(onramp))
        case OnrampStatus.CRYPTO_FAILED if onramp.status in _DELIVERING:
            expected = step.final_journal(transitions.back_in_transit(onramp))
        case OnrampStatus.FIAT_RETURNED:
            expected = step.final_journal(transitions.returned(onramp))
        case _:
            expected = step.final_journal([])
    return expected


def effect(record: Transfer, statuses: Sequence[str]) -> Sequence[Posting] | None:
    """Return the total effect of an onramp on balances, after the statuses it has passed.

    Return None if its return came back more than once: only the last amount is stored.
    """
    onramp = as_onramp(record)
    return_count = sum(
        before == OnrampStatus.FIAT_RETURNED and after == OnrampStatus.FIAT_FAILED
        for before, after in pairwise(statuses)
    )
    if return_count > 1:
        return None
    deposit = onramp.received or onramp.source
    retained = deposit - _returned_amount(onramp)
    write_off = [credit(HouseRole.OUTSIDE, retained), debit(HouseRole.WRITE_OFFS, retained)]
    match onramp.state:
        case OnrampStatus.FIAT_RETURNED:
            moved = write_off
        case (
            OnrampStatus.CREATED
            | OnrampStatus.NOT_INITIATED
            | OnrampStatus.OPEN_QUOTE
            | OnrampStatus.QUOTE_FAILED
            | OnrampStatus.AWAITING_FUNDS
            | OnrampStatus.IN_REVIEW
        ):
            moved = []
        case (
            OnrampStatus.FIAT_INITIATED
            | OnrampStatus.FIAT_PENDING
            | OnrampStatus.FIAT_FAILED
            | OnrampStatus.CRYPTO_FAILED
        ):
            moved = [
                debit(HouseRole.OUTSIDE, deposit),
                credit(HouseRole.IN_TRANSIT, deposit),
                *write_off,
            ]
        case (
            OnrampStatus.FIAT_PROCESSED
            | OnrampStatus.CRYPTO_INITIATED
            | OnrampStatus.CRYPTO_PENDING
            | OnrampStatus.UNKNOWN
        ):
            moved = _bought(onramp)
        case OnrampStatus.COMPLETED:
            moved = [*_bought(onramp), *_delivered(onramp)]
    return moved


def _returned_amount(onramp: Onramp) -> Money:
    """Return how much of a returned deposit came back: all of it unless a fact states less."""
    units = onramp.details.return_came_back_units
    return onramp.deposit if units is None else Money(units, onramp.source.asset)


def _bought(onramp: Onramp) -> list[Posting]:
    """Return the credits of the deposit's fiat to the organisation."""
    return [
        debit(HouseRole.OUTSIDE, onramp.source),
        credit(HouseRole.FEES, onramp.fee),
        credit(HouseRole.LIQUIDITY, onramp.source - onramp.fee),
    ]


def _delivered(onramp: Onramp) -> list[Posting]:
    """Return the credits of the coins: the parts of a settlement rule, and the remainder."""
    remainder = onramp.destination
    postings = [debit(HouseRole.LIQUIDITY, onramp.destination)]
    for part, money in onramp.parts:
        remainder -= money
        postings.append(credit(part.account_id or HouseRole.OUTSIDE, money))
    return [
        *postings,
        credit(onramp.details.destination_account_id or HouseRole.OUTSIDE, remainder),
    ]


RULES = AuditRules(journals, effect)
