"""Pauses between questions, and the identity of a destination."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from landbridge.customers.payment_screening.model import ScreenedDestination, retry_at
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.providers.chains.tokens import TOKENS, Chain

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
USDC = TOKENS[Chain.POLYGON, "usdc"].asset


@pytest.mark.parametrize(
    ("waited", "pause"),
    [
        (timedelta(), timedelta(seconds=5)),
        (timedelta(seconds=5), timedelta(seconds=5)),
        (timedelta(minutes=2), timedelta(minutes=2)),
        (timedelta(days=2), timedelta(minutes=5)),
    ],
)
def test_a_payment_asks_again_after_a_pause_that_grows(waited: timedelta, pause: timedelta) -> None:
    assert retry_at(NOW - waited, NOW) == NOW + pause


def test_a_destination_of_a_payment_has_one_screening() -> None:
    destination = ScreenedDestination(
        org_id=new_id(), payment_id=new_id(), name="POLYGON/0x1", money=Money(1, USDC)
    )
    again = replace(destination, money=Money(2, USDC), source_address="0x2")
    assert again.screening_id == destination.screening_id
    for other in (replace(destination, name="BASE/0x1"), replace(destination, payment_id=new_id())):
        assert other.screening_id != destination.screening_id
