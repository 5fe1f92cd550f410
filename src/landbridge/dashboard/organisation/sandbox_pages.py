"""The sandbox: time, money from nowhere, and what can be forced."""

import asyncio
from typing import Any
from urllib.parse import urlencode

from litestar import Controller, Litestar, Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import HTTPException

from landbridge.chains.tokens import TOKENS
from landbridge.core.errors import FieldInvalid, Refused, ResourceNotFound
from landbridge.core.ids import as_uuid
from landbridge.dashboard.finding import find_users
from landbridge.dashboard.forms import Form, new_request_id, read_form
from landbridge.dashboard.local_paths import local_path
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.sandbox_money import fund, simulate_deposit
from landbridge.dashboard.sandbox_names import KEYWORDS
from landbridge.dashboard.transactions.kinds import KIND_NAMES
from landbridge.dashboard.users.nesting import typed
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.orgs.service import AHEAD_MAX
from landbridge.web.inside import Interface

_TOP, _HOME = "/dashboard", "/dashboard/sandbox"
_PAGE = "organisation/sandbox.html"
_UNITS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400}
_AHEAD_MAX_S = int(AHEAD_MAX.total_seconds())
_FUND = ("coin", "amount")
_DEPOSIT = ("amount", "paymentRail", "reference", "source.name", "source.bankName")


class SandboxPages(Controller):
    """`/dashboard/sandbox`; in production the interface refuses."""

    path = "/sandbox"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Response[str]:
        """All that can be played."""
        user_id = request.query_params.get("userId", "")
        values = await _values(request, interface, user_id, Form())
        return renderer.page(request, _PAGE, **values)

    @post("/clock")
    async def move_clock(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Move the clock on, and go back to where one was."""
        form = Form()
        try:
            form = await read_form(request)
            back = local_path(form.text("back"), _HOME)
            await interface.post("/v2/sandbox/clock/advance", {"seconds": _seconds(form)})
        except Refused as problem:
            values = await _values(request, interface, "", form)
            return renderer.again(request, _PAGE, problem, **values)
        return go(_openable(request, back), said=_("The clock was moved on."))

    @post("/pace")
    async def set_pace(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """How fast chains and banks are."""
        form = Form()
        try:
            form = await read_form(request)
            body = {"chains": form.text("chains"), "rails": form.text("rails")}
            await interface.post("/v2/sandbox/pace", body)
        except Refused as problem:
            values = await _values(request, interface, "", form)
            return renderer.again(request, _PAGE, problem, **values)
        return go(_HOME, said=_("The pace was set."))

    @post("/fund")
    async def fund(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Let coins arrive."""
        form = Form()
        try:
            form = await read_form(request)
            user_id = str(form.uuid("userId"))
            await fund(interface, user_id, typed(form))
        except Refused as problem:
            values = await _values(request, interface, form.text("userId"), form)
            return renderer.again(request, _PAGE, problem, **values)
        return go(f"{_HOME}?{urlencode({'userId': user_id})}", said=_("The coins have arrived."))

    @post("/deposit")
    async def deposit(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Let fiat arrive on a virtual account."""
        form = Form()
        try:
            form = await read_form(request)
            user_id, account_id = str(form.uuid("userId")), str(form.uuid("accountId"))
            await simulate_deposit(interface, user_id, account_id, typed(form))
        except Refused as problem:
            values = await _values(request, interface, form.text("userId"), form)
            return renderer.again(request, _PAGE, problem, **values)
        where = f"{_HOME}?{urlencode({'userId': user_id})}"
        return go(where, said=_("The deposit is on its way; an onramp appears for it."))


async def _values(
    request: PageRequest, interface: Interface, user_id: str, form: Form
) -> dict[str, Any]:
    outcomes, pace = await asyncio.gather(
        interface.get("/v2/sandbox/outcomes"), interface.get("/v2/sandbox/pace")
    )
    text = request.query_params.get("q", "").strip()
    found: Any = []
    user: Any = None
    accounts: Any = []
    if as_uuid(user_id) is not None:
        try:
            user, listed = await asyncio.gather(
                interface.get(f"/v2/users/{user_id}"),
                interface.get(f"/v2/users/{user_id}/virtual-accounts", limit=100),
            )
            accounts = listed["data"]
        except ResourceNotFound:
            user = None
    else:
        try:
            found = (await find_users(interface, text, type_="", cursor=None)).users
        except FieldInvalid:
            found = []
    caller = request.user.caller
    return {
        "outcomes": outcomes,
        "kind_names": KIND_NAMES,
        "pace": pace,
        "ahead_s": int(caller.clock_offset.total_seconds()),
        "keywords": KEYWORDS,
        "coins": [(f"{chain}:{currency}", f"{currency} · {chain}") for chain, currency in TOKENS],
        "text": text,
        "found": found,
        "user": user,
        "accounts": accounts,
        "typed": {name: form.text(name) for name in (*_FUND, *_DEPOSIT, "accountId", "by")},
        "unit": form.text("unit") or "hours",
        "request_id": form.text("requestId") or new_request_id(),
    }


def _seconds(form: Form) -> int:
    if form.text("seconds"):
        return form.whole("seconds", least=0, most=_AHEAD_MAX_S)
    unit = _UNITS.get(form.text("unit"), 1)
    return form.whole("by", least=0, most=_AHEAD_MAX_S // unit) * unit


def _openable(request: PageRequest, path: str) -> str:
    """The page that the form was on; for the address of a verb, that of what it is about."""
    app: Litestar = request.app
    at, _mark, _query = path.partition("?")
    while at.startswith(_TOP):
        try:
            app.asgi_router.handle_routing(path=at, method="GET")
        except HTTPException:
            at = at.rpartition("/")[0]
        else:
            return path if path.startswith(f"{at}?") else at
    return _TOP
