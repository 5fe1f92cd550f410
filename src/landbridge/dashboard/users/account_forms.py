"""Bank account form, built from the field table of the account type.

A few controlling fields decide which others apply: the transfer type decides the routing number.
They are chosen first; the form then shows the fields for these values.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from landbridge.customers.bank_accounts.field_tables import (
    COUNTRY,
    EMAIL,
    NAME,
    PHONE,
    AccountField,
    AccountTypeTable,
    AddressField,
    ChoiceField,
    DependentChoiceField,
    DependentNumberField,
    FieldCondition,
    Kind,
    PastDateField,
    Ramp,
    TextField,
)
from landbridge.customers.bank_accounts.types import BY_TYPE
from landbridge.customers.users.model import UserType
from landbridge.dashboard.json_text import as_object
from landbridge.dashboard.users.account_labels import field_label
from landbridge.dashboard.users.nested_fields import nest
from landbridge.platform.formats.bank_numbers import BankNumber

HOLDER = "accountHolder"
FIRST_KIND = "us:offramp"


class InputType(StrEnum):
    """Kind of input shown for a field."""

    TEXT = "text"
    EMAIL = "email"
    PHONE = "tel"
    DATE = "date"
    SELECT = "select"
    COUNTRY = "country"
    ADDRESS = "address"


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountFormInput:
    """Input of the form. `name` is its path in the request, `expected` describes its format."""

    name: str
    label: str
    input_type: InputType
    is_required: bool
    choices: Sequence[str] = ()
    default: str = ""
    expected: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountForm:
    """Form of an account type; `controlling_values` are those chosen first."""

    table: AccountTypeTable
    ramp: Ramp
    holder_type: UserType
    controlling_inputs: Sequence[AccountFormInput]
    controlling_values: Mapping[str, str]
    bank_inputs: Sequence[AccountFormInput]
    holder_inputs: Sequence[AccountFormInput]
    # Groups of fields of which one is enough.
    alternatives: Sequence[Sequence[str]]

    @property
    def kind(self) -> str:
        """Account type and direction, as `us:offramp`."""
        return f"{self.table.name}:{self.ramp}"

    @property
    def rail(self) -> str:
        """Return the rail for which the user must be verified."""
        kind = self.table.field("currency").kind
        only = kind.values[0] if isinstance(kind, ChoiceField) else ""
        return self.table.kyc_rail(self.controlling_values.get("currency", only)).value


def account_form(submitted: Mapping[str, str]) -> AccountForm:
    """Return the form of the chosen account type and holder, of the first type if unknown."""
    name, _, ramp_name = submitted.get("kind", FIRST_KIND).partition(":")
    table = next((BY_TYPE[key] for key in BY_TYPE if key == (name, ramp_name)), None)
    if table is None:
        return account_form({**submitted, "kind": FIRST_KIND})
    holder_type = next((each for each in table.holder if each == submitted.get("holder")), None)
    holder_type = holder_type or UserType.INDIVIDUAL
    controlling_values = _controlling_values(table, submitted)
    prefix = f"{name}."
    fields = table.holder.get(holder_type, ())
    return AccountForm(
        table=table,
        ramp=Ramp(ramp_name),
        holder_type=holder_type,
        controlling_inputs=[
            _input(each, "", controlling_values) for each in _controlling_fields(table)
        ],
        controlling_values=controlling_values,
        bank_inputs=[
            _input(
                each,
                prefix,
                controlling_values,
                is_required=each.name in _sole_alternatives(table, controlling_values),
            )
            for each in table.fields
            if each.name not in controlling_values and _is_applicable(each, controlling_values)
        ],
        holder_inputs=[_input(each, f"{HOLDER}.", controlling_values) for each in fields],
        alternatives=[
            names
            for each in table.choices
            if len(
                names := [
                    name
                    for name in each.members
                    if _is_named_field_shown(table, name, controlling_values)
                ]
            )
            > 1
        ],
    )


def account_body(form: AccountForm, submitted: Mapping[str, str]) -> dict[str, object]:
    """Return the request body for a submitted form."""
    name = form.table.name
    body = nest(submitted, name, HOLDER)
    bank = as_object(body.get(name)) | dict(form.controlling_values)
    for each in form.bank_inputs:
        # A field with a single choice is not shown; send that choice.
        if len(each.choices) == 1:
            bank[each.name.partition(".")[2]] = each.choices[0]
    request: dict[str, object] = {"rail": form.ramp.value, "type": name, name: bank}
    if form.holder_inputs:
        request[HOLDER] = as_object(body.get(HOLDER)) | {"type": form.holder_type.value}
    return request | {"requestId": submitted.get("requestId") or None}


def _controlling_fields(table: AccountTypeTable) -> Iterator[AccountField]:
    """Yield fields that other fields depend on and that have more than one choice."""
    referenced = {name for each in table.fields for name in each.depends_on}
    for each in table.fields:
        if each.name in referenced and (
            not isinstance(each.kind, ChoiceField) or len(each.kind.values) > 1
        ):
            yield each


def _controlling_values(table: AccountTypeTable, submitted: Mapping[str, str]) -> dict[str, str]:
    controlling_values: dict[str, str] = {}
    for each in _controlling_fields(table):
        choices = _choices(each.kind, controlling_values)
        value = submitted.get(each.name, "")
        controlling_values[each.name] = value if value in choices else each.default or choices[0]
    return controlling_values


def _choices(kind: Kind, controlling_values: Mapping[str, str]) -> Sequence[str]:
    match kind:
        case ChoiceField(values):
            return values
        case DependentChoiceField(member, values):
            return values[controlling_values[member]]
        case _:
            return ()


def _is_named_field_shown(
    table: AccountTypeTable, name: str, controlling_values: Mapping[str, str]
) -> bool:
    return _is_applicable(table.field(name), controlling_values)


def _is_applicable(field: AccountField, controlling_values: Mapping[str, str]) -> bool:
    """Return whether the field is accepted and relevant for these controlling values."""
    if field.refused is not None and _is_met(field.refused, controlling_values):
        return False
    return not isinstance(field.required, FieldCondition) or _is_met(
        field.required, controlling_values
    )


def _is_met(condition: FieldCondition, controlling_values: Mapping[str, str]) -> bool:
    return controlling_values.get(condition.member) in condition.words


def _sole_alternatives(table: AccountTypeTable, controlling_values: Mapping[str, str]) -> set[str]:
    """Return fields that became required: the only remaining one of a required group."""
    remaining = [
        [name for name in each.members if _is_named_field_shown(table, name, controlling_values)]
        for each in table.choices
        if each.at_least
    ]
    return {each[0] for each in remaining if len(each) == 1}


def _input(
    field: AccountField,
    prefix: str,
    controlling_values: Mapping[str, str],
    *,
    is_required: bool = False,
) -> AccountFormInput:
    input_type, expected = _input_type(field.kind, controlling_values)
    return AccountFormInput(
        name=f"{prefix}{field.name}",
        label=field_label(field.name),
        input_type=input_type,
        is_required=is_required or field.required is not False,
        choices=_choices(field.kind, controlling_values),
        default=field.default or "",
        expected=expected,
    )


def _input_type(kind: Kind, controlling_values: Mapping[str, str]) -> tuple[InputType, str]:
    match kind:
        case ChoiceField() | DependentChoiceField():
            return InputType.SELECT, ""
        case PastDateField():
            return InputType.DATE, ""
        case AddressField():
            return InputType.ADDRESS, ""
        case BankNumber():
            return InputType.TEXT, kind.expected
        case DependentNumberField():
            return InputType.TEXT, kind.numbers[controlling_values[kind.member]].expected
        case TextField():
            plain = {
                COUNTRY: InputType.COUNTRY,
                EMAIL: InputType.EMAIL,
                PHONE: InputType.PHONE,
                NAME: InputType.TEXT,
            }
            return plain.get(kind, InputType.TEXT), ""
