"""Application factory of the HTTP API: lists every route, dependency and middleware."""

from collections.abc import Awaitable, Callable, Iterable, Iterator
from contextlib import AbstractAsyncContextManager
from dataclasses import fields
from functools import partial
from inspect import signature
from typing import Any

import structlog
from litestar import Litestar, Response, Router
from litestar.config.app import AppConfig
from litestar.di import Provide
from litestar.exceptions import HTTPException
from litestar.handlers import BaseRouteHandler
from litestar.types import ASGIApp

from landbridge.app.container import Container
from landbridge.app.container.installation import installation
from landbridge.app.container.registry import STATE_MACHINES
from landbridge.app.openapi_document import TAGS, openapi_config, openapi_document
from landbridge.app.route_scopes import check_scopes, needed_scope
from landbridge.app.routes import ROUTES, SERVICE_ROUTES
from landbridge.customers.team.model import SignedInSession
from landbridge.dashboard.actor_names import actor_names
from landbridge.dashboard.lists.list_pages import ListServices
from landbridge.dashboard.rendering import InstallationInfo
from landbridge.dashboard.routes import PAGES, dashboard
from landbridge.dashboard.time_zones import PageZones
from landbridge.payments.engine.request_options import (
    check_request_options,
    provide_request_options,
)
from landbridge.platform.core.errors import Busy, Refused
from landbridge.platform.http import error_responses
from landbridge.platform.http.api_explorer import ApiExplorer
from landbridge.platform.http.auth_guard import auth_guard, waited_guard
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.concurrency import OrgConcurrency
from landbridge.platform.http.constraints import ConstraintPlugin
from landbridge.platform.http.direct_routes import DirectLitestar
from landbridge.platform.http.documentation_site import SITE
from landbridge.platform.http.list_query import (
    AnyRequest,
    check_query,
    provide_position_window,
    provide_queue_window,
    provide_window,
)
from landbridge.platform.http.methods import OPTIONS, options_reply
from landbridge.platform.http.metrics import MetricsText
from landbridge.platform.http.number_masks import masking
from landbridge.platform.http.periodic_task import repeating
from landbridge.platform.http.request_decoding import RequestDecoder
from landbridge.platform.http.responses import ResponseEncoder, encode
from landbridge.platform.http.telemetry import is_routed
from landbridge.platform.http.unknown_names import POLICY, check_query_names

_log = structlog.stdlib.get_logger()

# Valid bodies have a few hundred bytes; a megabyte is far beyond any of them.
BODY_BYTES_MAX = 1_000_000
_NOTE_USE_EVERY_S = 5


class AppDependency(Provide):
    """Dependency of the application's routes; it equals only itself.

    Litestar compares all dependencies of each route with one another, five million times in all.
    Comparing attributes takes a fifth of the time in which an application is built.
    """

    __slots__ = ()

    def __init__(self, dependency: Callable[..., Any]) -> None:
        super().__init__(dependency, sync_to_thread=False)

    # The base class is declared as not hashable, and these are what every class has.
    __eq__ = object.__eq__  # pyright: ignore[reportAssignmentType]
    __hash__ = object.__hash__  # pyright: ignore[reportAssignmentType]


_LIST_PARTS = {
    "window": AppDependency(provide_window),
    "position_window": AppDependency(provide_position_window),
    "queue": AppDependency(provide_queue_window),
}


def _parameters() -> Iterator[str]:
    """Yield the names of the parameters of all handlers."""
    for route in (*SERVICE_ROUTES, *ROUTES, *PAGES):
        members: Iterable[object] = (
            (getattr(route, name) for name in dir(route)) if isinstance(route, type) else (route,)
        )
        for each in members:
            if isinstance(each, BaseRouteHandler):
                yield from signature(each.fn).parameters


# Dependencies of handlers, by the names of their parameters. Each start compares all dependencies
# of each handler with one another, so it has no others. `rails` is a parameter of some routes.
SERVICES = tuple(
    sorted({each.name for each in fields(Container)}.intersection(_parameters()) - {"rails"})
)


def build_app(container: Container) -> Litestar:
    """Build the ASGI application over these services.

    Takes about a second. Of the container, only the settings are read before a request arrives.
    """
    explorer = ApiExplorer(lambda: encode(openapi_document(app)), TAGS)
    turns = OrgConcurrency(connections=container.settings.pool_size)
    metrics_text = MetricsText()

    async def authenticate(key: str) -> Caller:
        return await container.orgs.authenticate(key)

    app = DirectLitestar(
        [*SERVICE_ROUTES, *ROUTES, _pages(container)],
        dto=RequestDecoder,
        return_dto=None,
        response_class=ResponseEncoder,
        guards=[auth_guard(authenticate, lambda: container.rate_limits, needed_scope)],
        before_request=_checking(turns, waited_guard(authenticate, needed_scope)),
        dependencies={
            **{name: AppDependency(_service(container, name)) for name in SERVICES},
            "public_url": AppDependency(lambda: container.settings.base_url),
            "installation": AppDependency(lambda: installation(container.settings)),
            "list_services": AppDependency(lambda: _list_services(container)),
            **_LIST_PARTS,
            "options": AppDependency(provide_request_options),
            "state_machines": AppDependency(lambda: STATE_MACHINES),
            "metrics_token": AppDependency(lambda: container.settings.metrics_token),
            "metrics_text": AppDependency(lambda: metrics_text),
            "api_explorer": AppDependency(lambda: explorer),
        },
        exception_handlers=error_responses.with_cleared_tracebacks(
            {
                Refused: error_responses.refused,
                Busy: error_responses.busy,
                HTTPException: _http_exception(container),
                Exception: error_responses.broken,
            }
        ),
        request_max_body_size=BODY_BYTES_MAX,
        middleware=[
            _ending(turns),
            *([_listening(container)] if container.settings.request_log_retention else []),
            masking,
        ],
        lifespan=[
            lambda _: noting_use(container.orgs.note_use),
            lambda _: container.request_log.flushing(),
            lambda _: container.rate_limits.sharing(),
        ],
        openapi_config=openapi_config(),
        plugins=[ConstraintPlugin()],
        logging_config=None,
        on_app_init=[_quiet],
    )
    app.state[error_responses.PUBLIC_URL] = lambda: container.settings.base_url
    app.state[POLICY] = lambda: container.settings.unknown_names
    check_scopes(app.routes)
    app.compile_routes()
    return app


def _checking(
    turns: OrgConcurrency, check_waited: Callable[[AnyRequest], Awaitable[None]]
) -> Callable[[AnyRequest], Awaitable[Response[Any] | None]]:
    async def check(request: AnyRequest) -> Response[Any] | None:
        if request.method == OPTIONS:
            return options_reply(request)
        await check_query(request)
        check_query_names(request)
        await check_request_options(request)
        await turns.acquire(request)
        await check_waited(request)
        return None

    return check


def _quiet(config: AppConfig) -> AppConfig:
    """Silence the framework's own log; `telemetry` logs each request."""
    config.debug = False
    return config


def _http_exception(container: Container) -> Callable[[AnyRequest, HTTPException], Response[Any]]:
    """Handle errors of the framework; no guard has counted a request without a route."""

    def handle(request: AnyRequest, error: HTTPException) -> Response[Any]:
        if not is_routed(request.scope):
            try:
                container.rate_limits.count_address(request.scope)
            except Refused as refusal:
                return error_responses.refused(request, refusal)
        return error_responses.http_exception(request, error)

    return handle


def _service(container: Container, name: str) -> Callable[[], Any]:
    def provide() -> Any:
        return getattr(container, name)

    return provide


def _listening(container: Container) -> Callable[[ASGIApp], ASGIApp]:
    return lambda app: (
        lambda scope, receive, send: container.request_log.listener.listen(
            app, scope, receive, send
        )
    )


def _ending(turns: OrgConcurrency) -> Callable[[ASGIApp], ASGIApp]:
    return lambda app: partial(turns.end, app)


def _list_services(container: Container) -> ListServices:
    return ListServices(
        container.bank_account_lists,
        container.virtual_account_lists,
        container.external_wallet_lists,
        container.deposit_lists,
    )


def _pages(container: Container) -> Router:
    def around() -> InstallationInfo:
        return InstallationInfo(
            mode=container.settings.mode,
            base_url=container.settings.base_url,
            clock=container.clock,
            sends_mail=container.outbox.can_send,
            has_chains=container.evm is not None,
            has_guides=SITE.is_built,
        )

    async def find_session(secret: str) -> SignedInSession | None:
        return await container.sessions.find(secret)

    def is_fresh(signed: SignedInSession) -> bool:
        return container.sessions.is_fresh(signed)

    zones = PageZones(lambda: container.time_zones)
    return dashboard(
        get_installation=around,
        find_session=find_session,
        is_fresh=is_fresh,
        zone_of=zones.of,
        waiting=lambda caller: container.attention_counts.of(caller.org_id, caller.clock_offset),
        names_of=lambda org_id: actor_names(container.team, container.orgs, org_id),
    )


def noting_use(
    note_use: Callable[[], Awaitable[None]], *, every_s: float = _NOTE_USE_EVERY_S
) -> AbstractAsyncContextManager[None]:
    """Record periodically when keys were last used."""
    return repeating(note_use, every_s=every_s, busy="keys.busy", failed="keys.use_not_noted")
