"""What knowing prices can come to, besides a price."""

from landbridge.core.errors import LandbridgeError


class RatesRefused(LandbridgeError):
    """What was fetched or loaded is not what it should be; the sentence says why."""


class PriceWithheld(LandbridgeError):
    """There is no telling what this is worth now; the sentence says why. Ask again later."""
