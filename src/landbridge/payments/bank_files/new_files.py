"""Builds the next outbound file of an account: its payments, its name and its dates."""

from collections.abc import Sequence
from datetime import date, datetime
from itertools import accumulate
from uuid import UUID

from landbridge.payments.bank_files.funding_accounts import FundingAccountView
from landbridge.payments.bank_files.model import BankFile, BankFileFormat, BankPayment
from landbridge.providers.nacha.dates import effective_on
from landbridge.providers.nacha.messages import BATCH_CENTS_MAX
from landbridge.providers.rails.calendar import FRANKFURT, NEW_YORK, cut_off

_ENDINGS = {BankFileFormat.NACHA: "ach", BankFileFormat.PAIN_001: "xml"}


def limit_total(due: Sequence[BankPayment]) -> Sequence[BankPayment]:
    """Return the first payments with a sum that fits into the total field of a file."""
    sums = accumulate(each.money.units for each in due)
    fit = [each for each, total in zip(due, sums, strict=True) if total <= BATCH_CENTS_MAX]
    return fit or due[:1]


def new_file(
    file_id: UUID,
    account: FundingAccountView,
    payments: Sequence[BankPayment],
    *,
    number: int,
    at: datetime,
) -> BankFile:
    """Return the next file of an account, with these payments of one rail."""
    first = payments[0]
    # Part of the file name that identifies the account, since several may share a transport.
    mark = account.id.hex[-8:]
    name = f"{number:06d}-{account.currency}-{first.rail}-{mark}.{_ENDINGS[first.format]}"
    return BankFile(
        org_id=account.org_id,
        id=file_id,
        account_id=account.id,
        number=number,
        name=name,
        format=first.format,
        rail=first.rail,
        is_same_day=first.is_same_day,
        execution_date=_execution_date(first, account.currency, at),
        count=len(payments),
        units=sum(each.money.units for each in payments),
        digest=None,
        size=None,
        created_at=at,
        delivered_at=None,
    )


def _execution_date(payment: BankPayment, currency: str, at: datetime) -> date:
    """Return the settlement date of an ACH file, or the date on which the bank sends another."""
    if payment.format is BankFileFormat.NACHA:
        return effective_on(at, is_same_day=payment.is_same_day)
    zone = FRANKFURT if currency == "eur" else NEW_YORK
    return cut_off(payment.rail, at).astimezone(zone).date()
