"""Converts credits on bank statements into reports of deposits."""

from datetime import UTC, datetime, time, timedelta

from landbridge.payments.bank_files.funding_account import FundingAccount
from landbridge.payments.bank_files.statement_line_model import StatementLineTexts
from landbridge.payments.bank_files.statement_line_store import SealedStatementLine
from landbridge.payments.incoming_payments.model import IncomingPaymentSender, ReportedCredit
from landbridge.platform.core.errors import InvariantBroken
from landbridge.providers.rails.calendar import FRANKFURT, NEW_YORK

# Digits of the line id that end a deposit's reference: banks use one reference for several credits.
_TAIL = 12
# Time zone of the bank's day, by account currency; UTC for all others.
_ZONES = {"usd": NEW_YORK, "eur": FRANKFURT}
_DAY = timedelta(days=1)


def build_deposit(
    own: FundingAccount, line: SealedStatementLine, texts: StatementLineTexts, at: datetime
) -> ReportedCredit:
    """Build the deposit of a credit on our account; `at` is the time of recording."""
    if line.money is None:
        raise InvariantBroken(f"line {line.id} is a credit of nothing")
    return ReportedCredit(
        org_id=line.org_id,
        # The bank's reference, and a suffix that makes it unique.
        bank_reference=f"{texts.bank_reference or 'line'}/{line.id.hex[-_TAIL:]}",
        account_number=_number(own, texts),
        reference=texts.remittance or texts.end_to_end_id,
        money=line.money,
        rail=texts.rail or "",
        sender=IncomingPaymentSender(
            name=texts.party_name,
            routing_number=texts.party_bank,
            account_number=texts.party_account,
        ),
        description=texts.end_to_end_id,
        at=at,
        arrived_at=_arrived_at(line, at),
    )


def _arrived_at(line: SealedStatementLine, at: datetime) -> datetime:
    """Return the end of the booking day, or `at` if that is earlier."""
    # A bank may write any day, even one in the far future.
    if line.booked_on is None or line.booked_on > at.date():
        return at
    zone = _ZONES.get(line.currency, UTC)
    return min(at, datetime.combine(line.booked_on + _DAY, time(), zone).astimezone(UTC))


def _number(own: FundingAccount, texts: StatementLineTexts) -> str:
    """Return the account number that the payer named, or the account's own if there is none."""
    number = "".join((texts.account_number or "").split()).upper()
    return own.number if not number or own.is_number(number) else number
