"""Bodies are parsed and refused exactly as the tables of account types state."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from landbridge.customers.bank_accounts.errors import AccountDataInvalid
from landbridge.customers.bank_accounts.field_tables import (
    ChoiceField,
    DependentChoiceField,
    Ramp,
)
from landbridge.customers.bank_accounts.parsing import ParsedAccount, read
from landbridge.customers.bank_accounts.types import BY_TYPE, NAMES, TABLES
from landbridge.customers.kyc.model import Rail
from landbridge.customers.kyc.rails import RAILS
from landbridge.customers.users.model import UserType
from landbridge.platform.core.errors import FieldInvalid, Refused
from tests.customers.bank_accounts.bodies import (
    ADDRESS,
    Case,
    cases,
    having,
    whole,
    without,
    wrong,
)
from tests.matrices import in_one_test, part_of

TODAY = date(2026, 3, 1)
CASES = list(cases())
BY_CASE = in_one_test(CASES)


def accepted(body: dict[str, Any]) -> ParsedAccount:
    """Parse a body that must be valid."""
    reading = read(body, today=TODAY)
    assert not reading.wrong
    return reading


def refused(body: dict[str, Any], *, field: str) -> Refused:
    """Return the refusal of a body; it must name this member with the matching error."""
    with pytest.raises((FieldInvalid, AccountDataInvalid)) as caught:
        read(body, today=TODAY)
    error = caught.value
    assert error.field == field
    assert field in error.message
    is_of_the_bank = field.split(".", maxsplit=1)[0] in NAMES
    assert isinstance(error, AccountDataInvalid if is_of_the_bank else FieldInvalid)
    return error


def paths(case: Case, *, is_required: bool) -> Iterator[str]:
    """Return the members of a complete body that are, or are not, required."""
    table = case.table
    chosen = {name for choice in table.choices for name in choice.members}
    for field in table.fields:
        is_meant = case.is_required(field) is is_required and not case.is_refused(field)
        if is_meant and field.name not in chosen:
            yield f"{table.name}.{field.name}"
    if case.holder is not None:
        if is_required:
            yield "accountHolder.type"
        for field in table.holder[case.holder]:
            if field.required is is_required:
                yield f"accountHolder.{field.name}"


@BY_CASE
def test_a_whole_body_is_read_and_read_again_alike(case: Case) -> None:
    reading = accepted(whole(case))
    body = {**whole(case), case.table.name: reading.bank}
    if reading.holder is not None:
        body["accountHolder"] = reading.holder
    assert accepted(body) == reading


@BY_CASE
def test_leaving_out_a_required_member_is_refused_by_its_name(case: Case) -> None:
    required = list(paths(case, is_required=True))
    assert f"{case.table.name}.currency" in required
    for path in required:
        refused(without(whole(case), path), field=path)


@BY_CASE
def test_leaving_out_an_optional_member_is_not_refused(case: Case) -> None:
    for path in paths(case, is_required=False):
        accepted(without(whole(case), path))


@pytest.mark.parametrize("case", part_of(CASES, 0, 4), ids=str)
@given(data=st.data())
@settings(max_examples=10, deadline=None)
def test_leaving_out_any_of_the_optional_members_is_not_refused(
    case: Case, data: st.DataObject
) -> None:
    body = whole(case)
    optional = list(paths(case, is_required=False))
    for path in data.draw(st.lists(st.sampled_from(optional), unique=True)) if optional else []:
        body = without(body, path)
    accepted(body)


@BY_CASE
def test_a_choice_is_refused_with_too_few_and_with_too_many(case: Case) -> None:
    name, body = case.table.name, whole(case)
    for choice in case.table.choices:
        bare = body
        for member in choice.members[: choice.at_most]:
            bare = without(bare, f"{name}.{member}")
        if choice.at_least:
            refused(bare, field=f"{name}.{choice.members[0]}")
        else:
            accepted(bare)
        for member in choice.members:
            field = case.table.field(member)
            alone = having(bare, f"{name}.{member}", case.value(field))
            if case.is_refused(field):
                refused(alone, field=f"{name}.{member}")
            else:
                accepted(alone)
        if choice.at_most < len(choice.members):
            first, second = choice.members[:2]
            both = having(body, f"{name}.{second}", case.value(case.table.field(second)))
            assert first in both[name]
            refused(both, field=f"{name}.{second}")


@BY_CASE
def test_a_member_that_does_not_belong_is_refused_by_its_name(case: Case) -> None:
    for field in case.table.fields:
        if case.is_refused(field):
            path, body = f"{case.table.name}.{field.name}", _making_room(case, field.name)
            error = refused(having(body, path, case.value(field)), field=path)
            assert "must be left out when" in error.message


@BY_CASE
def test_a_number_that_contradicts_itself_is_named_and_not_refused(case: Case) -> None:
    for field in case.table.fields:
        number = case.number(field)
        if number is None or case.is_refused(field):
            continue
        path, body = f"{case.table.name}.{field.name}", _making_room(case, field.name)
        if (problem := wrong(number)) is not None:
            reading = read(having(body, path, problem), today=TODAY)
            assert [each.field for each in reading.wrong] == [path]
            assert problem not in reading.wrong[0].reason
        refused(having(body, path, "~"), field=path)


def _making_room(case: Case, member: str) -> dict[str, Any]:
    """Return a complete body without members that exclude this one."""
    body, name = whole(case), case.table.name
    for choice in case.table.choices:
        if member in choice.members and choice.at_most == 1:
            for other in choice.members:
                body[name].pop(other, None)
    return body


@BY_CASE
def test_enumerations_are_accepted_in_any_case_and_others_refused(case: Case) -> None:
    for field in case.table.fields:
        if isinstance(field.kind, ChoiceField | DependentChoiceField):
            path = f"{case.table.name}.{field.name}"
            value = str(case.value(field))
            reading = accepted(having(whole(case), path, f" {value.upper()} "))
            assert reading.bank[field.name] == value
            refused(having(whole(case), path, "something else"), field=path)


@BY_CASE
def test_an_address_is_refused_by_the_member_at_fault(case: Case) -> None:
    if case.holder is None:
        return
    for field in case.table.holder[case.holder]:
        if field.name == "address":
            odd = {**ADDRESS, "country": "XXX"}
            body = having(whole(case), "accountHolder.address", odd)
            refused(body, field="accountHolder.address.country")


@BY_CASE
def test_bank_data_of_another_type_are_refused(case: Case) -> None:
    other = next(name for name in NAMES if name != case.table.name)
    refused({**whole(case), other: {}}, field=other)
    refused(without(whole(case), case.table.name), field=case.table.name)


@BY_CASE
def test_holders_are_individuals_or_businesses(case: Case) -> None:
    if case.holder is None:
        assert accepted({**whole(case), "accountHolder": {"type": "x"}}).holder is None
    else:
        for other in ("company", "INDIVIDUAL", ""):
            body = having(whole(case), "accountHolder.type", other)
            refused(body, field="accountHolder.type")
        refused(without(whole(case), "accountHolder"), field="accountHolder")


@pytest.mark.parametrize("case", part_of(CASES, 2, 4), ids=str)
@given(text=st.text(max_size=30), index=st.integers(0, 20))
@settings(max_examples=10, deadline=None)
def test_any_text_anywhere_is_read_or_refused_there(case: Case, text: str, index: int) -> None:
    body = whole(case)
    texts = [
        f"{where}.{name}"
        for where in (case.table.name, "accountHolder")
        for name, value in body.get(where, {}).items()
        if isinstance(value, str) and name not in {"dateOfBirth", "formationDate"}
    ]
    path = texts[index % len(texts)]
    try:
        read(having(body, path, text), today=TODAY)
    except Refused as error:
        assert error.field is not None  # noqa: PT017  either outcome is good
        assert len(text) < 12 or text not in error.message  # noqa: PT017


def test_types_and_rails_are_those_of_the_tables() -> None:
    body = whole(CASES[0])
    refused({**body, "type": "mars"}, field="type")
    refused({**body, "rail": "sideways"}, field="rail")
    for name in NAMES:
        ramps = {table.ramps for table in TABLES if table.name == name}
        assert sum(map(len, ramps)) == len([each for each in BY_TYPE if each[0] == name])
    brazil = next(case for case in CASES if case.table.name == "brazil")
    refused({**whole(brazil), "rail": "onramp"}, field="rail")


def case_of(name: str, holder: UserType | None = UserType.INDIVIDUAL, word: str = "") -> Case:
    """Return the first case of a type."""
    return next(
        case
        for case in CASES
        if case.table.name == name and case.holder is holder and word in {"", *case.words.values()}
    )


def test_the_holder_number_is_the_default_key() -> None:
    table = "brazilGlobalNetwork"
    body = without(whole(case_of(table)), f"{table}.pix")
    number = case_of(table).table.holder_key
    assert number is not None
    assert accepted(body).holder is not None
    wrong_number = wrong(number.number)
    reading = read(having(body, "accountHolder.idNumber", wrong_number), today=TODAY)
    assert [each.field for each in reading.wrong] == ["accountHolder.idNumber"]
    refused(without(body, "accountHolder.idNumber"), field="accountHolder.idNumber")
    refused(having(body, "accountHolder.idNumber", "7"), field="accountHolder.idNumber")
    accepted(having(whole(case_of(table)), "accountHolder.idNumber", "7"))


@pytest.mark.parametrize("holder", list(UserType))
def test_pesos_need_the_number_of_the_holder_and_other_currencies_do_not(
    holder: UserType,
) -> None:
    path = "accountHolder.idNumber"
    for table in TABLES:
        if table.name.endswith("GlobalNetwork"):
            body = without(whole(case_of(table.name, holder)), path)
            if "mxn" in table.currencies:
                refused(body, field=path)
            else:
                accepted(body)


def test_days_of_birth_and_formation_lie_in_the_past() -> None:
    for holder, name in (
        (UserType.INDIVIDUAL, "dateOfBirth"),
        (UserType.BUSINESS, "formationDate"),
    ):
        path = f"accountHolder.{name}"
        body = having(whole(case_of("chinaGlobalNetwork", holder)), path, TODAY.isoformat())
        refused(body, field=path)


def test_defaults_are_kept_with_the_account() -> None:
    for name, default in (("hongKongGlobalNetwork", "swift"), ("europeGlobalNetwork", "sepa")):
        body = without(whole(case_of(name, word=default)), f"{name}.transferType")
        assert accepted(body).bank["transferType"] == default


def test_every_number_that_a_list_shows_is_a_member_of_its_table() -> None:
    for table in TABLES:
        names = {field.name for field in table.fields}
        assert {*table.numbers, *table.needed_to_pay} <= names
        for shown in (table.payment_rail, table.bank_country):
            assert isinstance(shown, str) or shown.name in names


def test_european_accounts_are_those_of_countries_that_pay_by_sepa() -> None:
    body = whole(case_of("europeGlobalNetwork"))
    path = "europeGlobalNetwork.iban"
    for iban in ("DE89370400440532013000", "CH9300762011623852957", "GB29NWBK60161331926819"):
        assert accepted(having(body, path, iban)).bank["iban"] == iban
    reading = read(having(body, path, "SA0380000000608010167519"), today=TODAY)
    assert [each.field for each in reading.wrong] == [path]


@pytest.mark.parametrize("rail", [Rail.AFRICA_GENERAL, Rail.AFRICA_NIGERIA])
@pytest.mark.parametrize("ramp", list(Ramp))
def test_african_accounts_are_of_the_methods_and_countries_of_their_currency(
    rail: Rail, ramp: Ramp
) -> None:
    methods = RAILS[rail].on_ramp if ramp is Ramp.ONRAMP else RAILS[rail].off_ramp
    holder = None if ramp is Ramp.ONRAMP else UserType.INDIVIDUAL
    for currency, known in methods.items():
        for method in ("bank", "momo"):
            if method in known:
                body = whole(african(currency, method, ramp, holder))
                assert accepted(body).table.kyc_rail(currency) is rail
                refused(having(body, "africa.country", "DEU"), field="africa.country")
            else:
                body = whole(african(currency, known[0], ramp, holder))
                error = refused(having(body, "africa.accountType", method), field=ACCOUNT_TYPE)
                assert f"when currency is {currency}" in error.message
        other = "KEN" if currency != "kes" else "TZA"
        refused(having(body, "africa.country", other), field="africa.country")


ACCOUNT_TYPE = "africa.accountType"


def african(currency: str, method: str, ramp: Ramp, holder: UserType | None) -> Case:
    """Return the case of this currency and method."""
    fields = {"currency": currency, "accountType": method}
    return next(
        case
        for case in CASES
        if case.table.name == "africa"
        and (case.ramp, case.holder, case.words) == (ramp, holder, fields)
    )


def test_francs_are_the_money_of_several_countries() -> None:
    for currency, countries in (("xaf", ("CMR", "GAB")), ("xof", ("SEN", "CIV"))):
        body = whole(african(currency, "momo", Ramp.OFFRAMP, UserType.INDIVIDUAL))
        for country in countries:
            assert accepted(having(body, "africa.country", country)).bank["country"] == country


def test_an_iban_in_the_united_states_uses_swift_only() -> None:
    for word in ("ach", "wire", "rtp", "swift"):
        body = without(whole(case_of("us", word=word)), "us.accountNumber")
        body = having(body, "us.iban", "DE89370400440532013000")
        if word == "swift":
            accepted(body)
        else:
            refused(body, field="us.iban")
