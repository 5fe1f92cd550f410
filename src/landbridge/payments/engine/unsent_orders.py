"""Unsent orders: orders that wait for a screening, or for the end of a halt of their asset.

A fact of the record marks that it waits for a screening (customers/payment_screening). If the
platform is restarted without a screening provider, the order is therefore still not sent.
"""

from datetime import datetime, timedelta
from typing import Any

from landbridge.customers.payment_screening.model import AWAITS, is_awaiting
from landbridge.ledger.model import Transfer
from landbridge.payments.engine.attention import attention
from landbridge.payments.engine.retry_until_settled import mark_unsent
from landbridge.providers.chains.port import OrderHalted
from landbridge.providers.kyt.port import PaymentAwaitsScreening

_UNSCREENED_PAUSE = timedelta(hours=1)
_UNSCREENED = "its screening has not ended, and nobody screens payments any more: configure it"


UNSENT = (PaymentAwaitsScreening, OrderHalted)


def unsent_facts(record: Transfer, waiting: PaymentAwaitsScreening | OrderHalted) -> dict[str, Any]:
    """Return the facts of an order that waits: the provider has no order under its key."""
    if isinstance(waiting, OrderHalted):
        return mark_unsent()
    facts = {AWAITS: record.version, **mark_unsent()}
    if waiting.attention is not None:
        facts |= attention(record, waiting.attention)
    return facts


def check_screener(record: Transfer, at: datetime, *, has_screener: bool) -> None:
    """Raise `PaymentAwaitsScreening` if the order waits for a screening that no provider makes."""
    if not has_screener and is_awaiting(record):
        raise PaymentAwaitsScreening(at + _UNSCREENED_PAUSE, _UNSCREENED)
