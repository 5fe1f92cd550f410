"""Questions generated from the field tables: each has texts, and parses what it renders."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.customers.kyc.field_types import (
    ChoiceFieldType,
    Kind,
    ListFieldType,
    QuestionnaireFieldType,
    ValidationContext,
)
from landbridge.customers.kyc.fields import BUSINESS, DOCUMENT, INDIVIDUAL, OWNER
from landbridge.customers.kyc.rails import RAILS
from landbridge.customers.kyc.rails.requirement_table import RequirementSet
from landbridge.customers.onboarding import countries, labels
from landbridge.customers.onboarding.form_inputs import (
    FormQuestion,
    QuestionType,
    answered,
    in_words,
    read,
    sentence,
    show,
)
from landbridge.customers.onboarding.form_progress import CONSTANTS
from landbridge.customers.onboarding.form_service import answers
from landbridge.customers.onboarding.registration import controller, signer, subject_questions
from landbridge.customers.users.country_policy import CountryPolicy
from landbridge.customers.users.model import UserType
from landbridge.platform.core.errors import FieldInvalid
from tests.matrices import in_one_test

CONTEXT = ValidationContext(date(2026, 3, 1), CountryPolicy(countries=["CUB"], us_states=["NY"]))
FIELDS = {UserType.INDIVIDUAL: INDIVIDUAL, UserType.BUSINESS: BUSINESS, None: OWNER}
ADDRESS = {
    "addressLine1": "1 Market Street",
    "city": "San Francisco",
    "stateProvinceRegion": "CA",
    "postalCode": "94105",
    "country": "USA",
}
GOOD: dict[str, Any] = {
    "address": ADDRESS,
    "registeredAddress": ADDRESS,
    "dateOfBirth": "1985-03-27",
    "incorporationDate": "2015-02-01",
    "relationshipEstablishedAt": "2015-02-01",
    "email": "ada@example.com",
    "phone": "+14155550123",
    "nationality": "USA",
    "website": "https://example.com",
    "shareProportion": "40",
    "roles": ["UBO", "DIRECTOR"],
}


def _questions() -> Iterator[FormQuestion]:
    """Yield every question of the form."""
    for table in RAILS.values():
        for of, ask in (
            (UserType.INDIVIDUAL, table.individual),
            (UserType.BUSINESS, table.business),
        ):
            yield from _questions_of(of, ask)
            if ask.owners is not None:
                yield from _questions_of(None, ask.owners)
    for of in UserType:
        yield from subject_questions(of)
    yield from [*controller(), *signer()]
    for name in ("issuedCountry", "number", "expiryDate", "description"):
        yield FormQuestion(name, DOCUMENT[name], None)


def _questions_of(of: UserType | None, ask: RequirementSet) -> Iterator[FormQuestion]:
    constants = {name for name, _ in CONSTANTS.values()}
    for name in ask.required:
        kind: Kind = FIELDS[of][name]
        if isinstance(kind, QuestionnaireFieldType):
            for part in ask.parts[name].required:
                yield FormQuestion(f"{name}.{part}", kind.fields[part], of)
        elif name not in constants:
            yield FormQuestion(name, kind, of)


QUESTIONS = {(each.of, each.path): each for each in _questions()}.values()


@in_one_test(QUESTIONS)
def test_every_question_has_texts_and_parses_what_it_renders(question: FormQuestion) -> None:
    name = question.name or question.path
    assert labels.find_word(question.of, name), "give it a label in customers/onboarding/labels.py"
    value = GOOD.get(name, _sample(question.kind))
    form = answered(question, value)
    shown = show(question, form, {})
    assert shown.label
    answers, errors = read(question, form, CONTEXT)
    assert errors == {}
    again = question.kind.read(question.path, answers, CONTEXT)
    assert again == question.kind.read(question.path, _as_submitted(value, answers), CONTEXT)
    assert in_words(question, again)


@in_one_test(QUESTIONS)
def test_a_missing_answer_is_reported_next_to_its_input(question: FormQuestion) -> None:
    _, errors = read(question, {}, CONTEXT)
    shown = show(question, {}, errors)
    places_of_errors = {shown.id, *(part.id for part in shown.parts)}
    assert errors
    assert set(errors) <= places_of_errors
    for text in errors.values():
        assert text.startswith(("Enter", "Choose")) or text.endswith("an answer")


FORMS = st.dictionaries(
    st.sampled_from(
        [
            *{
                name
                for each in QUESTIONS
                for shown in [show(each, {}, {})]
                for name in (shown.id, *(part.id for part in shown.parts))
            }
        ]
    ),
    st.lists(st.text(max_size=30) | st.sampled_from(["yes", "no", "USA", "CA", "1", "UBO"])),
)


@given(FORMS)
def test_any_form_is_read_or_reported_as_invalid(form: dict[str, list[str]]) -> None:
    found = answers(QUESTIONS, form, CONTEXT)
    for each in QUESTIONS:
        is_wrong = any(
            path == each.path or path.startswith(f"{each.path}.") for path in found.errors
        )
        assert is_wrong or each.path in found.answers or not each.is_required
        show(each, form, found.errors)


def test_an_error_shows_the_label_instead_of_the_field_name() -> None:
    question = FormQuestion("phone", INDIVIDUAL["phone"], UserType.INDIVIDUAL)
    _, errors = read(question, {"phone": ["12"]}, CONTEXT)
    assert errors == {
        "phone": "Phone number must be a phone number with its country code, as in +14155550123"
    }
    assert sentence(FieldInvalid("x: no", field="x"), "The thing") == "The thing: no"
    assert sentence(FieldInvalid("no such thing"), "The thing") == "No such thing"


def test_an_address_blames_its_part() -> None:
    question = FormQuestion("address", INDIVIDUAL["address"], UserType.INDIVIDUAL)
    form = answered(question, {**ADDRESS, "stateProvinceRegion": "NY"})
    assert list(read(question, form, CONTEXT)[1]) == ["address.stateProvinceRegion"]
    form = answered(question, {**ADDRESS, "country": "CUB", "stateProvinceRegion": "03"})
    assert list(read(question, form, CONTEXT)[1]) == ["address.country"]
    form.pop("address.city")
    assert list(read(question, form, CONTEXT)[1]) == ["address.city"]


@pytest.mark.parametrize(
    ("country", "name", "code"),
    [
        ("USA", "California", "CA"),
        ("USA", "california ", "CA"),
        ("USA", "ca", "ca"),
        ("USA", "Kalifornien", "Kalifornien"),
        ("BRA", "S\u00e3o Paulo", "SP"),
        ("NOWHERE", "CA", "CA"),
    ],
)
def test_regions_are_known_by_name_and_code(country: str, name: str, code: str) -> None:
    assert countries.region_code(country, name) == code


def test_countries_are_listed_by_name() -> None:
    listed = countries.countries()
    assert ("BOL", "Bolivia") in listed
    assert len(listed) > 240
    assert countries.country_name("DEU") == "Germany"


@in_one_test(
    sorted(
        {
            word
            for each in QUESTIONS
            for kind in [each.kind.each if isinstance(each.kind, ListFieldType) else each.kind]
            if isinstance(kind, ChoiceFieldType)
            for word in kind.values
        }
    )
)
def test_every_choice_has_a_readable_label(value: str) -> None:
    text = labels.value(value)
    assert "_" not in text
    assert text[0].isupper() or text[0].isdigit()


def test_none_of_the_choices_comes_last() -> None:
    question = next(each for each in QUESTIONS if each.path.endswith("highRiskActivities"))
    assert show(question, {}, {}).options[-1] == ("none_of_the_above", "None of the above")
    assert show(question, {}, {}).shape is QuestionType.CHECKS


def _sample(kind: Kind) -> Any:
    match kind:
        case ChoiceFieldType(values=values):
            return values[0]
        case ListFieldType(each=ChoiceFieldType(values=values)):
            return list(values[:2])
        case _ if kind.wire == "boolean":
            return True
        case _ if kind.wire == "date":
            return "2025-01-31"
        case _ if "alpha-3" in kind.expected:
            return "USA"
        case _:
            return "12345678901"


def _as_submitted(value: Any, answer: Any) -> Any:
    """Return a value as clients submit it: a share is stored as text and submitted as a number."""
    return answer if type(answer).__name__ == "Decimal" else value
