"""Forms of every page: a refusal is beside its field, linked to it, and the field has the focus."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import httpx2
import pytest

from landbridge.app.container import Container
from tests.dashboard.browsing import DashboardPage, Visitor, visit
from tests.dashboard.world import World, build_with_linked_pages
from tests.tenants import Tenant, make_tenant

pytestmark = pytest.mark.usefixtures("unlimited_pages")

# Forms that stop other forms of the world once they are accepted: submitted last.
_LAST = ("/freeze", "/erase")
# Forms that show the refusals of a file's lines in a table, beside each line.
_LINES = {"/dashboard/new/batch": {"lines", "file"}}
_WRONG = "!" * 5_000
_EMPTY = "(all)"
_INVALID = {400, 404, 422}

Fields = Mapping[str, list[str]]


class FormSubmission(NamedTuple):
    """Submission of a form with one wrong field, or with all fields empty."""

    field: str
    fields: Fields
    file_name: str | None


@pytest.fixture(scope="module")
async def org(container: Container, client: httpx2.AsyncClient) -> Tenant:
    """One organisation for the tests of this module."""
    return await make_tenant(container, client)


@pytest.fixture(scope="module")
async def world(org: Tenant) -> World:
    return await build_with_linked_pages(org)


@pytest.mark.long
async def test_each_refusal_leads_to_its_field(org: Tenant, world: World) -> None:
    admin = await visit(org)
    found: dict[str, str] = {}
    for path in world.pages().values():
        for form in _forms(await admin.open(path)):
            found.setdefault(str(form.get("action") or path), path)
    refusals, faults = 0, list[str]()
    for action in sorted(found, key=lambda each: each.endswith(_LAST)):
        page = await admin.open(found[action])
        form = next((each for each in _forms(page) if each.get("action") in {action, None}), None)
        # A form may be gone once another was accepted, as that of a decision.
        for submission in _submissions(form) if form is not None else ():
            sent = await _send(admin, action, submission)
            if sent.status < min(_INVALID):
                continue
            if submission.field in _LINES.get(action, ()):
                assert sent.tree.xpath("//tr[contains(@class, 'wrong')]"), action
                continue
            refusals += 1
            fault = fault_of(sent)
            if fault:
                faults.append(f"{action} with wrong {submission.field}: {sent.status} {fault}")
    assert not faults, "\n".join(faults)
    assert refusals > 500


def _forms(page: DashboardPage) -> list[Any]:
    """Return the forms of a page that have inputs to fill in."""
    forms = page.tree.xpath("//main//form[@method='post']")
    return [each for each in forms if _inputs(each)]


def _inputs(form: Any) -> list[str]:
    visible = form.xpath(
        ".//input[@name and not(@hidden) and not(@type='hidden') and not(@type='file')]"
        " | .//select[@name] | .//textarea[@name]"
    )
    return list(dict.fromkeys(str(each.get("name")) for each in visible))


def _submissions(form: Any) -> Iterator[FormSubmission]:
    filled: dict[str, list[str]] = {}
    for name, value in form.form_values():
        filled.setdefault(str(name), []).append(str(value))
    filled.pop("csrf", None)
    for button in form.xpath(".//button[@name]"):
        filled[str(button.get("name"))] = [str(button.get("value"))]
    file_name = next(iter(form.xpath(".//input[@type='file']/@name")), None)
    for name in _inputs(form):
        yield FormSubmission(name, {**filled, name: [_WRONG]}, file_name)
    if file_name:
        yield FormSubmission(file_name, filled, file_name)
    yield FormSubmission(_EMPTY, {**filled, **{name: [""] for name in _inputs(form)}}, file_name)


async def _send(admin: Visitor, action: str, submission: FormSubmission) -> DashboardPage:
    name = submission.file_name
    content = b"!" if submission.field == name else b""
    files = {name: ("file.txt" if content else "", content)} if name else None
    return await admin.send(action, submission.fields, files=files)


def fault_of(page: DashboardPage) -> str | None:
    """Return what is wrong with a page that shows a refusal; None if it leads to a field."""
    tree = page.tree
    links = tree.xpath("//main//*[@role='alert']//a[starts-with(@href, '#')]/@href")
    if not links:
        return f"no link to a field: {page.text[:200]}"
    name = str(links[0]).removeprefix("#f-")
    field = next(iter(tree.xpath(f"//*[@id='f-{name}']")), None)
    if field is None:
        return f"no field {name}: {page.text[:200]}"
    focused = tree.xpath("//main//*[@autofocus]")
    if not focused or focused[0] is not field:
        return f"{name} has no focus"
    if f"w-{name}" not in str(field.get("aria-describedby")).split():
        return f"{name} is not described by its sentence"
    is_group = field.tag in {"fieldset", "details"}
    if not is_group and field.get("aria-invalid") != "true":
        return f"{name} is not marked as invalid"
    sentences = tree.xpath(f"//*[@id='w-{name}']")
    return None if sentences and sentences[0].text_content().strip() else f"{name} has no sentence"
