"""Fees that a bank may deduct from a payment that comes back."""

import pytest

from landbridge.payments.bank_files.line_refusals import FEE_MAX
from landbridge.providers.rails.currencies import FIAT


@pytest.mark.parametrize("currency", FIAT)
def test_each_currency_has_a_highest_fee(currency: str) -> None:
    assert FEE_MAX[currency] > 0
