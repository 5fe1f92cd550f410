"""docs/reference/accounts.md equals the tables of account types."""

import os
from collections.abc import Iterable

from landbridge.customers.bank_accounts.field_tables import (
    AccountField,
    AccountTypeTable,
    AddressField,
    ChoiceField,
    DependentChoiceField,
    DependentNumberField,
    FieldCondition,
    FieldReference,
    Kind,
    PastDateField,
    TextField,
)
from landbridge.customers.bank_accounts.types import TABLES
from landbridge.customers.users.model import UserType
from landbridge.platform.formats.bank_numbers import BankNumber
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
    """Return a section for each table."""
    return "\n\n".join(_section(table) for table in TABLES)


def _section(table: AccountTypeTable) -> str:
    ramps = ", ".join(f"`{ramp}`" for ramp in table.ramps)
    title = f"### {table.name}"
    if sum(each.name == table.name for each in TABLES) > 1:
        title += f", {' and '.join(table.ramps)}"
    lines = [
        title,
        "",
        f"`rail`: {ramps}. Verified on: {_kyc(table)}. Payment rail: {_shown(table.payment_rail)}.",
        "",
        "| Field | Value | Required |",
        "|---|---|---|",
        *(_row(table.name, field, _in_table(table, field)) for field in table.fields),
    ]
    for holder_type, fields in _holders(table):
        lines += [
            "",
            f"Holder, {holder_type}:",
            "",
            "| Field | Value | Required |",
            "|---|---|---|",
        ]
        lines += [_row("accountHolder", field, _key(table, field)) for field in fields]
    if not table.holder:
        lines += ["", "Without a holder: `accountHolder` is ignored."]
    return "\n".join(lines)


def _holders(table: AccountTypeTable) -> Iterable[tuple[str, tuple[AccountField, ...]]]:
    """Return the holder types of a table; both together if they have the same members."""
    if table.holder and len(set(table.holder.values())) == 1:
        yield " or ".join(table.holder), table.holder[UserType.INDIVIDUAL]
    else:
        yield from table.holder.items()


def _row(path: str, field: AccountField, otherwise: str | None) -> str:
    return f"| `{path}.{field.name}` | {_holds(field)} | {otherwise or _required(field)} |"


def _holds(field: AccountField) -> str:
    default = f"; `{field.default}` by default" if field.default else ""
    return _kind(field.kind) + default


def _kind(kind: Kind) -> str:
    match kind:
        case ChoiceField(values):
            return _quoted(values)
        case TextField(expected=expected) | BankNumber(expected=expected):
            return expected
        case DependentChoiceField(member=member, values=values):
            by_word = (f"{_quoted(some)} for `{word}`" for word, some in values.items())
            return f"by `{member}`: {'; '.join(by_word)}"
        case DependentNumberField(member=member, numbers=numbers):
            each = (f"{number.expected} for `{word}`" for word, number in numbers.items())
            return f"by `{member}`: {', '.join(each)}"
        case PastDateField():
            return "a date in the past, such as `1990-01-31`"
        case AddressField():
            return "an address"


def _quoted(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


def _required(field: AccountField) -> str:
    match field.required, field.refused:
        case True, _:
            return "yes"
        case FieldCondition() as when, _:
            return f"when {_condition(when)}"
        case _, FieldCondition() as when:
            return f"no, and rejected when {_condition(when)}"
        case _:
            return "no"


def _in_table(table: AccountTypeTable, field: AccountField) -> str | None:
    """Return how the other members of the table affect this one."""
    if field.name in table.needed_to_pay:
        return "no, but payouts need it"
    chosen = _chosen(table, field)
    if chosen and field.refused:
        return f"{chosen}, and rejected when {_condition(field.refused)}"
    return chosen


def _condition(when: FieldCondition) -> str:
    return f"`{when.member}` is {' or '.join(f'`{word}`' for word in when.words)}"


def _chosen(table: AccountTypeTable, field: AccountField) -> str | None:
    for choice in table.choices:
        if field.name in choice.members:
            names = ", ".join(f"`{name}`" for name in choice.members)
            count = {
                (1, 1): "exactly one",
                (0, 1): "at most one",
            }.get((choice.at_least, choice.at_most), "at least one")
            return f"{count} of {names}"
    return None


def _key(table: AccountTypeTable, field: AccountField) -> str | None:
    key = table.holder_key
    if key is None or key.member != field.name:
        return None
    names = ", ".join(f"`{name}`" for name in key.unless)
    return f"when none of {names} is given, and then {key.number.expected.partition(',')[0]}"


def _kyc(table: AccountTypeTable) -> str:
    other = [f"`{rail}` for {currency}" for currency, rail in table.kyc_by_currency.items()]
    return ", ".join([f"`{table.kyc}`", *other])


def _shown(found: str | FieldReference) -> str:
    return f"as `{found.name}`" if isinstance(found, FieldReference) else f"`{found}`"
