"""Routes of connected providers: /v2/providers. Ours; docs/reference/providers-file.md."""

from datetime import timedelta
from uuid import UUID

from litestar import Controller, get
from litestar.di import NamedDependency

from landbridge.payments.provider_operations.model import (
    ProviderHealth,
    ProviderKind,
    ProviderService,
    ProviderState,
    ServedRoute,
)
from landbridge.payments.provider_operations.service import ProviderOperations
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.responses import Moment, WireStruct, moment, reply_of


class ServedRouteReply(WireStruct, frozen=True):
    """What a provider serves; null means all. Countries are codes of three letters.

    `isFallback`: only what no other route names, or what the providers before it can't take.
    """

    service: ProviderService
    rails: list[str] | None
    countries: list[str] | None
    currencies: list[str] | None
    is_fallback: bool


class ProviderCallsReply(WireStruct, frozen=True):
    """Calls of all organisations within 24 hours; `lastFailure` is null if none has failed."""

    count: int
    failed: int
    last_failed_at: Moment | None
    last_failure: str | None


class WaitingItemReply(WireStruct, frozen=True):
    """Payment (`recordId`), user or screening that waits for a provider.

    It is stuck after longer than it should wait.
    """

    record_id: UUID | None
    user_id: UUID | None
    screening_id: UUID | None
    waits_since: Moment
    is_stuck: bool
    problem: str | None


class ProviderReply(WireStruct, frozen=True):
    """Provider. `hasRunLive` is false until it has moved real money here.

    `lastAnswerAt` is null before its first answer. `calls` is null for all but admins, with several
    organisations, and for what is not called. `waiting` has the oldest ten of `waitingCount`.
    `problemCount` orders and credits need a person.
    """

    name: str
    kind: ProviderKind
    serves: list[ServedRouteReply]
    health: ProviderHealth
    last_answer_at: Moment | None
    calls: ProviderCallsReply | None
    has_run_live: bool
    waiting_count: int
    waiting: list[WaitingItemReply]
    problem_count: int


class ProviderList(WireStruct, frozen=True):
    """Sidecars in the order of the providers file, then the bank and the identity provider."""

    count: int
    providers: list[ProviderReply]


def provider_reply(state: ProviderState, clock_offset: timedelta) -> ProviderReply:
    """Render a provider."""
    calls, last_at = state.calls, state.last_answer_at
    # Calls have real times; the times of bank files are on the organisation's clock.
    is_called = state.kind in {ProviderKind.SIDECAR, ProviderKind.PACKAGE}
    offset = clock_offset if is_called else timedelta()
    return reply_of(
        state,
        ProviderReply,
        serves=[_served(each) for each in state.serves],
        last_answer_at=None if last_at is None else last_at + offset,
        calls=None
        if calls is None
        else ProviderCallsReply(
            count=calls.calls,
            failed=calls.failures,
            last_failed_at=None if calls.failed_at is None else moment(calls.failed_at + offset),
            last_failure=calls.failure,
        ),
        waiting=[
            reply_of(each, WaitingItemReply, waits_since=each.since) for each in state.waiting
        ],
    )


def _served(route: ServedRoute) -> ServedRouteReply:
    return ServedRouteReply(
        service=route.service,
        rails=_sorted(route.rails),
        countries=_sorted(route.countries),
        currencies=_sorted(route.currencies),
        is_fallback=route.is_fallback,
    )


def _sorted(values: frozenset[str] | None) -> list[str] | None:
    return None if values is None else sorted(values)


class ProviderRoutes(Controller):
    """Connected providers."""

    path = "/v2/providers"
    tags = ("Service",)

    @get(summary="List connected providers", operation_id="providers.list")
    async def all(
        self, request: ApiRequest, provider_operations: NamedDependency[ProviderOperations]
    ) -> ProviderList:
        """Providers with what they serve, their health, and the oldest that wait for each.

        No provider is called for it. Admins of the only organisation also get the numbers of calls.
        """
        caller = request.user
        found = await provider_operations.all(caller)
        return ProviderList(
            count=len(found),
            providers=[provider_reply(each, caller.clock_offset) for each in found],
        )
