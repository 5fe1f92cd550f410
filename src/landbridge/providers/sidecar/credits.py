"""Deposits at a connected provider: accounts, credits, and decisions on credits."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256
from typing import NamedTuple
from uuid import UUID

import msgspec

from landbridge.platform.core.money import AmountError, Money
from landbridge.providers.rails.currencies import FIAT
from landbridge.providers.rails.port import DepositCoordinates
from landbridge.providers.sidecar.protocol import CreditId, ProviderCredit

# First letter of our id for a credit without a valid id; no provider's id begins with it.
_NO_ID = "!"
_DIGEST_LENGTH = 32
_INVALID = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
# Matches an escape in JSON: a surrogate pair, half of one, or any other escape.
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(?P<half>\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\.",
    re.DOTALL,
)
_REPLACEMENT = rb"\ufffd"


class CreditProblem(StrEnum):
    """Why a credit needs a person. `CREDIT_ADVICE` says what to do."""

    MALFORMED = "MALFORMED"  # the credit is not valid
    UNKNOWN_ACCOUNT = "UNKNOWN_ACCOUNT"  # the provider has given us no such account
    UNKNOWN_CURRENCY = "UNKNOWN_CURRENCY"  # its account is for another currency
    CHANGED = "CHANGED"  # the credit was reported with another amount, currency or account before
    REVERSED = "REVERSED"  # the bank took the money back


CREDIT_ADVICE: Mapping[CreditProblem, str] = {
    CreditProblem.MALFORMED: "not credited; correct the sidecar, then run adapters reread",
    CreditProblem.UNKNOWN_ACCOUNT: "not credited; have the provider return it, or correct the "
    "account at the sidecar, then run adapters reread",
    CreditProblem.UNKNOWN_CURRENCY: "not credited; have the provider return it",
    CreditProblem.CHANGED: "credited as it was reported first; clear it up with the provider",
    CreditProblem.REVERSED: "request DEPOSIT_REVERSED for the payment that it paid; return an "
    "unmatched deposit, which the provider refuses, then settle it",
}


class DepositAccount(NamedTuple):
    """Account that a provider has given us."""

    account_number: str
    coordinates: DepositCoordinates


class CreditEntry(NamedTuple):
    """Credit of a page; `message` is None if the credit is not valid."""

    id: str
    message: ProviderCredit | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderCreditPage:
    """Page of credits from one answer; `next` is None on the last page."""

    credits: tuple[CreditEntry, ...]
    reversed: tuple[str, ...]
    next: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenAccount:
    """Account of an organisation, found by the account number of a credit."""

    org_id: UUID
    account_number: str
    currency: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCredit:
    """Stored state of a credit: an incoming payment, a problem, or both.

    Without an incoming payment nothing was credited. Money and account are those that were
    credited.
    """

    provider: str
    credit_id: str
    org_id: UUID | None
    incoming_payment_id: UUID | None
    account_number: str | None
    money: Money | None
    problem: CreditProblem | None
    received_at: datetime


@dataclass(frozen=True, slots=True)
class CreditDecision:
    """Decision on a reported credit: `money` is credited, or there is a problem."""

    money: Money | None = None
    problem: CreditProblem | None = None


def replace_half_characters(page: bytes) -> bytes:
    """Return a page in which halves of surrogate pairs are replaced.

    Programs that cut a text, such as a payer's message, within a character leave half of a
    surrogate pair. JSON permits that and our decoder does not, so one such text would make the
    whole page invalid.
    """
    return _ESCAPE.sub(lambda found: _REPLACEMENT if found["half"] else found[0], page)


def read_credit(raw: msgspec.Raw) -> CreditEntry:
    """Decode a credit of a page; an invalid one gets an id derived from its content."""
    try:
        message = msgspec.json.decode(raw, type=ProviderCredit)
    except _INVALID:
        pass
    else:
        return CreditEntry(message.id, message)
    try:
        return CreditEntry(msgspec.json.decode(raw, type=CreditId).id, None)
    except _INVALID:
        return CreditEntry(f"{_NO_ID}{sha256(raw).hexdigest()[:_DIGEST_LENGTH]}", None)


def decide_credit(
    entry: CreditEntry, known: StoredCredit, account: GivenAccount | None
) -> CreditDecision:
    """Return the decision on a credit. What was credited is never changed.

    A credit with a problem is decided again whenever it is reported, unless it was reversed.
    """
    if known.problem is CreditProblem.REVERSED:
        return CreditDecision(problem=known.problem)
    message = entry.message
    money = None if message is None else _money(message)
    problem: CreditProblem | None = None
    if known.incoming_payment_id is not None:
        number = None if message is None else message.account_number
        is_same = (number, money) == (known.account_number, known.money)
        return CreditDecision(problem=known.problem if is_same else CreditProblem.CHANGED)
    if message is not None and account is None:
        problem = CreditProblem.UNKNOWN_ACCOUNT
    elif message is not None and account is not None and message.currency != account.currency:
        problem = CreditProblem.UNKNOWN_CURRENCY
    elif money is None:
        problem = CreditProblem.MALFORMED
    return CreditDecision(money if problem is None else None, problem)


def _money(message: ProviderCredit) -> Money | None:
    """Return the amount; None if it is zero or does not fit the currency."""
    asset = FIAT.get(message.currency)
    if asset is None:
        return None
    try:
        money = Money.parse(message.amount, asset)
    except AmountError:
        return None
    return money if money.units > 0 else None
