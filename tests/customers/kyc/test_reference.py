"""docs/reference/kyc.md equals the tables of fields and rails."""

import os
from collections.abc import Iterator, Mapping

import pytest

from landbridge.customers.kyc.documents import accepted
from landbridge.customers.kyc.field_types import Kind, QuestionnaireFieldType
from landbridge.customers.kyc.fields import BUSINESS, DOCUMENT, INDIVIDUAL, OWNER
from landbridge.customers.kyc.model import Rail
from landbridge.customers.kyc.rails import RAILS
from landbridge.customers.kyc.rails.requirement_table import RequirementSet
from landbridge.customers.users.model import UserType
from tests.sources import ROOT

PAGE = ROOT / "docs" / "reference" / "kyc.md"


@pytest.mark.parametrize("part", ["requirements", "fields"])
def test_the_tables_of_the_page_are_those_of_the_code(part: str) -> None:
    begin, end = f"<!-- {part}:begin -->\n", f"<!-- {part}:end -->"
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    created = "\n".join(_requirements() if part == "requirements" else _fields())
    due = f"{before}{begin}\n{created}\n{end}{after}"
    if os.environ.get("WRITE_FIGURES"):
        PAGE.write_text(due, encoding="utf-8")
        text = due
    assert text == due, "Run the tests with WRITE_FIGURES=1 to renew the tables of kyc.md."


def test_the_page_has_every_type_of_document() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for type_ in UserType:
        types, sides = accepted(type_)
        assert f"| {', '.join(types)} | {', '.join(sides)} |" in text


def _requirements() -> Iterator[str]:
    of_people = {rail: RAILS[rail].individual for rail in Rail}
    of_businesses = {rail: RAILS[rail].business for rail in Rail}
    of_owners = {rail: owners for rail in Rail if (owners := RAILS[rail].business.owners)}
    yield from _requirement_rows("An individual", INDIVIDUAL, of_people)
    yield from _requirement_rows("A business", BUSINESS, of_businesses)
    yield from _requirement_rows("Each owner of a business", OWNER, of_owners)


def _requirement_rows(
    title: str, fields: Mapping[str, Kind], requirements: Mapping[Rail, RequirementSet]
) -> Iterator[str]:
    yield from (f"### {title}", "", f"| Field | {' | '.join(requirements)} |", "|---" * 6 + "|")
    for name, kind in fields.items():
        yield from _row(
            name, [_how(each.required, each.optional, name) for each in requirements.values()]
        )
        for inner in kind.fields if isinstance(kind, QuestionnaireFieldType) else ():
            cells = [_how_within(each, name, inner) for each in requirements.values()]
            yield from _row(f"{name}.{inner}", cells)
    yield ""
    rules: dict[str, list[Rail]] = {}
    for rail, each in requirements.items():
        for rule in each.rules:
            rules.setdefault(f"- `{rule.field}` {rule.why}", []).append(rail)
    for rule, rails in rules.items():
        yield f"{rule} ({'all rails' if len(rails) == len(Rail) else ', '.join(rails)})."
    yield from [""] if rules else []
    yield from ("| Documents | Minimum | Accepted types |", "|---|---|---|")
    yield from {
        f"| `{name}` | {group.min_count} | {', '.join(group.accepted)}"
        + "".join(f"; in {each} also {', '.join(more)}" for each, more in group.accepted_in.items())
        + " |": None
        for each in requirements.values()
        for name, group in each.documents.items()
    }
    yield ""


def _row(name: str, cells: list[str]) -> Iterator[str]:
    if any(cells):
        yield f"| `{name}` | {' | '.join(cells)} |"


def _how_within(requirements: RequirementSet, name: str, inner: str) -> str:
    """Return how a member of an object is required: in an optional object, none is."""
    parts = requirements.parts[name]
    how = _how(parts.required, parts.optional, inner)
    return how if name in requirements.required else how.replace("required", "optional")


def _how(required: tuple[str, ...], optional: tuple[str, ...], name: str) -> str:
    return "required" if name in required else "optional" if name in optional else ""


def _fields() -> Iterator[str]:
    for title, fields in (
        ("Individual", INDIVIDUAL),
        ("Business", BUSINESS),
        ("Owner", OWNER),
        ("Document", DOCUMENT),
    ):
        yield from (f"### {title}", "", "| Field | Type | Value |", "|---|---|---|")
        for name, kind in fields.items():
            yield f"| `{name}` | {kind.wire} | {kind.expected} |"
            for inner, each in (
                kind.fields.items() if isinstance(kind, QuestionnaireFieldType) else ()
            ):
                yield f"| `{name}.{inner}` | {each.wire} | {each.expected} |"
        yield ""
