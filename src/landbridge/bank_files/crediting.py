"""A credit of a statement as the deposit that it is."""

from datetime import UTC, datetime, time, timedelta

from landbridge.bank_files.funding import FundingAccount
from landbridge.bank_files.line_model import LineWords
from landbridge.bank_files.line_store import SealedLine
from landbridge.core.errors import Broken
from landbridge.rails.calendar import FRANKFURT, NEW_YORK
from landbridge.receipts.model import Sender, Told

# What of a line's id is by chance: enough to tell credits of one name apart.
_TAIL = 12
# Where a bank's day ends, by the currency of the account; all others by UTC.
_ZONES = {"usd": NEW_YORK, "eur": FRANKFURT}
_DAY = timedelta(days=1)


def deposit_of(own: FundingAccount, line: SealedLine, words: LineWords, at: datetime) -> Told:
    """What receipts are told of a credit on our account; `at` is when they are."""
    if line.money is None:
        raise Broken(f"line {line.id} is a credit of nothing")
    return Told(
        org_id=line.org_id,
        # The bank's own name for it, and what tells it from others of that name.
        bank_reference=f"{words.bank_reference or 'line'}/{line.id.hex[-_TAIL:]}",
        account_number=_number(own, words),
        reference=words.remittance or words.end_to_end_id,
        money=line.money,
        rail=words.rail or "",
        sender=Sender(
            name=words.party_name,
            routing_number=words.party_bank,
            account_number=words.party_account,
        ),
        description=words.end_to_end_id,
        at=at,
        arrived_at=_arrived_at(line, at),
    )


def _arrived_at(line: SealedLine, at: datetime) -> datetime:
    """By when the bank had it: the end of the day on which it booked it, or sooner if read then."""
    if line.booked_on is None:
        return at
    zone = _ZONES.get(line.currency, UTC)
    return min(at, datetime.combine(line.booked_on + _DAY, time(), zone).astimezone(UTC))


def _number(own: FundingAccount, words: LineWords) -> str:
    """Ours that the payer named; if none, that of the account itself."""
    told = "".join((words.account_number or "").split()).upper()
    return own.number if not told or own.is_number(told) else told
