"""Overview of connected providers: sidecars, and the bank and identity provider of the settings."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.customers.verification.model import KycStatus
from landbridge.payments.provider_operations.model import (
    ProviderHealth,
    ProviderKind,
    ProviderService,
    ProviderState,
    ServedRoute,
    WaitingItem,
)
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import Caller
from landbridge.providers.kyt.port import ScreeningDirection
from landbridge.providers.sidecar.calls import CallCounts
from landbridge.providers.sidecar.configuration import ProvidersFile, SidecarSettings
from landbridge.providers.sidecar.model import WaitingOrders, overdue_at
from landbridge.providers.sidecar.overview import SidecarOverviews

_BANK_PAYMENTS = """
select record_id, rail, is_same_day, queued_at, count(*) over () as waiting
from bank_payments
where org_id = $1 and status in ('QUEUED', 'WRITTEN') and not is_prenote
order by queued_at limit $2
"""

_LAST_FILE_AT = "select max(started_at) from bank_inbound_files where org_id = $1"

_HAS_SETTLED = """
select exists (select from bank_payments where org_id = $1 and status = 'SETTLED' and units > 0)
"""

_IS_ALONE = "select count(*) = 1 from (select from orgs limit 2) found"

# Verification cases that wait for the identity provider of the settings, not for a connected one.
_CASES = """
select c.user_id, c.updated_at, count(*) over () as waiting
from kyc_cases c
where c.org_id = $1 and c.status = any($2::text[]) and c.sealed_snapshot is not null
    and (c.status = 'MANUAL_REVIEW' or not exists (
        select from provider_applications a
        where a.org_id = c.org_id and a.case_id = c.id
            and a.state in ('ASKED', 'CREATED', 'PENDING')
    ))
order by c.updated_at limit $3
"""

# The users who have waited the longest for each provider, with the number of all. Only the newest
# application of a case counts.
_APPLICATIONS = """
select provider, user_id, submitted_at, problem, waiting
from (
    select provider, user_id, submitted_at, problem,
        row_number() over (partition by provider order by submitted_at) as place,
        count(*) over (partition by provider) as waiting
    from (
        select distinct on (a.case_id) a.provider, c.user_id, c.submitted_at, a.problem
        from provider_applications a
        join kyc_cases c on c.org_id = a.org_id and c.id = a.case_id
        where a.org_id = $1 and a.state in ('ASKED', 'CREATED', 'PENDING')
            and c.status in ('CREATED', 'PENDING') and c.sealed_snapshot is not null
        order by a.case_id, a.created_at desc
    ) n
) w
where place <= $2 order by provider, place
"""

# Waiting items that are shown of each provider, the oldest first.
WAITING_MAX = 10
# Time after which a verification by people counts as stuck.
_REVIEW_WITHIN = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderOperations:
    """Reads the state of providers; `bank` and `identity` are the providers of the settings.

    `routes` is None without a providers file. No provider is called: its health is known from the
    last calls of all processes.
    """

    database: Database
    clock: Clock
    routes: ProvidersFile | None
    bank: ProviderKind | None
    identity: ProviderKind
    is_production: bool

    async def all(self, caller: Caller) -> Sequence[ProviderState]:
        """Return every provider: sidecars in the order of their file, then those of the settings.

        Call counts are of all organisations, so only an admin of the only organisation gets them.
        """
        found = await self._sidecars(caller)
        bank, identity = await self._bank(caller), await self._identity(caller)
        return [*found, *([] if bank is None else [bank]), identity]

    async def _sidecars(self, caller: Caller) -> list[ProviderState]:
        if self.routes is None:
            return []
        org_id, now = caller.org_id, self.clock.now(caller.clock_offset)
        overviews = SidecarOverviews(self.database, self.clock, self.routes)
        shows_calls = caller.is_admin and await self.database.single(
            lambda tx: tx.fetchval(_IS_ALONE)
        )
        counts, users = await self._users(org_id, now)
        return [
            ProviderState(
                name=each.name,
                kind=_kind(self.routes.sidecars[each.name]),
                serves=[
                    *_served(self.routes, each.name, org_id),
                    *_served_alone(self.routes, each.name, org_id),
                ],
                calls=each.calls if shows_calls else None,
                health=_health(each.calls),
                last_answer_at=each.calls.answered_at,
                problem_count=each.problem_count,
                has_run_live=self.is_production and each.has_run_live,
                waiting_count=each.waiting.count + counts.get(each.name, 0),
                waiting=_oldest([*_items(each.waiting, now), *users.get(each.name, ())]),
            )
            for each in await overviews.of(org_id, limit=WAITING_MAX)
        ]

    async def _users(
        self, org_id: UUID, now: datetime
    ) -> tuple[Mapping[str, int], Mapping[str, Sequence[WaitingItem]]]:
        """Return how many users wait for each sidecar to verify them, and the oldest of them."""
        counts, users = dict[str, int](), defaultdict[str, list[WaitingItem]](list)
        for row in await self.database.single(
            lambda tx: tx.fetch(_APPLICATIONS, org_id, WAITING_MAX)
        ):
            name, at = row["provider"], row["submitted_at"]
            counts[name] = row["waiting"]
            is_stuck = at + _REVIEW_WITHIN < now
            users[name].append(
                WaitingItem(at, is_stuck, user_id=row["user_id"], problem=row["problem"])
            )
        return counts, users

    async def _bank(self, caller: Caller) -> ProviderState | None:
        """Return the state of the settings' bank, which serves what no route names, if any."""
        if self.bank is None:
            return None
        org_id, now = caller.org_id, self.clock.now(caller.clock_offset)
        read = self.database.single
        last_at: datetime | None = None
        has_settled, waiting, count = False, list[WaitingItem](), 0
        if self.bank is ProviderKind.FILES:
            last_at = await read(lambda tx: tx.fetchval(_LAST_FILE_AT, org_id))
            has_settled = await read(lambda tx: tx.fetchval(_HAS_SETTLED, org_id))
            rows = await read(lambda tx: tx.fetch(_BANK_PAYMENTS, org_id, WAITING_MAX))
            for row in rows:
                at, count = row["queued_at"], row["waiting"]
                until = overdue_at(row["rail"], at, is_same_day=row["is_same_day"])
                waiting.append(WaitingItem(at, until < now, record_id=row["record_id"]))
        is_fallback = self.routes is not None
        return ProviderState(
            name=self.bank.value.lower(),
            kind=self.bank,
            serves=[
                ServedRoute(service=each, is_fallback=is_fallback)
                for each in (ProviderService.PAYOUTS, ProviderService.DEPOSITS)
            ],
            health=ProviderHealth.UNKNOWN if last_at is None else ProviderHealth.HEALTHY,
            last_answer_at=last_at,
            calls=None,
            waiting_count=count,
            waiting=waiting,
            problem_count=0,
            has_run_live=self.is_production and has_settled,
        )

    async def _identity(self, caller: Caller) -> ProviderState:
        """Return the state of the provider for users without a route: people, or the sandbox."""
        statuses = [KycStatus.CREATED, KycStatus.PENDING, KycStatus.MANUAL_REVIEW]
        now = self.clock.now(caller.clock_offset)
        rows = await self.database.single(
            lambda tx: tx.fetch(_CASES, caller.org_id, statuses, WAITING_MAX)
        )
        return ProviderState(
            name=self.identity.value.lower(),
            kind=self.identity,
            serves=[
                ServedRoute(
                    service=ProviderService.IDENTITY,
                    is_fallback=self.routes is not None and bool(self.routes.identity),
                )
            ],
            health=ProviderHealth.UNKNOWN,
            last_answer_at=None,
            calls=None,
            waiting_count=rows[0]["waiting"] if rows else 0,
            waiting=[
                WaitingItem(
                    row["updated_at"],
                    row["updated_at"] + _REVIEW_WITHIN < now,
                    user_id=row["user_id"],
                )
                for row in rows
            ],
            problem_count=0,
            has_run_live=self.is_production and self.identity is ProviderKind.MANUAL,
        )


def _served(routes: ProvidersFile, name: str, org_id: UUID) -> Iterator[ServedRoute]:
    """Yield the routes of a sidecar for an organisation."""
    for route in routes.routes:
        if name in route.providers and _serves(route.organisations, org_id):
            yield ServedRoute(
                service=ProviderService.PAYOUTS,
                rails=route.rails,
                countries=route.countries,
                currencies=route.currencies,
                is_fallback=route.providers[0] != name,
            )
    for deposits in routes.deposits:
        if name == deposits.provider and _serves(deposits.organisations, org_id):
            yield ServedRoute(service=ProviderService.DEPOSITS, currencies=deposits.currencies)
    for screenings in routes.screenings:
        if name == screenings.provider and _serves(screenings.organisations, org_id):
            for direction in sorted(screenings.directions):
                service = _SCREENING_SERVICES[direction]
                yield ServedRoute(service=service, currencies=screenings.currencies)
    for identity in routes.identity:
        if name == identity.provider and _serves(identity.organisations, org_id):
            yield ServedRoute(service=ProviderService.IDENTITY, rails=identity.rails)


def _served_alone(routes: ProvidersFile, name: str, org_id: UUID) -> Iterator[ServedRoute]:
    """Yield the services with a single provider that this one has: rates and the travel rule."""
    if name == routes.rates:
        yield ServedRoute(service=ProviderService.RATES)
    if name == routes.travel_provider(org_id):
        yield ServedRoute(service=ProviderService.TRAVEL_RULE)


_SCREENING_SERVICES = {
    ScreeningDirection.DEPOSIT: ProviderService.SCREENING,
    ScreeningDirection.PAYMENT: ProviderService.PAYMENT_SCREENING,
}


def _serves(organisations: frozenset[UUID] | None, org_id: UUID) -> bool:
    return organisations is None or org_id in organisations


def _kind(settings: SidecarSettings) -> ProviderKind:
    return ProviderKind.SIDECAR if settings.package is None else ProviderKind.PACKAGE


def _health(calls: CallCounts) -> ProviderHealth:
    if calls.answered_at is None and calls.failed_at is None:
        return ProviderHealth.UNKNOWN
    return ProviderHealth.FAILING if calls.is_failing else ProviderHealth.HEALTHY


def _items(orders: WaitingOrders, now: datetime) -> Sequence[WaitingItem]:
    return [
        WaitingItem(
            each.since,
            each.overdue_at < now,
            record_id=None if each.is_screening else each.record_id,
            screening_id=each.record_id if each.is_screening else None,
            problem=None if each.problem is None else each.problem.value,
        )
        for each in orders.oldest
    ]


def _oldest(items: Sequence[WaitingItem]) -> Sequence[WaitingItem]:
    return sorted(items, key=lambda each: each.since)[:WAITING_MAX]
