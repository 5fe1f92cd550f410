"""Configuration of providers: reads and validates the providers file.

Guarantees:
- every mistake is a `ProvidersFileError` whose sentence names the value;
- unknown members are refused, so a mistyped optional member is not ignored;
- secrets are in files of their own, and appear in no error, repr or log.

Routes say what a provider serves, and for which organisations.
"""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar
from uuid import UUID

import msgspec
from msgspec import Meta

from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.db.sealing import new_key
from landbridge.platform.formats.addresses import find_alpha2
from landbridge.platform.http.egress_addresses import AddressRefused, read_operator_url
from landbridge.providers.chains.tokens import ASSETS
from landbridge.providers.kyt.port import ScreeningDirection
from landbridge.providers.rails.currencies import FIAT
from landbridge.providers.rails.port import PayoutDestination
from landbridge.providers.sidecar.sidecar_settings import POLL_S, PackageReference, SidecarSettings
from landbridge.providers.sidecar.signing import SigningSecret

# Values to which a route applies; None means all.
Choice = Annotated[frozenset[str], Meta(min_length=1)] | None
Organisations = Annotated[frozenset[UUID], Meta(min_length=1)] | None


class PayoutRoute(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Route of payouts to providers, in their order; None in a member means all.

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
    """Route to one provider for all organisations, such as that of rates."""

    provider: str


class DepositRoute(ProviderRoute, frozen=True, kw_only=True):
    """Route of deposits to a provider; None in a member means all."""

    currencies: Choice = None
    organisations: Organisations = None


class ScreeningRoute(DepositRoute, frozen=True, kw_only=True):
    """Route of deposits, payments or both to the provider that screens them.

    Small deposits, of less than one coin or one unit of a currency, are screened up to
    `small_per_day` for each organisation.
    """

    directions: Annotated[frozenset[ScreeningDirection], Meta(min_length=1)] = frozenset(
        {ScreeningDirection.DEPOSIT}
    )
    small_per_day: Annotated[int, Meta(ge=1, le=1_000_000)] = 1_000


class IdentityRoute(ProviderRoute, frozen=True, kw_only=True):
    """Route of users to the provider that verifies them; None in a member means all.

    Rails are those of verification.
    """

    rails: Choice = None
    organisations: Organisations = None


class TravelRoute(ProviderRoute, frozen=True, kw_only=True):
    """Route of travel rule messages to a provider; None means all organisations."""

    organisations: Organisations = None


def is_in(choice: frozenset[str] | frozenset[UUID] | None, value: object) -> bool:
    """Return whether a route's choice includes a value; None includes every value."""
    return choice is None or value in choice


def _country(destination: PayoutDestination) -> str | None:
    """Return the country of the account holder's address; None without an address."""
    holder: Mapping[str, Any] = destination.payee.get("accountHolder") or {}
    address: Mapping[str, Any] = holder.get("address") or {}
    return address.get("country")


R = TypeVar("R", bound=DepositRoute)

_SECRET_LENGTH_MIN = 32
_SECRET_LENGTH_MAX = 1000
# Below the time after which a step stops waiting for a provider, so that our own timeout ends a
# call.
_TIMEOUT_S_MAX = 30
# The same for a provider that verifies users, for which a step waits less long.
_IDENTITY_TIMEOUT_S_MAX = 15
_POLL_S_MAX = 3600
_NAME_FORM = re.compile(r"[a-z][a-z0-9-]{0,39}", re.ASCII)
_KEY_ID_FORM = re.compile(r"[A-Za-z0-9._-]{1,40}", re.ASCII)
_PACKAGE_FORM = re.compile(r"[A-Za-z0-9._-]{1,100}", re.ASCII)


class ProvidersFileError(LandbridgeError):
    """The providers file is invalid; the sentence begins with the path of the value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvidersFile:
    """Sidecars by name, and routes to them. Of several routes that match, the first one counts."""

    sidecars: Mapping[str, SidecarSettings]
    routes: tuple[PayoutRoute, ...]
    deposits: tuple[DepositRoute, ...] = ()
    screenings: tuple[ScreeningRoute, ...] = ()
    identity: tuple[IdentityRoute, ...] = ()
    rates: str | None = None
    travel_rule: TravelRoute | None = None

    def providers_for(self, destination: PayoutDestination) -> tuple[str, ...]:
        """Return the providers for payouts to a destination, in order; none if no route matches."""
        return next((each.providers for each in self.routes if each.matches(destination)), ())

    def deposit_provider(self, org_id: UUID, currency: str) -> str | None:
        """Return the provider of an organisation's deposits in a currency; None without a route."""
        route = _first(self.deposits, org_id, currency)
        return route and route.provider

    def screening_route(
        self, org_id: UUID, currency: str, direction: ScreeningDirection
    ) -> ScreeningRoute | None:
        """Return the route that screens deposits or payments in a currency; None without one."""
        return _first(self.screenings_of(direction), org_id, currency)

    def identity_provider(self, org_id: UUID, rail: str) -> str | None:
        """Return who verifies an organisation's users for a rail, if a route says."""
        return next(
            (
                each.provider
                for each in self.identity
                if is_in(each.rails, rail) and is_in(each.organisations, org_id)
            ),
            None,
        )

    def travel_provider(self, org_id: UUID) -> str | None:
        """Return the provider of an organisation's travel rule messages; None without a route."""
        route = self.travel_rule
        return route.provider if route and is_in(route.organisations, org_id) else None

    def verbs_of(self, provider: str) -> frozenset[str]:
        """Return the verbs that a package must serve, because routes lead to it."""
        verbs: set[str] = set()
        if any(provider in each.providers for each in self.routes):
            verbs |= {"pay", "find_payout"}
        if any(provider == each.provider for each in self.deposits):
            verbs |= {"open_account", "read_credits"}
        if any(provider == each.provider for each in self.screenings):
            verbs |= {"screen", "find_screening"}
        if any(provider == each.provider for each in self.identity):
            verbs |= {"create_application", "attach_document"}
            verbs |= {"submit_application", "find_application"}
        if provider == self.rates:
            verbs |= {"read_rates"}
        if self.travel_rule is not None and provider == self.travel_rule.provider:
            verbs |= {"send_inquiry", "resolve_inquiry", "confirm_transfer", "read_inbox"}
        return frozenset(verbs)

    def screenings_of(self, direction: ScreeningDirection) -> Sequence[ScreeningRoute]:
        """Return the routes that screen deposits, or those that screen payments."""
        return [each for each in self.screenings if direction in each.directions]


class _KeyTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    id: str
    secret_file: str


class _SidecarTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    url: str | None = None
    keys: Annotated[list[_KeyTable], Meta(min_length=1, max_length=2)] | None = None
    package: str | None = None
    options: dict[str, Any] | None = None
    secret_files: dict[str, str] | None = None
    timeout_s: Annotated[int, Meta(ge=1, le=_TIMEOUT_S_MAX)] = 10
    poll_s: Annotated[int, Meta(ge=1, le=_POLL_S_MAX)] = POLL_S


class _Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    providers: dict[str, _SidecarTable]
    payouts: tuple[PayoutRoute, ...] = ()
    deposits: tuple[DepositRoute, ...] = ()
    screenings: tuple[ScreeningRoute, ...] = ()
    identity: tuple[IdentityRoute, ...] = ()
    rates: ProviderRoute | None = None
    travel_rule: TravelRoute | None = None


def read_providers_file(path: Path) -> ProvidersFile:
    """Read a providers file with the secrets that it names.

    Paths of secrets are relative to the file's folder.

    Raises:
        ProvidersFileError: A file can't be read, or a value is not valid.
    """
    try:
        document = msgspec.convert(tomllib.loads(_text(path)), _Document)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ProvidersFileError(f"the providers file is not valid TOML: {error}") from error
    except msgspec.ValidationError as error:
        raise ProvidersFileError(f"the providers file: {error}") from None
    if not document.providers:
        raise ProvidersFileError("providers must have at least one provider")
    sidecars = {
        name: _sidecar(name, table, path.parent) for name, table in document.providers.items()
    }
    for place, payouts in enumerate(document.payouts):
        _check_payouts(f"payouts[{place}]", payouts, sidecars)
    for place, deposits in enumerate(document.deposits):
        _check_name(f"deposits[{place}].provider", deposits.provider, sidecars)
        _check_currencies(f"deposits[{place}]", deposits.currencies, FIAT)
    if document.rates is not None:
        _check_name("rates.provider", document.rates.provider, sidecars)
    coins = {asset.currency for asset in ASSETS.values()}
    for place, screenings in enumerate(document.screenings):
        _check_name(f"screenings[{place}].provider", screenings.provider, sidecars)
        _check_currencies(f"screenings[{place}]", screenings.currencies, sorted({*FIAT, *coins}))
    for place, identity in enumerate(document.identity):
        _check_identity(f"identity[{place}].provider", identity.provider, sidecars)
    if document.travel_rule is not None:
        _check_name("travel_rule.provider", document.travel_rule.provider, sidecars)
    return ProvidersFile(
        sidecars=sidecars,
        routes=tuple(map(_with_lower_rails, document.payouts)),
        deposits=document.deposits,
        screenings=document.screenings,
        identity=document.identity,
        rates=None if document.rates is None else document.rates.provider,
        travel_rule=document.travel_rule,
    )


def _sidecar(name: str, table: _SidecarTable, folder: Path) -> SidecarSettings:
    path = f"providers.{name}"
    if not _NAME_FORM.fullmatch(name):
        raise ProvidersFileError(
            "providers: a name has up to 40 small letters, digits and hyphens, and begins with a "
            "letter"
        )
    if (table.url is None) == (table.package is None):
        raise ProvidersFileError(f"{path} must have url or package, and not both")
    if table.package is not None:
        return _package(name, table, table.package, folder)
    if table.options is not None or table.secret_files is not None:
        raise ProvidersFileError(f"{path} has options or secret_files, which only a package has")
    try:
        url = read_operator_url(table.url or "")
    except AddressRefused as refused:
        raise ProvidersFileError(f"{path}.url {refused}") from None
    keys = tuple(_keys(path, table.keys or (), folder))
    if not keys:
        raise ProvidersFileError(f"{path} must have keys")
    if len({each.id for each in keys}) < len(keys):
        raise ProvidersFileError(f"{path}.keys has one id twice")
    return SidecarSettings(
        name=name, url=url, keys=keys, timeout_s=table.timeout_s, poll_s=table.poll_s
    )


def _package(name: str, table: _SidecarTable, package: str, folder: Path) -> SidecarSettings:
    path = f"providers.{name}"
    if table.keys is not None:
        raise ProvidersFileError(f"{path} has keys, which only a sidecar has")
    if not _PACKAGE_FORM.fullmatch(package):
        raise ProvidersFileError(
            f"{path}.package must have 1 to 100 letters, digits, dots, underscores and hyphens"
        )
    secrets = {
        each: _text(folder / file).strip() for each, file in (table.secret_files or {}).items()
    }
    return SidecarSettings(
        name=name,
        url="",
        keys=(SigningSecret("process", new_key().hex().encode()),),
        timeout_s=table.timeout_s,
        poll_s=table.poll_s,
        package=PackageReference(name=package, options=table.options or {}, secrets=secrets),
    )


def _keys(path: str, tables: Sequence[_KeyTable], folder: Path) -> Iterator[SigningSecret]:
    for place, key in enumerate(tables):
        shown = f"{path}.keys[{place}]"
        if not _KEY_ID_FORM.fullmatch(key.id):
            raise ProvidersFileError(
                f"{shown}.id must have 1 to 40 letters, digits, dots, underscores and hyphens"
            )
        secret = _text(folder / key.secret_file).strip()
        if not _SECRET_LENGTH_MIN <= len(secret) <= _SECRET_LENGTH_MAX:
            raise ProvidersFileError(
                f"{shown}.secret_file must hold {_SECRET_LENGTH_MIN} to {_SECRET_LENGTH_MAX} "
                "characters"
            )
        yield SigningSecret(key.id, secret.encode())


def _with_lower_rails(route: PayoutRoute) -> PayoutRoute:
    if route.rails is None:
        return route
    return msgspec.structs.replace(route, rails=frozenset(each.lower() for each in route.rails))


def _check_payouts(path: str, route: PayoutRoute, known: Mapping[str, object]) -> None:
    for name in route.providers:
        _check_name(f"{path}.providers", name, known)
    if len(set(route.providers)) < len(route.providers):
        raise ProvidersFileError(f"{path}.providers has one name twice")
    _check_currencies(path, route.currencies, FIAT)
    for country in route.countries or ():
        if find_alpha2(country) is None:
            raise ProvidersFileError(
                f'{path}.countries has {country}, which is no code of three letters, as in "BRA"'
            )


def _check_identity(path: str, name: str, known: Mapping[str, SidecarSettings]) -> None:
    _check_name(path, name, known)
    if known[name].timeout_s > _IDENTITY_TIMEOUT_S_MAX:
        raise ProvidersFileError(
            f"{path} names {name}, whose timeout_s must be {_IDENTITY_TIMEOUT_S_MAX} or less: "
            "steps of verifications wait no longer"
        )


def _check_name(path: str, name: str, known: Mapping[str, object]) -> None:
    if name not in known:
        raise ProvidersFileError(f"{path} names {name}, which providers has not")


def _check_currencies(
    path: str, currencies: Collection[str] | None, known: Collection[str]
) -> None:
    for currency in currencies or ():
        if currency not in known:
            raise ProvidersFileError(
                f"{path}.currencies has {currency}; there are {', '.join(known)}"
            )


def _first(routes: Sequence[R], org_id: UUID, currency: str) -> R | None:
    """Return the first route that matches; None if none does."""
    for each in routes:
        if is_in(each.currencies, currency) and is_in(each.organisations, org_id):
            return each
    return None


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise ProvidersFileError(f"{path} can't be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ProvidersFileError(f"{path} is not UTF-8 text") from error
