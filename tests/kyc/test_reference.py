"""docs/reference/kyc.md says what the tables of fields and rails say."""

import os
from collections.abc import Iterator, Mapping

import pytest

from landbridge.kyc.documents import accepted
from landbridge.kyc.fields import BUSINESS, DOCUMENT, INDIVIDUAL, OWNER
from landbridge.kyc.kinds import Kind, Questionnaire
from landbridge.kyc.model import Rail
from landbridge.kyc.rails import RAILS
from landbridge.kyc.rails.table import Ask
from landbridge.users.model import UserType
from tests.sources import ROOT

PAGE = ROOT / "docs" / "reference" / "kyc.md"


@pytest.mark.parametrize("part", ["requirements", "fields"])
def test_the_tables_of_the_page_are_those_of_the_code(part: str) -> None:
    begin, end = f"<!-- {part}:begin -->\n", f"<!-- {part}:end -->"
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    made = "\n".join(_requirements() if part == "requirements" else _fields())
    due = f"{before}{begin}\n{made}\n{end}{after}"
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
    of_people = {rail: RAILS[rail].INDIVIDUAL for rail in Rail}
    of_businesses = {rail: RAILS[rail].BUSINESS for rail in Rail}
    of_owners = {rail: owners for rail in Rail if (owners := RAILS[rail].BUSINESS.owners)}
    yield from _asked("An individual", INDIVIDUAL, of_people)
    yield from _asked("A business", BUSINESS, of_businesses)
    yield from _asked("Each owner of a business", OWNER, of_owners)


def _asked(title: str, fields: Mapping[str, Kind], asks: Mapping[Rail, Ask]) -> Iterator[str]:
    yield from (f"### {title}", "", f"| Field | {' | '.join(asks)} |", "|---" * 6 + "|")
    for name, kind in fields.items():
        yield from _row(name, [_how(each.required, each.optional, name) for each in asks.values()])
        for inner in kind.fields if isinstance(kind, Questionnaire) else ():
            cells = [_how_within(each, name, inner) for each in asks.values()]
            yield from _row(f"{name}.{inner}", cells)
    yield ""
    rules: dict[str, list[Rail]] = {}
    for rail, each in asks.items():
        for rule in each.rules:
            rules.setdefault(f"- `{rule.field}` {rule.why}", []).append(rail)
    for rule, rails in rules.items():
        yield f"{rule} ({'all rails' if len(rails) == len(Rail) else ', '.join(rails)})."
    yield from [""] if rules else []
    yield from ("| Documents | At least | Of |", "|---|---|---|")
    yield from {
        f"| `{name}` | {group.min_count} | {', '.join(group.accepted)}"
        + "".join(f"; in {each} also {', '.join(more)}" for each, more in group.accepted_in.items())
        + " |": None
        for each in asks.values()
        for name, group in each.documents.items()
    }
    yield ""


def _row(name: str, cells: list[str]) -> Iterator[str]:
    if any(cells):
        yield f"| `{name}` | {' | '.join(cells)} |"


def _how_within(asked: Ask, name: str, inner: str) -> str:
    """Of a member of an object: in an optional object none is required."""
    parts = asked.parts[name]
    how = _how(parts.required, parts.optional, inner)
    return how if name in asked.required else how.replace("required", "optional")


def _how(required: tuple[str, ...], optional: tuple[str, ...], name: str) -> str:
    return "required" if name in required else "optional" if name in optional else ""


def _fields() -> Iterator[str]:
    for title, fields in (
        ("Individual", INDIVIDUAL),
        ("Business", BUSINESS),
        ("Owner", OWNER),
        ("Document", DOCUMENT),
    ):
        yield from (f"### {title}", "", "| Field | Type | Holds |", "|---|---|---|")
        for name, kind in fields.items():
            yield f"| `{name}` | {kind.wire} | {kind.expected} |"
            for inner, each in kind.fields.items() if isinstance(kind, Questionnaire) else ():
                yield f"| `{name}.{inner}` | {each.wire} | {each.expected} |"
        yield ""
