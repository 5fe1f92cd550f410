"""Routes of the providers file: what a provider serves, and for which organisations.

They are decoded as they are in the file; `configuration.py` checks their names and codes.
"""

from collections.abc import Mapping
from typing import Annotated, Any
from uuid import UUID

import msgspec
from msgspec import Meta

from landbridge.providers.kyt.port import ScreeningDirection
from landbridge.providers.rails.port import PayoutDestination

# Of a route; None means all.
Choice = Annotated[frozenset[str], Meta(min_length=1)] | None
Organisations = Annotated[frozenset[UUID], Meta(min_length=1)] | None


class PayoutRoute(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Payouts that providers serve, in their order; None of a set means all.

    Countries are ISO 3166-1 alpha-3 codes of the account holder's address.
    """

    providers: Annotated[tuple[str, ...], Meta(min_length=1, max_length=5)]
    rails: Choice = None
    currencies: Choice = None
    countries: Choice = None
    organisations: Organisations = None

    def matches(self, destination: PayoutDestination) -> bool:
        """Return whether payouts to a destination belong to this route."""
        return (
            is_in(self.rails, destination.rail.lower())
            and is_in(self.currencies, destination.currency)
            and is_in(self.organisations, destination.org_id)
            and (self.countries is None or _country(destination) in self.countries)
        )


class ProviderRoute(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What one provider serves for all organisations, such as rates."""

    provider: str


class DepositRoute(ProviderRoute, frozen=True, kw_only=True):
    """Deposits that a provider takes; None of a set means all."""

    currencies: Choice = None
    organisations: Organisations = None


class ScreeningRoute(DepositRoute, frozen=True, kw_only=True):
    """Deposits, payments or both that a provider screens.

    Of an organisation's deposits of less than one coin, or one unit of a currency, `small_per_day`.
    """

    directions: Annotated[frozenset[ScreeningDirection], Meta(min_length=1)] = frozenset(
        {ScreeningDirection.DEPOSIT}
    )
    small_per_day: Annotated[int, Meta(ge=1, le=1_000_000)] = 1_000


class IdentityRoute(ProviderRoute, frozen=True, kw_only=True):
    """Users that a provider verifies; None of a set means all. Rails are those of verification."""

    rails: Choice = None
    organisations: Organisations = None


class TravelRoute(ProviderRoute, frozen=True, kw_only=True):
    """Organisations with travel rule messages by a provider; None means all."""

    organisations: Organisations = None


def is_in(choice: frozenset[str] | frozenset[UUID] | None, value: object) -> bool:
    """Return whether a value belongs to the choice of a route."""
    return choice is None or value in choice


def _country(destination: PayoutDestination) -> str | None:
    """Return the country of the account holder's address, if there is one."""
    holder: Mapping[str, Any] = destination.payee.get("accountHolder") or {}
    address: Mapping[str, Any] = holder.get("address") or {}
    return address.get("country")
