"""Payment limits: rules as rows of a form or as a document, and a test of both against history.

Each change carries the version that the form showed, so concurrent changes are never overwritten.

Fields are named as the API names faults in a document: `rules[2].maxUsd`. `rules[2].was` is the id
of the rule that a row changes, empty for a new one. What the form has no field for, such as rails,
stays as the rule has it.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency

from landbridge.dashboard.json_text import JsonObject, pretty
from landbridge.dashboard.named_users import names_of_users, user_ids_of
from landbridge.dashboard.number_formats import number_text
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.dashboard.transactions.kinds import KIND_NAMES
from landbridge.payments.limits.api import LimitSimulationReply, LimitsReply
from landbridge.payments.limits.document import RULES_MAX, RuleDocument, parse, validated
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
            return _refused(request, problem, await _values(request, limits, form))
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
            return _refused(request, problem, await _values(request, limits, form))
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
            return _refused(request, problem, await _values(request, limits, form))
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


# Users of a rule that are shown by name; more are changed in the document.
USERS_SHOWN_MAX: Final = 20
_TEXTS = ("id", "window", "per", "over", "maxUsd", "maxCount")
_LISTS = ("kinds", "userIds")
_USER = "user"
_FIELD = re.compile(r"rules\[([0-9]{1,9})\]\.(\w+)")
_FAULT = re.compile(r"(?:limits\.)?rules\[([0-9]+)\](?:\.(\w+))?(?:\[[0-9]+\])?")


@dataclass(frozen=True, slots=True)
class LimitRow:
    """Texts of a row by member, its lists, and the number of users that are not shown by name."""

    was: str
    texts: Mapping[str, str]
    kinds: Sequence[str] = ()
    user_ids: Sequence[str] = ()
    hidden_users: int = 0


def stored_rows(rules: Sequence[RuleDocument], language: str) -> list[LimitRow]:
    """Return the rows of the current rules."""
    return [_stored_row(each, language) for each in rules]


def _stored_row(rule: RuleDocument, language: str) -> LimitRow:
    users = [str(each) for each in rule.user_ids or ()]
    is_shown = len(users) <= USERS_SHOWN_MAX
    return LimitRow(
        was=rule.id,
        texts={
            "id": rule.id,
            "window": rule.window,
            "per": rule.per,
            "over": rule.over,
            "maxUsd": number_text(rule.max_usd, language),
            "maxCount": "" if rule.max_count is None else str(rule.max_count),
            _USER: "",
        },
        kinds=rule.kinds or (),
        user_ids=users if is_shown else (),
        hidden_users=0 if is_shown else len(users),
    )


def numbered(form: Form) -> Form:
    """Return the form with its rows numbered from zero: a script leaves gaps."""
    found = [(each, match) for each in form.fields if (match := _FIELD.fullmatch(each))]
    numbers = sorted({int(match[1]) for _, match in found if match[2] == "was"})[: RULES_MAX + 1]
    place = {number: at for at, number in enumerate(numbers)}
    fields = {name: values for name, values in form.fields.items() if not _FIELD.fullmatch(name)}
    for name, match in found:
        if int(match[1]) in place:
            fields[f"rules[{place[int(match[1])]}].{match[2]}"] = form.fields[name]
    return replace(form, fields=fields)


def submitted_rows(form: Form, rules: Sequence[RuleDocument]) -> list[LimitRow]:
    """Return the rows of a numbered form; `rules` are the current ones."""
    hidden = {
        each.id: count for each in rules if (count := len(each.user_ids or ())) > USERS_SHOWN_MAX
    }
    return [
        LimitRow(
            was=form.text(f"rules[{at}].was"),
            texts={name: form.text(f"rules[{at}].{name}") for name in (*_TEXTS, _USER)},
            kinds=form.texts(f"rules[{at}].kinds"),
            user_ids=form.texts(f"rules[{at}].userIds"),
            hidden_users=hidden.get(form.text(f"rules[{at}].was"), 0),
        )
        for at in range(_count(form))
    ]


def edited(rows: Sequence[LimitRow], button: str) -> list[LimitRow]:
    """Return the rows with one added (`add`) or removed (`remove:2`); others for other buttons."""
    if button == "add" and len(rows) < RULES_MAX:
        return [*rows, NEW_ROW]
    return [each for at, each in enumerate(rows) if button != f"remove:{at}"]


async def with_named_users(form: Form, interface: InternalClient) -> Form:
    """Return a numbered form with the users entered by name among the chosen ones.

    Raises `FieldInvalid` for a text that is not one user's.
    """
    fields = dict(form.fields)
    for at in range(_count(form)):
        name = f"rules[{at}].{_USER}"
        text = form.text(name)
        chosen = form.text(f"{name}Id") if form.text(f"{name}For") == text else ""
        found = await user_ids_of(interface, [chosen or text], field=name)
        ids = dict.fromkeys([*form.texts(f"rules[{at}].userIds"), *found])
        fields |= {f"rules[{at}].userIds": list(ids), name: [""]}
    return replace(form, fields=fields)


def rules_of(
    form: Form, rows: Sequence[LimitRow], rules: Sequence[RuleDocument]
) -> list[JsonObject]:
    """Return the rules that the rows of a numbered form mean; `rules` are the current ones.

    Raises `FieldInvalid` for a number that cannot be read.
    """
    current = {each.id: each for each in rules}
    return [_rule(form, at, row, current.get(row.was)) for at, row in enumerate(rows)]


def _rule(form: Form, at: int, row: LimitRow, before: RuleDocument | None) -> JsonObject:
    rule: JsonObject = {}
    if before is not None:
        rule |= {"rails": before.rails, "corridors": before.corridors}
    # The API refuses a missing name by its place; an empty one by its field.
    rule |= {name: text for name, text in row.texts.items() if text and name != _USER}
    rule["id"] = row.texts["id"]
    if "maxUsd" in rule:
        rule["maxUsd"] = form.number(f"rules[{at}].maxUsd")
    if "maxCount" in rule:
        name = f"rules[{at}].maxCount"
        rule["maxCount"] = form.integer(name, minimum=0, maximum=_NUMBER_MAX)
    hidden = before.user_ids if before is not None and row.hidden_users else None
    users = [*(str(each) for each in hidden or ()), *row.user_ids]
    lists = {"kinds": row.kinds, "userIds": list(dict.fromkeys(users))}
    return {**rule, **{name: each for name, each in lists.items() if each}}


def field_of(fault: str | None) -> str | None:
    """Return the input of a fault that the API names by its place in the document."""
    match = _FAULT.fullmatch(fault or "")
    if match is None:
        return fault
    # A rule without any bound is refused as a whole.
    member = match[2] or "maxUsd"
    known = {*_TEXTS, *_LISTS, _USER}
    return f"rules[{match[1]}].{member}" if member in known else f"rules[{match[1]}]"


def _count(form: Form) -> int:
    return sum(1 for each in form.fields if each.startswith("rules[") and each.endswith("].was"))


NEW_ROW: Final = LimitRow(
    "", dict.fromkeys((*_TEXTS, _USER), "") | {"window": "DAY", "per": "ORG", "over": "REFUSE"}
)
