"""Routes of the providers file: what a provider serves, and for which organisations."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from landbridge.providers.kyt.port import ScreeningDirection
from landbridge.providers.rails.port import PayoutDestination


@dataclass(frozen=True, slots=True, kw_only=True)
class PayoutRoute:
    """Payouts that providers serve, in their order; None of a set means all.

    Countries are ISO 3166-1 alpha-3 codes of the account holder's address.
    """

    providers: tuple[str, ...]
    rails: frozenset[str] | None
    currencies: frozenset[str] | None
    countries: frozenset[str] | None
    organisations: frozenset[UUID] | None

    def matches(self, destination: PayoutDestination) -> bool:
        """Return whether payouts to a destination belong to this route."""
        return (
            is_in(self.rails, destination.rail.lower())
            and is_in(self.currencies, destination.currency)
            and is_in(self.organisations, destination.org_id)
            and (self.countries is None or _country(destination) in self.countries)
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class DepositRoute:
    """Deposits that a provider takes; None of a set means all."""

    provider: str
    currencies: frozenset[str] | None
    organisations: frozenset[UUID] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScreeningRoute(DepositRoute):
    """Deposits, payments or both that a provider screens.

    Of an organisation's deposits of less than one coin, or one unit of a currency, `small_per_day`.
    """

    directions: frozenset[ScreeningDirection]
    small_per_day: int


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityRoute:
    """Users that a provider verifies; None of a set means all. Rails are those of verification."""

    provider: str
    rails: frozenset[str] | None
    organisations: frozenset[UUID] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TravelRoute:
    """Organisations with travel rule messages by a provider; None means all."""

    provider: str
    organisations: frozenset[UUID] | None


def is_in(choice: frozenset[str] | frozenset[UUID] | None, value: object) -> bool:
    """Return whether a value belongs to the choice of a route."""
    return choice is None or value in choice


def _country(destination: PayoutDestination) -> str | None:
    """Return the country of the account holder's address, if there is one."""
    holder: Mapping[str, Any] = destination.payee.get("accountHolder") or {}
    address: Mapping[str, Any] = holder.get("address") or {}
    return address.get("country")
