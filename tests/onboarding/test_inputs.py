"""Questions generated from the tables of fields: every one has words, and reads what it shows."""

from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.core.errors import FieldInvalid
from landbridge.kyc.fields import BUSINESS, DOCUMENT, INDIVIDUAL, OWNER
from landbridge.kyc.kinds import Context, Kind, Questionnaire, Several, Words
from landbridge.kyc.rails import RAILS
from landbridge.kyc.rails.table import Ask
from landbridge.onboarding import places, words
from landbridge.onboarding.answers import answers
from landbridge.onboarding.inputs import Question, Shape, answered, in_words, read, sentence, show
from landbridge.onboarding.journey import CONSTANTS
from landbridge.onboarding.registration import about, controller, signer
from landbridge.users.model import UserType
from landbridge.users.policy import Policy

CONTEXT = Context(date(2026, 3, 1), Policy(countries=["CUB"], us_states=["NY"]))
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


def _questions() -> Iterator[Question]:
    """Every question that the form may ever ask."""
    for table in RAILS.values():
        for of, ask in (
            (UserType.INDIVIDUAL, table.INDIVIDUAL),
            (UserType.BUSINESS, table.BUSINESS),
        ):
            yield from _asked(of, ask)
            if ask.owners is not None:
                yield from _asked(None, ask.owners)
    for of in UserType:
        yield from about(of)
    yield from [*controller(), *signer()]
    for name in ("issuedCountry", "number", "expiryDate", "description"):
        yield Question(name, DOCUMENT[name], None)


def _asked(of: UserType | None, ask: Ask) -> Iterator[Question]:
    constants = {name for name, _ in CONSTANTS.values()}
    for name in ask.required:
        kind: Kind = FIELDS[of][name]
        if isinstance(kind, Questionnaire):
            for part in ask.parts[name].required:
                yield Question(f"{name}.{part}", kind.fields[part], of)
        elif name not in constants:
            yield Question(name, kind, of)


QUESTIONS = {(each.of, each.path): each for each in _questions()}.values()


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda each: f"{each.of}-{each.path}")
def test_every_question_has_words_and_reads_what_it_shows(question: Question) -> None:
    name = question.name or question.path
    assert words.find_word(question.of, name), "give it a label in onboarding/words.py"
    value = GOOD.get(name, _sample(question.kind))
    form = answered(question, value)
    shown = show(question, form, {})
    assert shown.label
    told, errors = read(question, form, CONTEXT)
    assert errors == {}
    again = question.kind.read(question.path, told, CONTEXT)
    assert again == question.kind.read(question.path, _as_told(value, told), CONTEXT)
    assert in_words(question, again)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda each: f"{each.of}-{each.path}")
def test_a_blank_is_asked_for_beside_its_input(question: Question) -> None:
    _, errors = read(question, {}, CONTEXT)
    shown = show(question, {}, errors)
    places_of_errors = {shown.id, *(part.id for part in shown.parts)}
    assert errors
    assert set(errors) <= places_of_errors
    for said in errors.values():
        assert said.startswith(("Enter", "Choose")) or said.endswith("an answer")


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
def test_whatever_is_sent_is_read_or_told_to_be_wrong(form: dict[str, list[str]]) -> None:
    found = answers(QUESTIONS, form, CONTEXT)
    for each in QUESTIONS:
        is_wrong = any(
            path == each.path or path.startswith(f"{each.path}.") for path in found.errors
        )
        assert is_wrong or each.path in found.told or not each.is_required
        show(each, form, found.errors)


def test_an_error_says_the_label_and_not_the_name_of_the_field() -> None:
    question = Question("phone", INDIVIDUAL["phone"], UserType.INDIVIDUAL)
    _, errors = read(question, {"phone": ["12"]}, CONTEXT)
    assert errors == {
        "phone": "Phone number must be a phone number with its country code, as in +14155550123"
    }
    assert sentence(FieldInvalid("x: no", field="x"), "The thing") == "The thing: no"
    assert sentence(FieldInvalid("no such thing"), "The thing") == "No such thing"


def test_an_address_blames_its_part() -> None:
    question = Question("address", INDIVIDUAL["address"], UserType.INDIVIDUAL)
    form = answered(question, {**ADDRESS, "stateProvinceRegion": "NY"})
    assert list(read(question, form, CONTEXT)[1]) == ["address.stateProvinceRegion"]
    form = answered(question, {**ADDRESS, "country": "CUB", "stateProvinceRegion": "03"})
    assert list(read(question, form, CONTEXT)[1]) == ["address.country"]
    form.pop("address.city")
    assert list(read(question, form, CONTEXT)[1]) == ["address.city"]


@pytest.mark.parametrize(
    ("country", "told", "code"),
    [
        ("USA", "California", "CA"),
        ("USA", "california ", "CA"),
        ("USA", "ca", "ca"),
        ("USA", "Kalifornien", "Kalifornien"),
        ("BRA", "S\u00e3o Paulo", "SP"),
        ("NOWHERE", "CA", "CA"),
    ],
)
def test_regions_are_known_by_name_and_code(country: str, told: str, code: str) -> None:
    assert places.region_code(country, told) == code


def test_countries_are_listed_by_name() -> None:
    listed = places.countries()
    assert ("BOL", "Bolivia") in listed
    assert len(listed) > 240
    assert places.country_name("DEU") == "Germany"


@pytest.mark.parametrize(
    "value",
    sorted(
        {
            word
            for each in QUESTIONS
            for kind in [each.kind.each if isinstance(each.kind, Several) else each.kind]
            if isinstance(kind, Words)
            for word in kind.values
        }
    ),
)
def test_every_choice_reads_like_words(value: str) -> None:
    said = words.value(value)
    assert "_" not in said
    assert said[0].isupper() or said[0].isdigit()


def test_none_of_the_choices_comes_last() -> None:
    question = next(each for each in QUESTIONS if each.path.endswith("highRiskActivities"))
    assert show(question, {}, {}).options[-1] == ("none_of_the_above", "None of these")
    assert show(question, {}, {}).shape is Shape.CHECKS


def _sample(kind: Kind) -> Any:
    match kind:
        case Words(values=values):
            return values[0]
        case Several(each=Words(values=values)):
            return list(values[:2])
        case _ if kind.wire == "boolean":
            return True
        case _ if kind.wire == "date":
            return "2025-01-31"
        case _ if "alpha-3" in kind.expected:
            return "USA"
        case _:
            return "12345678901"


def _as_told(value: Any, told: Any) -> Any:
    """A share is kept as text and told as a number."""
    return told if type(told).__name__ == "Decimal" else value
