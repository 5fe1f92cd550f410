"""Payment limits: rules as rows of a form or as a document, and a test of both against history.

Each change carries the version that the form showed, so concurrent changes are never overwritten.
"""

import asyncio

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency

from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.json_text import pretty
from landbridge.dashboard.named_users import names_of_users
from landbridge.dashboard.organisation.limit_rows import (
    NEW_ROW,
    edited,
    field_of,
    numbered,
    rules_of,
    stored_rows,
    submitted_rows,
    with_named_users,
)
from landbridge.dashboard.page_request import Page, PageRequest, redirect
from landbridge.dashboard.transactions.kinds import KIND_NAMES
from landbridge.payments.limits.api import LimitSimulationReply, LimitsReply
from landbridge.payments.limits.document import RULES_MAX, parse, validated
from landbridge.payments.limits.service import Limits
from landbridge.payments.limits.simulation import DAYS_MAX
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.caller import check_admin
from landbridge.platform.http.internal_client import InternalClient
from landbridge.platform.http.responses import encode

_HOME = "/dashboard/settings/limits"
_PAGE = "organisation/limits.html"
_LIMITS = "/v2/limits"
_NUMBER_MAX = 10**9 - 1


class LimitPages(Controller):
    """`/dashboard/settings/limits`."""

    path = "/settings/limits"

    @get("/")
    async def page(self, request: PageRequest, limits: NamedDependency[Limits]) -> Response[str]:
        """Show the current rules as rows, and the remaining limits."""
        check_admin(request.user.caller)
        return request.page(_PAGE, **await _values(request, limits, Form()))

    @post("/", fresh=_HOME)
    async def set_rows(
        self, request: PageRequest, limits: NamedDependency[Limits], clock: NamedDependency[Clock]
    ) -> Page:
        """Apply the rows."""
        check_admin(request.user.caller)
        form = Form()
        try:
            form = numbered(await read_form(request))
            form = await with_named_users(form, request.interface)
            document = await _document_of(form, request.interface)
            await _apply_rules(request, limits, clock, encode(document), form)
        except Refused as problem:
            values = await _values(request, limits, form)
            return _refused(request, problem, values)
        return redirect(_HOME, notice=_("Rules applied"))

    @post("/rows")
    async def edit_rows(self, request: PageRequest, limits: NamedDependency[Limits]) -> Page:
        """Add or remove a row on the page, or test the rows; nothing is applied."""
        check_admin(request.user.caller)
        form, tested = Form(), None
        try:
            form = numbered(await read_form(request))
            button = form.text("do")
            if button == "simulate":
                form = await with_named_users(form, request.interface)
                document = await _document_of(form, request.interface)
                tested = await _simulated(request.interface, document, form)
            values = await _values(request, limits, form, button)
        except Refused as problem:
            values = await _values(request, limits, form)
            return _refused(request, problem, values)
        return request.page(_PAGE, **values | {"tested": tested})

    @post("/document", fresh=_HOME)
    async def set_document(
        self, request: PageRequest, limits: NamedDependency[Limits], clock: NamedDependency[Clock]
    ) -> Page:
        """Apply the document, or only simulate it against past payments."""
        check_admin(request.user.caller)
        form = Form()
        try:
            form = await read_form(request)
            raw = form.text("document").encode()
            if form.text("do") == "simulate":
                document = await asyncio.to_thread(parse, raw)
                simulation = await _simulated(
                    request.interface, document, form, days="documentDays"
                )
                values = await _values(request, limits, form)
                return request.page(_PAGE, **{**values, "simulation": simulation})
            await _apply_rules(request, limits, clock, raw, form)
        except Refused as problem:
            if isinstance(problem, FieldInvalid) and problem.field != "documentDays":
                problem.field = "document"
            values = await _values(request, limits, form)
            return _refused(request, problem, values)
        return redirect(_HOME, notice=_("Rules applied"))


async def _document_of(form: Form, interface: InternalClient) -> dict[str, object]:
    """Return the current document with the rules of the rows."""
    current = (await interface.read(LimitsReply, _LIMITS)).limits
    return {
        "rules": rules_of(form, submitted_rows(form, current.rules), current.rules),
        "block": current.block,
        "allow": current.allow,
        "coolDown": current.cool_down,
    }


async def _simulated(
    interface: InternalClient, document: object, form: Form, *, days: str = "days"
) -> LimitSimulationReply:
    body = {"limits": document, "days": form.integer(days, minimum=1, maximum=DAYS_MAX)}
    return await interface.submit(LimitSimulationReply, f"{_LIMITS}/simulate", body)


async def _apply_rules(
    request: PageRequest, limits: Limits, clock: Clock, raw: bytes, form: Form
) -> None:
    caller = request.user.caller
    # Lists with ten thousand addresses take a while to parse.
    rules = await asyncio.to_thread(lambda: validated(parse(raw), limits.kinds))
    await limits.set_rules_for(
        caller,
        rules,
        instead_of=form.integer("version", minimum=0, maximum=_NUMBER_MAX),
        at=clock.stamp(caller.clock_offset),
    )


def _refused(request: PageRequest, problem: Refused, values: dict[str, object]) -> Page:
    """Return the page with the submitted rows or document, and the refusal beside its input."""
    name = field_of(problem.field)
    wrong = {name: problem} if name else {}
    return request.with_problem(_PAGE, problem, **values, wrong_inputs=wrong)


async def _values(
    request: PageRequest, limits: Limits, form: Form, button: str = ""
) -> dict[str, object]:
    """Return the current rules, and the submitted rows or document, if any.

    A button adds or removes a row.
    """
    found = await request.interface.read(LimitsReply, _LIMITS)
    rules = found.limits.rules
    is_of_rows = "version" in form.fields and "document" not in form.fields
    language = request.user.language
    rows = submitted_rows(form, rules) if is_of_rows else stored_rows(rules, language)
    return {
        # The tab of all these addresses.
        "path": _HOME,
        "rows": edited(rows, button),
        "new_row": NEW_ROW,
        "rows_max": RULES_MAX,
        "is_changed": is_of_rows,
        "users": await names_of_users(
            request.interface, (each for row in rows for each in row.user_ids)
        ),
        "remaining": {each.rule: each for each in found.left},
        "document": form.text("document") or pretty(found.limits),
        # A submitted form keeps the version that it showed; a conflict then reports the current
        # one.
        "version": form.text("version") or found.version,
        "kinds": sorted(limits.kinds),
        "kind_names": KIND_NAMES,
        "days": form.text("days") or "30",
        "document_days": form.text("documentDays") or "30",
        "simulation": None,
        "tested": None,
    }
