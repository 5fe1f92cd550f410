"""Builder of report templates: previewed, saved, read back, changed, deleted; by role."""

from collections.abc import Mapping
from typing import Any

import pytest
from msgspec import convert

from landbridge.dashboard.json_text import JsonObject
from landbridge.dashboard.reports.template_form import definition_of, form_of, name_of, subject_of
from landbridge.platform.http.caller import MemberRole
from landbridge.reporting.metrics.custom.definition import TemplateDefinition, TemplateSubject
from tests.dashboard.browsing import Visitor, visit
from tests.reporting.metrics.custom.templates import COUNT, FAILURES, TEMPLATES, create
from tests.tenants import Tenant, fund, make_transfer, make_user

BUILDER = "/dashboard/reports/builder"
PAGES = "/dashboard/reports/templates"
# The form of FAILURES.
FIELDS: Mapping[str, Any] = {
    "subject": "transactions",
    "function": "failureShare",
    "filters-transactionTypes": "offramp",
    "filters-countries": "MEX",
    "breakdowns": "userType",
    "intervals": "week",
    "params": "rails",
}
RATIO: JsonObject = {
    "subject": "transactions",
    "measure": {
        "function": "ratio",
        "left": {"function": "sum", "of": "feesUsd", "filters": {"outcomes": ["completed"]}},
        "right": {
            "function": "average",
            "of": "amountUsd",
            "digits": 4,
            "rounding": "down",
            "filters": {"amountUsd": {"minimum": "1.00"}},
        },
        "digits": 6,
        "rounding": "halfEven",
        "ifZero": "zero",
    },
    "filters": {"transactionTypes": ["offramp", "onramp"], "rails": ["wire", "ach"]},
    "breakdowns": ["rail", "country"],
    "intervals": ["month"],
    "params": ["userTypes"],
}


async def saved(visitor: Visitor, **changes: Any) -> str:
    """Save the template of the form and return its page."""
    fields = {**FIELDS, "title": "Failed payouts", "step": "save", **changes}
    return await visitor.submit(BUILDER, fields)


@pytest.mark.parametrize("definition", [FAILURES, RATIO])
def test_a_form_keeps_every_member_of_a_definition(definition: JsonObject) -> None:
    subject = subject_of(str(definition["subject"]))
    assert definition_of(subject, form_of(convert(definition, TemplateDefinition))) == definition


def test_filters_of_a_single_number_are_kept_among_those_of_the_template() -> None:
    measure: JsonObject = {
        "function": "count",
        "filters": {"rails": ["ach"], "amountUsd": {"minimum": "2"}},
    }
    filters: JsonObject = {"rails": ["wire", "ach"], "amountUsd": {"minimum": "1", "maximum": "9"}}
    definition: JsonObject = {"subject": "transactions", "measure": measure, "filters": filters}
    found = definition_of(
        TemplateSubject.TRANSACTIONS, form_of(convert(definition, TemplateDefinition))
    )
    assert found["measure"] == {"function": "count"}
    assert found["filters"] == {"rails": ["ach"], "amountUsd": {"minimum": "2", "maximum": "9"}}


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Failed payouts to México", "FAILED_PAYOUTS_TO_MEXICO"),
        ("2026 fees", "T_2026_FEES"),
        ("  ", ""),
        ("a" * 63 + " b", "A" * 63),
    ],
)
def test_an_identifier_is_made_of_the_title(title: str, name: str) -> None:
    assert name_of(title) == name


@pytest.mark.parametrize("subject", list(TemplateSubject))
async def test_the_builder_of_every_subject_has_a_preview(org: Tenant, subject: str) -> None:
    page = await (await visit(org)).load(BUILDER, subject=subject)
    assert page.tree.xpath('//*[@id="preview"]//figure')
    assert not page.tree.xpath('//*[@role="alert"]')


async def test_the_preview_follows_the_form(org: Tenant) -> None:
    payer, payee = await make_user(org), await make_user(org)
    await fund(org, payer, "100")
    for _ in range(2):
        await make_transfer(org, payer, payee)
    visitor = await visit(org, MemberRole.ANALYST)
    counted = await visitor.load(BUILDER)
    assert "Number of transactions" in counted.text
    assert "Transfer 2" in counted.response.text
    fields = {**FIELDS, "function": "count", "filters-countries": "", "step": "preview"}
    page = await visitor.send(BUILDER, {**fields, "filters-transactionTypes": "transfer"})
    assert page.status == 200
    assert "Number of transactions (type Transfer), per week, by user type" in page.text
    assert "Individual 2" in page.response.text
    assert [each["name"] for each in (await org.get(TEMPLATES))["data"]].count("UNSAVED") == 0


async def test_a_template_is_saved_and_read_back_in_words(org: Tenant) -> None:
    visitor = await visit(org, MemberRole.MEMBER)
    path = await saved(visitor)
    assert path == f"{PAGES}/FAILED_PAYOUTS"
    template = (await org.get(f"{TEMPLATES}/FAILED_PAYOUTS"))["data"]
    assert template["definition"] == FAILURES
    page = await visitor.load(path)
    words = "Share of failures of transactions (type Offramp; bank country Mexico), per week"
    assert f"{words}, by user type" in page.text
    listed = await visitor.load("/dashboard/reports")
    assert path in listed.links()
    chart = await visitor.load("/dashboard/reports/explore", template="FAILED_PAYOUTS")
    assert words in chart.text


async def test_a_name_may_hold_anything(org: Tenant) -> None:
    visitor, title = await visit(org), "<b>100% of %(fees)s</b> ñ"
    template_path = await saved(visitor, title=title)
    chart = "/dashboard/reports/explore"
    report = await visitor.submit(
        "/dashboard/reports/save", {"template": template_path.rpartition("/")[2], "name": title}
    )
    for path in (template_path, f"{template_path}/edit", "/dashboard/reports", report):
        page = await visitor.load(path)
        assert "<b>" not in page.response.text
        assert title in page.text or page.value("title") == title
    page = await visitor.load(chart, template=template_path.rpartition("/")[2])
    assert title in page.text
    preview = await visitor.send(BUILDER, {**FIELDS, "title": title, "breakdowns": ""})
    assert preview.status == 200


async def test_a_template_is_read_back_in_spanish(org: Tenant) -> None:
    visitor = await visit(org)
    path = await saved(visitor)
    await visitor.submit(
        "/dashboard/profile",
        {"name": "Ada", "language": "es", "theme": "dark", "wantsApprovalMails": "yes"},
    )
    of = "transacciones (tipo Offramp; país del banco México)"
    page = await visitor.load(path)
    words = f"Proporción de fallos de {of}, por semana, desglosado por tipo de usuario"
    assert words in page.text
    refused = await visitor.send(BUILDER, {**FIELDS, "intervals": "", "step": "preview"})
    assert "Intervalos: debe tener al menos un intervalo" in refused.text


async def test_a_change_makes_a_version_to_which_reports_are_moved(org: Tenant) -> None:
    visitor = await visit(org, MemberRole.MEMBER)
    path = await saved(visitor)
    report = await visitor.submit(
        "/dashboard/reports/save",
        {"template": "FAILED_PAYOUTS", "name": "Weekly", "breakdowns": "userType"},
    )
    form = await visitor.load(f"{path}/edit")
    assert form.value("title") == "Failed payouts"
    assert form.tree.xpath('//input[@name="filters-countries"][@checked]/@value') == ["MEX"]
    fields = {**FIELDS, "title": "Failures", "function": "successShare"}
    preview = await visitor.send(f"{path}/edit", {**fields, "step": "preview"})
    assert "Share of successes" in preview.text
    assert await visitor.submit(f"{path}/edit", {**fields, "step": "save"}) == path
    assert "Share of successes" in (await visitor.load(path)).text
    before = await visitor.load(report)
    assert "Share of failures" in before.text
    assert "The template has a newer version." in before.text
    assert await visitor.submit(f"{report}/move", {"version": "2"}) == report
    after = await visitor.load(report)
    assert "Share of successes" in after.text
    assert "The template has a newer version." not in after.text


async def test_a_template_in_use_is_not_deleted(org: Tenant) -> None:
    visitor = await visit(org, MemberRole.MEMBER)
    path = await saved(visitor)
    report = await visitor.submit(
        "/dashboard/reports/save", {"template": "FAILED_PAYOUTS", "name": "Weekly"}
    )
    refused = await visitor.send(f"{path}/delete")
    assert refused.status == 409
    assert 'is used by metric "Weekly"' in refused.text
    await visitor.submit(f"{report}/delete")
    assert await visitor.submit(f"{path}/delete") == "/dashboard/reports"
    assert (await visitor.open(path)).status == 404


@pytest.mark.parametrize(
    ("changes", "input_id", "sentence"),
    [
        ({"intervals": ""}, "intervals", "Intervals: must have at least one interval"),
        ({"intervals": "hour"}, "intervals", "Intervals: is not valid"),
        ({"breakdowns": "colour"}, "breakdowns", "Reports can be grouped by: must be of"),
        ({"filters-amountUsd-minimum": "x"}, "filters-amountUsd-minimum", "At least (USD): must"),
        ({"filters-transactionTypes": "swap"}, "filters-countries", "Bank countries: contradicts"),
        ({"function": "product"}, "function", "Calculation: is not valid"),
        (
            {"function": "average", "of": "fees", "digits": "many"},
            "digits",
            "Decimals: is not valid",
        ),
        ({"title": ""}, "name", "Identifier for the API: must have 1 to 64"),
        ({"name": "FEES"}, "name", "is taken by a template of Landbridge's own"),
        ({"createdAfter": "2999-01-01", "step": "preview"}, "createdAfter", "Start date: lies"),
    ],
)
async def test_a_problem_is_shown_with_its_input(
    org: Tenant, changes: dict[str, str], input_id: str, sentence: str
) -> None:
    visitor = await visit(org)
    fields = {**FIELDS, "title": "Failures", "step": "save", **changes}
    page = await visitor.send(BUILDER, fields)
    assert page.status == 422, page.text
    assert f"#f-{input_id}" in page.links()
    assert page.tree.xpath(f'//*[@id="f-{input_id}"]')
    assert sentence in page.text
    assert (await org.get(TEMPLATES))["metadata"]["count"] == 10


async def test_an_analyst_previews_and_saves_nothing(org: Tenant) -> None:
    path = await saved(await visit(org))
    analyst = await visit(org, MemberRole.ANALYST)
    assert "Save template" not in (await analyst.load(BUILDER)).text
    assert "Edit template" not in (await analyst.load(path)).text
    fields = {**FIELDS, "title": "Mine", "step": "save"}
    assert (await analyst.send(BUILDER, fields)).status == 403
    assert (await analyst.open(f"{path}/edit")).status == 403
    assert (await analyst.send(f"{path}/edit", fields)).status == 403
    assert (await analyst.send(f"{path}/delete")).status == 403
    assert (await org.get(TEMPLATES))["metadata"]["count"] == 11


async def test_templates_of_others_and_of_landbridge_are_not_edited(
    org: Tenant, other_org: Tenant
) -> None:
    await create(other_org, "THEIRS", definition=COUNT)
    visitor = await visit(org)
    for name in ("THEIRS", "FEES", "NOTHING"):
        assert (await visitor.open(f"{PAGES}/{name}")).status == 404
        assert (await visitor.open(f"{PAGES}/{name}/edit")).status == 404
        assert (await visitor.send(f"{PAGES}/{name}/edit", FIELDS)).status == 404
        assert (await visitor.send(f"{PAGES}/{name}/delete")).status == 404
