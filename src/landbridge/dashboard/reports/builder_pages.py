"""Builder of templates: choose what is measured, see its chart, save it, change it.

The page of a template shows its definition in words, and the reports that use it.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import msgspec
from litestar import Controller, Response, get, post
from litestar.params import FromPath
from msgspec import to_builtins

from landbridge.dashboard.json_text import JsonObject
from landbridge.dashboard.named_users import names_of_users, split_users, user_ids_of
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.dashboard.page_visitor import check_may_edit
from landbridge.dashboard.reports.calculation import PREVIEW, TEMPLATES, read_template
from landbridge.dashboard.reports.names import FILTER_LABELS, NAMES
from landbridge.dashboard.reports.report_query import INTERVALS, filters, last_day
from landbridge.dashboard.reports.results import report_of
from landbridge.dashboard.reports.template_form import (
    IF_ZERO,
    ROUNDINGS,
    SIDES,
    SUBJECTS,
    Choices,
    definition_of,
    definition_summary,
    form_of,
    function_choices,
    input_of,
    name_of,
    new_form,
    opened_folds,
    preview_params,
    quantity_choices,
    subject_of,
)
from landbridge.platform.core.errors import FieldInvalid, FieldsInvalid, Refused, ResourceNotFound
from landbridge.platform.formats.refusal_texts import refusal_text
from landbridge.platform.formats.translations import catalogue
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient
from landbridge.reporting.metrics.custom.definition import TemplateDefinition, TemplateSubject
from landbridge.reporting.metrics.custom.dimensions import DIMENSIONS
from landbridge.reporting.metrics.saved_schemas import MetricList
from landbridge.reporting.metrics.schemas import MetricResultReply
from landbridge.reporting.metrics.template_api import TemplateEnvelope
from landbridge.reporting.metrics.template_schemas import TemplateReply

_PAGE_PATH = "/dashboard/reports/templates"
_BUILDER = "reports/builder.html"


@dataclass(frozen=True, slots=True)
class _TemplateDraft:
    """Template in the builder; `template` is the saved one that is edited, None for a new one."""

    subject: TemplateSubject
    form: Form
    template: TemplateReply | None = None

    @property
    def definition(self) -> JsonObject:
        """Return the definition that the form describes."""
        return definition_of(self.subject, self.form)


class BuilderPages(Controller):
    """`/dashboard/reports/builder` and `/dashboard/reports/templates/{name}/edit`.

    Analysts may preview a definition; only editors may save it.
    """

    path = "/reports"

    @get("/builder")
    async def new(self, request: PageRequest) -> Response[str]:
        """Show the builder for a new template of one subject."""
        subject = subject_of(request.query_params.get("subject", ""))
        draft = _TemplateDraft(subject, new_form(subject))
        return await _builder(request, draft)

    @post("/builder")
    async def create(self, request: PageRequest) -> Page:
        """Show the form with a new preview (`preview`), or create the template (`save`)."""
        form, problem = await _with_user_ids(request.interface, await read_form(request))
        draft = _TemplateDraft(subject_of(form.text("subject")), form)
        if problem is not None or form.text("step") != "save":
            return await _builder(request, draft, problem=problem)
        title = form.text("title")
        body = {
            "name": form.text("name") or name_of(title),
            "displayName": title,
            "description": form.text("description"),
            "definition": draft.definition,
        }
        try:
            created = await request.interface.submit(TemplateEnvelope, TEMPLATES, body)
        except Refused as problem:
            return await _builder(request, draft, problem=problem)
        return redirect(f"{_PAGE_PATH}/{created.data.name}", notice=_("Template created"))

    @get("/templates/{name:str}/edit")
    async def edit(self, request: PageRequest, name: FromPath[str]) -> Response[str]:
        """Show the builder with the newest version of a template."""
        check_may_edit(request.user)
        template, definition = await own_template(request.interface, name)
        form = form_of(definition)
        texts = {"title": [template.display_name], "description": [template.description]}
        draft = _TemplateDraft(definition.subject, Form({**form.fields, **texts}), template)
        return await _builder(request, draft)

    @post("/templates/{name:str}/edit")
    async def update(self, request: PageRequest, name: FromPath[str]) -> Page:
        """Show the form with a new preview (`preview`), or add a version (`save`)."""
        check_may_edit(request.user)
        form, problem = await _with_user_ids(request.interface, await read_form(request))
        template, definition = await own_template(request.interface, name)
        draft = _TemplateDraft(definition.subject, form, template)
        if problem is not None or form.text("step") != "save":
            return await _builder(request, draft, problem=problem)
        body = {
            "displayName": form.text("title"),
            "description": form.text("description"),
            "definition": draft.definition,
        }
        try:
            await request.interface.post(f"{TEMPLATES}/{name}", body)
        except Refused as problem:
            return await _builder(request, draft, problem=problem)
        return redirect(f"{_PAGE_PATH}/{name}", notice=_("Template saved"))


async def _with_user_ids(
    interface: InternalClient, form: Form
) -> tuple[Form, FieldsInvalid | None]:
    """Return the form with the ids of users in place of names, and what names no user."""
    fields, faults = dict(form.fields), dict[str, str]()
    for name in _user_fields(form):
        try:
            fields[name] = await user_ids_of(interface, form.texts(name), field=name)
        except FieldInvalid as error:
            faults[f"definition.{name.replace('-', '.')}"] = error.message
    return replace(form, fields=fields), FieldsInvalid(faults) if faults else None


def _user_fields(form: Form) -> Sequence[str]:
    return [name for name in form.fields if name.endswith("filters-userIds")]


async def own_template(
    interface: InternalClient, name: str
) -> tuple[TemplateReply, TemplateDefinition]:
    """Return a template of the organisation's own; raises `ResourceNotFound` for any other."""
    template = await read_template(interface, name)
    if not template.definition:
        raise ResourceNotFound(f"there is no template {name} of the organisation", field="name")
    return template, template.definition


def definition_text(definition: JsonObject) -> str:
    """Return a definition as the API takes it."""
    return json.dumps(definition, indent=2)


def _parsed(definition: JsonObject) -> TemplateDefinition | None:
    """Return a definition as the API reads it; None if it is malformed."""
    try:
        return msgspec.convert(definition, TemplateDefinition)
    except msgspec.ValidationError:
        return None


async def _builder(
    request: PageRequest, draft: _TemplateDraft, *, problem: Refused | None = None
) -> Response[str]:
    definition, language = draft.definition, request.user.language
    params = preview_params(definition, draft.form, request.now(), request.user.zone)
    title = draft.form.text("title") or _("Value")
    report, parsed = None, _parsed(definition)
    try:
        body = {"definition": definition, "params": params}
        reply = await request.interface.submit(MetricResultReply, PREVIEW, body)
        report = report_of("", reply, "", others=_("All others"), all_=title, definition=parsed)
    except Refused as error:
        problem = problem or error
    problems = problems_of(problem, language)
    chosen_users = {name: split_users(draft.form.texts(name)) for name in _user_fields(draft.form)}
    values: dict[str, object] = {
        **_choices(draft.subject, language),
        "subject": draft.subject,
        "form": draft.form,
        "opened": opened_folds(draft.form),
        "chosen_users": chosen_users,
        "users": await names_of_users(
            request.interface, (each for ids, _text in chosen_users.values() for each in ids)
        ),
        "template": draft.template,
        "definition": definition,
        "definition_text": definition_text(definition),
        "words": None if problem or parsed is None else definition_summary(parsed, language),
        "params": params,
        "until": last_day(params),
        "report": report,
        "title": title,
        "names": NAMES,
        "problems": problems,
        "wrong_inputs": {each.input: each.sentence for each in problems},
    }
    if problem is not None:
        return request.with_problem(_BUILDER, problem, **values)
    return request.page(_BUILDER, **values)


def _choices(subject: TemplateSubject, language: str) -> dict[str, object]:
    gettext = catalogue(language).gettext

    def translated(choices: Choices) -> Choices:
        return [(value, gettext(label)) for value, label in choices]

    dimensions = DIMENSIONS[subject]
    return {
        "subjects": translated(list(SUBJECTS.items())),
        "sides": SIDES,
        "functions": translated(function_choices(subject)),
        "operand_functions": translated(function_choices(subject, is_operand=True)),
        "quantities": translated(quantity_choices(subject)),
        "roundings": translated(ROUNDINGS),
        "if_zero": translated(IF_ZERO),
        "intervals": translated(INTERVALS),
        "dimensions": dimensions,
        "breakdowns": translated(
            [(each.name, NAMES["dimensions"][each.name]) for each in dimensions]
        ),
        "filters": translated([(each.param, NAMES["filters"][each.param]) for each in dimensions]),
    }


_LABELS: Final[Mapping[str, str]] = {
    **FILTER_LABELS,
    "function": _("Calculation"),
    "of": _("Quantity"),
    "digits": _("Decimals"),
    "rounding": _("Rounding"),
    "ifZero": _("If the second number is zero"),
    "left": _("First number"),
    "right": _("Second number"),
    "breakdowns": _("Reports can be grouped by"),
    "intervals": _("Intervals"),
    "params": _("Reports can be filtered by"),
    "minimum": _("At least (USD)"),
    "maximum": _("At most (USD)"),
    "amountUsd": _("Amount in USD"),
    "name": _("Identifier for the API"),
    "displayName": _("Name"),
    "description": _("Description"),
    "createdAfter": _("Start date"),
    "createdBefore": _("End date"),
}
_SIDES = ("left", "right")


class InputProblem(NamedTuple):
    """Problem of one input of the form."""

    input: str
    label: str
    sentence: str


def problems_of(problem: Refused | None, language: str) -> Sequence[InputProblem]:
    """Return the problems of a refused definition; none for any other refusal."""
    return [
        InputProblem(
            input_of(path),
            _label(path, language),
            refusal_text(sentence.removeprefix(path).strip(), language),
        )
        for path, sentence in _sentences(problem).items()
    ]


def _sentences(problem: Refused | None) -> Mapping[str, str]:
    if isinstance(problem, FieldsInvalid):
        return problem.fields
    # A value of a wrong type; its message is for programs.
    is_typed = isinstance(problem, FieldInvalid) and problem.field is not None
    return {str(problem.field): _("is not valid")} if problem is not None and is_typed else {}


def _label(path: str, language: str) -> str:
    *parents, last = path.partition("[")[0].split(".")
    names = [*(each for each in parents if each in _SIDES), last]
    return " · ".join(catalogue(language).gettext(_LABELS.get(each, each)) for each in names)


class TemplatePages(Controller):
    """`/dashboard/reports/templates/{name}`."""

    path = "/reports/templates/{name:str}"

    @get("/")
    async def show(self, request: PageRequest, name: FromPath[str]) -> Response[str]:
        """Show the newest version of a template, or that of `NAME@2`."""
        return await _page(request, name)

    @post("/delete")
    async def delete(self, request: PageRequest, name: FromPath[str]) -> Page:
        """Delete all versions of a template; one in use is refused with what uses it."""
        try:
            await request.interface.delete(f"/v2/reporting/templates/{name}")
        except Refused as problem:
            return await _page(request, name, problem=problem)
        return redirect("/dashboard/reports", notice=_("Template deleted"))


async def _page(
    request: PageRequest, name: str, *, problem: Refused | None = None
) -> Response[str]:
    template, definition = await own_template(request.interface, name)
    saved = (await request.interface.read(MetricList, "/v2/reporting/metrics")).data
    gettext = catalogue(request.user.language).gettext
    values: dict[str, object] = {
        "template": template,
        "words": definition_summary(definition, request.user.language),
        "definition_text": definition_text(to_builtins(definition)),
        "filter_names": ", ".join(
            gettext(FILTER_LABELS.get(each.name, each.name)) for each in filters(template)
        ),
        "uses": [each for each in saved if each.template == template.name],
    }
    if problem is not None:
        return request.with_problem("reports/template.html", problem, **values)
    return request.page("reports/template.html", **values)
