"""The form of a bank account, made from the table of its type: it shows only what that asks.

A few members decide about others (the kind of transfer about the routing number). They are chosen
first; the rest is shown for what was chosen.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from landbridge.accounts.tables import (
    COUNTRY,
    EMAIL,
    NAME,
    PHONE,
    Field,
    Kind,
    NumberBy,
    PastDay,
    PostalAddress,
    Ramp,
    Table,
    Text,
    When,
    Words,
    WordsBy,
)
from landbridge.accounts.types import BY_TYPE
from landbridge.dashboard.users.account_words import field_word
from landbridge.dashboard.users.nesting import nested
from landbridge.formats.banks import BankNumber
from landbridge.users.model import UserType

HOLDER = "accountHolder"
FIRST_KIND = "us:offramp"


class Look(StrEnum):
    """What an input looks like."""

    TEXT = "text"
    EMAIL = "email"
    PHONE = "tel"
    DAY = "date"
    WORDS = "words"
    COUNTRY = "country"
    ADDRESS = "address"


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """An input; `name` is the place in the request, `expected` says its form."""

    name: str
    label: str
    look: Look
    is_required: bool
    choices: Sequence[str] = ()
    default: str = ""
    expected: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountForm:
    """What a type asks; `decided` are the members that were chosen first."""

    table: Table
    ramp: Ramp
    holder_type: UserType
    deciders: Sequence[Input]
    decided: Mapping[str, str]
    bank: Sequence[Input]
    holder: Sequence[Input]
    # Members of which one has to be told, or may be.
    either: Sequence[Sequence[str]]

    @property
    def kind(self) -> str:
        """As forms name it."""
        return f"{self.table.name}:{self.ramp}"

    @property
    def rail(self) -> str:
        """On which the user has to be verified."""
        kind = self.table.field("currency").kind
        only = kind.values[0] if isinstance(kind, Words) else ""
        return self.table.kyc_rail(self.decided.get("currency", only)).value


def account_form(told: Mapping[str, str]) -> AccountForm:
    """The form of the type, holder and kind of transfer that were chosen; else of the first."""
    name, _, ramp_name = told.get("kind", FIRST_KIND).partition(":")
    table = next((BY_TYPE[key] for key in BY_TYPE if key == (name, ramp_name)), None)
    if table is None:
        return account_form({**told, "kind": FIRST_KIND})
    holder_type = next((each for each in table.holder if each == told.get("holder")), None)
    holder_type = holder_type or UserType.INDIVIDUAL
    decided = _decided(table, told)
    prefix = f"{name}."
    fields = table.holder.get(holder_type, ())
    return AccountForm(
        table=table,
        ramp=Ramp(ramp_name),
        holder_type=holder_type,
        deciders=[_input(each, "", decided) for each in _deciders(table)],
        decided=decided,
        bank=[
            _input(each, prefix, decided, is_required=each.name in _only_ways(table, decided))
            for each in table.fields
            if each.name not in decided and _is_shown(each, decided)
        ],
        holder=[_input(each, f"{HOLDER}.", decided) for each in fields],
        either=[
            shown
            for each in table.choices
            if len(shown := [one for one in each.members if _is_told(table, one, decided)]) > 1
        ],
    )


def account_body(form: AccountForm, told: Mapping[str, str]) -> dict[str, Any]:
    """The request that such a form makes."""
    name = form.table.name
    body = nested(told, name, HOLDER)
    bank: dict[str, Any] = {**body.get(name, {}), **form.decided}
    for each in form.bank:
        # Where there is one word only, nobody is asked.
        if len(each.choices) == 1:
            bank[each.name.partition(".")[2]] = each.choices[0]
    asked: dict[str, Any] = {"rail": form.ramp.value, "type": name, name: bank}
    if form.holder:
        asked[HOLDER] = {**body.get(HOLDER, {}), "type": form.holder_type.value}
    return asked | {"requestId": told.get("requestId") or None}


def _deciders(table: Table) -> Iterator[Field]:
    """Members that others depend on, and that there is a choice of."""
    wanted = {name for each in table.fields for name in each.depends_on}
    for each in table.fields:
        if each.name in wanted and (not isinstance(each.kind, Words) or len(each.kind.values) > 1):
            yield each


def _decided(table: Table, told: Mapping[str, str]) -> dict[str, str]:
    decided: dict[str, str] = {}
    for each in _deciders(table):
        words = _words(each.kind, decided)
        asked = told.get(each.name, "")
        decided[each.name] = asked if asked in words else each.default or words[0]
    return decided


def _words(kind: Kind, decided: Mapping[str, str]) -> Sequence[str]:
    match kind:
        case Words(values):
            return values
        case WordsBy(member, values):
            return values[decided[member]]
        case _:
            return ()


def _is_told(table: Table, name: str, decided: Mapping[str, str]) -> bool:
    return _is_shown(table.field(name), decided)


def _is_shown(field: Field, decided: Mapping[str, str]) -> bool:
    """Whether it may be told, and is of use."""
    if field.refused is not None and _holds(field.refused, decided):
        return False
    return not isinstance(field.required, When) or _holds(field.required, decided)


def _holds(when: When, decided: Mapping[str, str]) -> bool:
    return decided.get(when.member) in when.words


def _only_ways(table: Table, decided: Mapping[str, str]) -> set[str]:
    """Members that are left of those of which one has to be told."""
    ways = [
        [one for one in each.members if _is_told(table, one, decided)]
        for each in table.choices
        if each.at_least
    ]
    return {each[0] for each in ways if len(each) == 1}


def _input(
    field: Field, prefix: str, decided: Mapping[str, str], *, is_required: bool = False
) -> Input:
    look, expected = _look(field.kind, decided)
    return Input(
        name=f"{prefix}{field.name}",
        label=field_word(field.name),
        look=look,
        is_required=is_required or field.required is not False,
        choices=_words(field.kind, decided),
        default=field.default or "",
        expected=expected,
    )


def _look(kind: Kind, decided: Mapping[str, str]) -> tuple[Look, str]:
    match kind:
        case Words() | WordsBy():
            return Look.WORDS, ""
        case PastDay():
            return Look.DAY, ""
        case PostalAddress():
            return Look.ADDRESS, ""
        case BankNumber():
            return Look.TEXT, kind.expected
        case NumberBy():
            return Look.TEXT, kind.numbers[decided[kind.member]].expected
        case Text():
            plain = {COUNTRY: Look.COUNTRY, EMAIL: Look.EMAIL, PHONE: Look.PHONE, NAME: Look.TEXT}
            return plain.get(kind, Look.TEXT), ""
