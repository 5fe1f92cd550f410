"""Errors of rates."""

from landbridge.platform.core.errors import LandbridgeError


class RatesRejected(LandbridgeError):
    """Fetched or loaded rates are invalid; the sentence has the reason."""


class PriceUnavailable(LandbridgeError):
    """No price is available now; the sentence has the reason. Retry later."""
