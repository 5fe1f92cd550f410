"""Head of a payment's page: its three milestones, and what was charged of what was sent."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from landbridge.payments.engine.timelines import TimelineReply
from landbridge.payments.transactions.detail_schemas import ChangeReply
from landbridge.payments.transactions.schemas import TransactionReply

_STARTED: Final = 2


@dataclass(frozen=True, slots=True)
class Milestone:
    """Status that was reached at a time, is under way, or None for an end that is yet to come."""

    status: str | None
    at: str | None
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class ChargedAmount:
    """Gross amount of the source, the fees that are part of it, and the rest."""

    gross: str
    fee: str | None
    net: Decimal
    currency: str


def milestones(steps: Sequence[ChangeReply], timeline: TimelineReply) -> Sequence[Milestone]:
    """Return beginning, middle and end; an ended payment of one step has one, of two steps two."""
    found = [Milestone(each.status_after, each.at) for each in steps]
    first, last = found[0], found[-1]
    if timeline.waits_for:
        now = Milestone(last.status, last.at, is_current=True)
        return [*([first] if len(found) > 1 else []), now, Milestone(None, None)]
    return [first, *found[-2:]] if len(found) > _STARTED else found


def charged_amount(line: TransactionReply) -> ChargedAmount:
    """Return gross, fee and net of a payment's line."""
    gross, fee = line.source.amount, line.fee.amount if line.fee else None
    net = Decimal(gross) - Decimal(fee or 0)
    return ChargedAmount(gross, fee, net, line.source.currency)
