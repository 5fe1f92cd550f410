"""Policies of organisations on addresses outside the platform."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressPolicy:
    """Policy of an organisation; addresses as `comparable_address` returns them.

    An empty `allowed_addresses` allows all. An address is new for `new_address_hours` after its
    registration (0: never), and one payment to it moves at most `new_address_amount_max` coins.
    `version` is 0 if no policy was ever set.
    """

    blocked_addresses: tuple[str, ...] = ()
    allowed_addresses: tuple[str, ...] = ()
    new_address_hours: int = 0
    new_address_amount_max: int = 0
    version: int = 0
