"""Sandbox: clock, latency, test funds and scripted outcomes."""

import asyncio
from collections.abc import Sequence
from urllib.parse import urlencode

from litestar import Controller, Litestar, Response, get, post
from litestar.exceptions import HTTPException

from landbridge.customers.users.schemas import UserReply
from landbridge.dashboard.local_paths import local_path
from landbridge.dashboard.page_request import (
    Form,
    Page,
    PageRequest,
    new_request_id,
    read_form,
    redirect,
)
from landbridge.dashboard.payment_lines import chain_name, currency_name
from landbridge.dashboard.sandbox_funding import fund, simulate_deposit
from landbridge.dashboard.sandbox_personas import KEYWORDS
from landbridge.dashboard.transactions.kinds import KIND_NAMES
from landbridge.dashboard.user_lookup import find_users
from landbridge.dashboard.users.nested_fields import submitted_values
from landbridge.payments.virtual_accounts.schemas import (
    VirtualAccountPageReply,
    VirtualAccountReply,
)
from landbridge.platform.core.errors import FieldInvalid, Refused, ResourceNotFound
from landbridge.platform.core.ids import as_uuid
from landbridge.platform.formats.translations import later as _
from landbridge.platform.orgs.service import AHEAD_MAX
from landbridge.providers.chains.tokens import TOKENS
from landbridge.sandbox.api import LatencyReply
from landbridge.sandbox.outcomes_api import OutcomesReply

_TOP, _HOME = "/dashboard", "/dashboard/sandbox"
_PAGE = "organisation/sandbox.html"
_UNITS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400}
_AHEAD_MAX_S = int(AHEAD_MAX.total_seconds())
_FUND = ("coin", "amount")
_DEPOSIT = ("amount", "paymentRail", "reference", "source.name", "source.bankName")


class SandboxPages(Controller):
    """`/dashboard/sandbox`; the API refuses these actions in production."""

    path = "/sandbox"

    @get("/")
    async def page(self, request: PageRequest) -> Response[str]:
        """Show everything that can be simulated."""
        user_id = request.query_params.get("userId", "")
        return request.page(_PAGE, **await _values(request, user_id, Form()))

    @post("/clock")
    async def advance_clock(self, request: PageRequest) -> Page:
        """Advance the clock, and return to the page with the form."""
        form = Form()
        try:
            form = await read_form(request)
            return_to = local_path(form.text("back"), _HOME)
            await request.interface.post("/v2/sandbox/clock/advance", {"seconds": _seconds(form)})
        except Refused as problem:
            return request.with_problem(_PAGE, problem, **await _values(request, "", form))
        return redirect(_openable_page(request, return_to), notice=_("Clock advanced"))

    @post("/latency")
    async def set_latency(self, request: PageRequest) -> Page:
        """Set the latency profiles of chains and banks."""
        form = Form()
        try:
            form = await read_form(request)
            body = {"chains": form.text("chains"), "rails": form.text("rails")}
            await request.interface.post("/v2/sandbox/latency", body)
        except Refused as problem:
            return request.with_problem(_PAGE, problem, **await _values(request, "", form))
        return redirect(_HOME, notice=_("Latency updated"))

    @post("/fund")
    async def fund(self, request: PageRequest) -> Page:
        """Credit test funds to a wallet."""
        form = Form()
        try:
            form = await read_form(request)
            user_id = str(form.uuid("userId"))
            await fund(request.interface, user_id, submitted_values(form, "amount"))
        except Refused as problem:
            values = await _values(request, form.text("userId"), form)
            return request.with_problem(_PAGE, problem, **values)
        return redirect(f"{_HOME}?{urlencode({'userId': user_id})}", notice=_("Wallet funded"))

    @post("/deposit")
    async def deposit(self, request: PageRequest) -> Page:
        """Simulate a fiat deposit to a virtual account."""
        form = Form()
        try:
            form = await read_form(request)
            user_id, account_id = str(form.uuid("userId")), str(form.uuid("accountId"))
            await simulate_deposit(
                request.interface, user_id, account_id, submitted_values(form, "amount")
            )
        except Refused as problem:
            values = await _values(request, form.text("userId"), form)
            return request.with_problem(_PAGE, problem, **values)
        path = f"{_HOME}?{urlencode({'userId': user_id})}"
        return redirect(path, notice=_("Deposit simulated. An onramp will appear for it."))


async def _values(request: PageRequest, user_id: str, form: Form) -> dict[str, object]:
    outcomes, latency = await asyncio.gather(
        request.interface.read(OutcomesReply, "/v2/sandbox/outcomes"),
        request.interface.read(LatencyReply, "/v2/sandbox/latency"),
    )
    text = request.query_params.get("q", "").strip()
    users: Sequence[UserReply] = ()
    accounts: Sequence[VirtualAccountReply] = ()
    user = None
    if as_uuid(user_id) is not None:
        try:
            user, virtual_accounts = await asyncio.gather(
                request.interface.read(UserReply, f"/v2/users/{user_id}"),
                request.interface.read(
                    VirtualAccountPageReply, f"/v2/users/{user_id}/virtual-accounts", limit=100
                ),
            )
            accounts = virtual_accounts.data
        except ResourceNotFound:
            user = None
    else:
        try:
            users = (await find_users(request.interface, text, type_="", cursor=None)).users
        except FieldInvalid:
            users = ()
    caller = request.user.caller
    return {
        "outcomes": outcomes,
        "kind_names": KIND_NAMES,
        "latency": latency,
        "ahead": caller.clock_offset,
        "keywords": KEYWORDS,
        "coins": [
            (f"{chain}:{currency}", f"{currency_name(currency)} · {chain_name(chain)}")
            for chain, currency in TOKENS
        ],
        "text": text,
        "found": users,
        "user": user,
        "accounts": accounts,
        "form_values": {name: form.text(name) for name in (*_FUND, *_DEPOSIT, "accountId", "by")},
        "unit": form.text("unit") or "hours",
        "request_id": form.text("requestId") or new_request_id(),
    }


def _seconds(form: Form) -> int:
    if form.text("seconds"):
        return form.integer("seconds", minimum=0, maximum=_AHEAD_MAX_S)
    unit = _UNITS.get(form.text("unit"), 1)
    return form.integer("by", minimum=0, maximum=_AHEAD_MAX_S // unit) * unit


def _openable_page(request: PageRequest, path: str) -> str:
    """Return the path if GET can open it, else its closest parent page that GET can open."""
    app: Litestar = request.app
    candidate, _mark, _query = path.partition("?")
    while candidate.startswith(_TOP):
        try:
            app.asgi_router.handle_routing(path=candidate, method="GET")
        except HTTPException:
            candidate = candidate.rpartition("/")[0]
        else:
            return path if path.startswith(f"{candidate}?") else candidate
    return _TOP
