"""Recipients of a user's latest payments, each as a link that fills the form."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlencode
from uuid import UUID

from landbridge.dashboard.payment_lines import read_lines, recipient_of
from landbridge.dashboard.payments.kinds import BRIDGE, OFFRAMP, TRANSFER, PaymentFormKind
from landbridge.dashboard.payments.payment_details import read_payment
from landbridge.dashboard.transactions.repeat_links import repeat_link
from landbridge.payments.transactions.schemas import TransactionReply
from landbridge.platform.http.internal_client import InternalClient

RECIPIENTS_MAX: Final = 5
_PAYMENTS_READ: Final = 25
# Of other kinds, the money stays with the user.
_KINDS: Final = frozenset({TRANSFER.name, BRIDGE.name, OFFRAMP.name})
# What belongs to the earlier payment.
_DROPPED: Final = frozenset({"amount", "exact"})


@dataclass(frozen=True, slots=True)
class RecentRecipient:
    """Recipient of a payment, with the summary that names it, and the filled form."""

    line: TransactionReply
    path: str


async def recent_recipients(
    interface: InternalClient, kind: PaymentFormKind, user_id: UUID
) -> Sequence[RecentRecipient]:
    """Return the recipients of the latest payments of this kind, the newest first, each once."""
    if kind.name not in _KINDS:
        return ()
    found = await read_lines(
        interface, type=kind.transfer_type, userId=str(user_id), limit=_PAYMENTS_READ
    )
    lines: dict[tuple[UUID | str | None, ...], TransactionReply] = {}
    for each in found.data:
        to = recipient_of(each)
        if to.account_id or to.user_id != user_id:
            lines.setdefault((to.account_id, to.user_id, to.address), each)
    first = list(lines.values())[:RECIPIENTS_MAX]
    replies = await asyncio.gather(
        *(read_payment(interface, kind.transfer_type, each.id) for each in first)
    )
    links = (repeat_link(kind.transfer_type, each.transfer_details) for each in replies)
    return [
        RecentRecipient(line, _without_amount(link))
        for line, link in zip(first, links, strict=True)
        if link is not None
    ]


def _without_amount(link: str) -> str:
    path, _, query = link.partition("?")
    return f"{path}?{urlencode([each for each in parse_qsl(query) if each[0] not in _DROPPED])}"
