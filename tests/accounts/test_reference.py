"""docs/reference/accounts.md says what the tables say, table by table."""

import os
from collections.abc import Iterable

from landbridge.accounts.tables import (
    Field,
    Kind,
    Member,
    NumberBy,
    PastDay,
    PostalAddress,
    Table,
    Text,
    When,
    Words,
    WordsBy,
)
from landbridge.accounts.types import TABLES
from landbridge.formats.banks import BankNumber
from landbridge.users.model import UserType
from tests.sources import ROOT

PAGE = ROOT / "docs" / "reference" / "accounts.md"
BEGIN, END = "<!-- tables:begin -->\n", "<!-- tables:end -->"


def test_the_tables_of_the_page_are_those_of_the_code() -> None:
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    due = f"{before}{BEGIN}\n{written()}\n{END}{after}"
    if os.environ.get("WRITE_FIGURES"):
        PAGE.write_text(due, encoding="utf-8")
        text = due
    assert text == due, "Run the tests with WRITE_FIGURES=1 to renew the tables of accounts.md."


def written() -> str:
    """A section for each table."""
    return "\n\n".join(_section(table) for table in TABLES)


def _section(table: Table) -> str:
    ramps = ", ".join(f"`{ramp}`" for ramp in table.ramps)
    title = f"### {table.name}"
    if sum(each.name == table.name for each in TABLES) > 1:
        title += f", {' and '.join(table.ramps)}"
    lines = [
        title,
        "",
        f"`rail`: {ramps}. Verified on: {_kyc(table)}. Payment rail: {_shown(table.payment_rail)}.",
        "",
        "| Member | Holds | Required |",
        "|---|---|---|",
        *(_row(table.name, field, _in_table(table, field)) for field in table.fields),
    ]
    for holder_type, fields in _holders(table):
        lines += [
            "",
            f"Holder, {holder_type}:",
            "",
            "| Member | Holds | Required |",
            "|---|---|---|",
        ]
        lines += [_row("accountHolder", field, _key(table, field)) for field in fields]
    if not table.holder:
        lines += ["", "Without a holder: `accountHolder` is ignored."]
    return "\n".join(lines)


def _holders(table: Table) -> Iterable[tuple[str, tuple[Field, ...]]]:
    """The holders of a table; both kinds in one where they have the same members."""
    if table.holder and len(set(table.holder.values())) == 1:
        yield " or ".join(table.holder), table.holder[UserType.INDIVIDUAL]
    else:
        yield from table.holder.items()


def _row(place: str, field: Field, otherwise: str | None) -> str:
    return f"| `{place}.{field.name}` | {_holds(field)} | {otherwise or _required(field)} |"


def _holds(field: Field) -> str:
    default = f"; `{field.default}` if left out" if field.default else ""
    return _kind(field.kind) + default


def _kind(kind: Kind) -> str:
    match kind:
        case Words(values):
            return _quoted(values)
        case Text(expected=expected) | BankNumber(expected=expected):
            return expected
        case WordsBy(member=member, values=values):
            by_word = (f"{_quoted(some)} for `{word}`" for word, some in values.items())
            return f"by `{member}`: {'; '.join(by_word)}"
        case NumberBy(member=member, numbers=numbers):
            each = (f"{number.expected} for `{word}`" for word, number in numbers.items())
            return f"by `{member}`: {', '.join(each)}"
        case PastDay():
            return "a day in the past, as `1990-01-31`"
        case PostalAddress():
            return "an address"


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _required(field: Field) -> str:
    match field.required, field.refused:
        case True, _:
            return "yes"
        case When() as when, _:
            return f"when {_condition(when)}"
        case _, When() as when:
            return f"no, and refused when {_condition(when)}"
        case _:
            return "no"


def _in_table(table: Table, field: Field) -> str | None:
    """What the other members of the table have to do with it."""
    if field.name in table.needed_to_pay:
        return "no, but money can't get there without it"
    chosen = _chosen(table, field)
    if chosen and field.refused:
        return f"{chosen}, and refused when {_condition(field.refused)}"
    return chosen


def _condition(when: When) -> str:
    return f"`{when.member}` is {' or '.join(f'`{word}`' for word in when.words)}"


def _chosen(table: Table, field: Field) -> str | None:
    for choice in table.choices:
        if field.name in choice.members:
            names = ", ".join(f"`{name}`" for name in choice.members)
            count = {
                (1, 1): "exactly one",
                (0, 1): "at most one",
            }.get((choice.at_least, choice.at_most), "at least one")
            return f"{count} of {names}"
    return None


def _key(table: Table, field: Field) -> str | None:
    key = table.holder_key
    if key is None or key.member != field.name:
        return None
    names = ", ".join(f"`{name}`" for name in key.unless)
    return f"when none of {names} is told, and then {key.number.expected.partition(',')[0]}"


def _kyc(table: Table) -> str:
    other = [f"`{rail}` for {currency}" for currency, rail in table.kyc_by_currency.items()]
    return ", ".join([f"`{table.kyc}`", *other])


def _shown(found: str | Member) -> str:
    return f"as `{found.name}`" if isinstance(found, Member) else f"`{found}`"
