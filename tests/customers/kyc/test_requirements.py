"""Requirements of each rail by its table: only required fields are named when omitted."""

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cache
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from landbridge.customers.kyc.documents import new_document_ids, with_new_documents
from landbridge.customers.kyc.field_types import ValidationContext
from landbridge.customers.kyc.fields import BY_TYPE, OWNERS
from landbridge.customers.kyc.model import KycProfile, Rail, SubType
from landbridge.customers.kyc.rails import RAILS
from landbridge.customers.kyc.requirements import MISSING, ask
from landbridge.customers.kyc.updates import with_data
from landbridge.customers.users.country_policy import CountryPolicy
from landbridge.customers.users.model import UserType
from landbridge.platform.core.ids import new_id
from tests.customers.kyc.samples import (
    ADDRESS,
    COMPANY_DOCUMENTS,
    company,
    document,
    owner,
    person,
)

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
TODAY = AT.date()
CONTEXT = ValidationContext(TODAY, CountryPolicy(countries=(), us_states=()))
CASES = [(rail, type_) for rail in Rail for type_ in UserType]
Path = tuple[str, ...]

each_case = pytest.mark.parametrize(("rail", "type_"), CASES)


def complete(type_: UserType, data: Mapping[str, Any] | None = None) -> KycProfile:
    """Build a profile with everything that any rail requires, from the submitted data."""
    blank = KycProfile(user_id=new_id(), type=type_, data={}, owners=(), documents=(), version=0)
    if type_ is UserType.INDIVIDUAL:
        profile = with_data(blank, data or person(), CONTEXT, request_id=new_id(), at=AT)
        return with_documents(profile, [document()])
    profile = with_data(blank, data or company(), CONTEXT, request_id=new_id(), at=AT)
    scans = [document(uboId=str(each.id)) for each in profile.owners]
    return with_documents(profile, [*map(document, COMPANY_DOCUMENTS), *scans])


def with_documents(profile: KycProfile, documents: list[dict[str, Any]]) -> KycProfile:
    """Return the profile with these documents added."""
    return with_new_documents(profile, documents, CONTEXT, ids=new_document_ids(documents), at=AT)[
        0
    ]


def without(data: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Return the data without one member; `0` stands for the first of a list."""
    left = deepcopy(dict(data))
    index: Any = left
    for name in path[:-1]:
        index = index[int(name)] if name.isdigit() else index[name]
    del index[path[-1]]
    return left


@cache
def complete_but_for(type_: UserType, *omitted: Path) -> KycProfile:
    """Build a profile without these members once, for all rails."""
    data: dict[str, Any] = person() if type_ is UserType.INDIVIDUAL else company()
    for path in omitted:
        data = without(data, path)
    return complete(type_, data)


def required_paths(shape: Mapping[str, Any], under: Path = ()) -> Iterator[Path]:
    """Yield every member that a published shape marks as required, and required ones within it."""
    for name, value in shape.items():
        if name == "documents":
            continue
        if name == OWNERS:
            yield from required_paths(value[0]["required"], (*under, OWNERS, "0"))
            continue
        yield (*under, name)
        # An address is submitted as a whole: one without a part is refused at submission.
        if isinstance(value, dict) and name != "address":
            parts = cast("dict[str, dict[str, str]]", value)["required"]
            yield from ((*under, name, part) for part in parts)


def named(path: Path) -> str:
    """Return a path as errors name it: `ultimateBeneficialOwners[0].phone`."""
    return ".".join(path).replace(".0", "[0]")


@each_case
def test_complete_data_meets_all_requirements(rail: Rail, type_: UserType) -> None:
    assert ask(rail, complete(type_), today=TODAY).invalid == {}


@each_case
def test_only_omitted_required_fields_are_named(rail: Rail, type_: UserType) -> None:
    # Either term for an owner's role is accepted; this tests the newer one.
    older = [(OWNERS, "0", "role")] if type_ is UserType.BUSINESS else []
    paths = list(required_paths(ask(rail, complete(type_), today=TODAY).required))
    assert len(paths) >= 7
    for path in paths:
        invalid = ask(rail, complete_but_for(type_, *older, path), today=TODAY).invalid
        assert invalid["fields"] == {named(path): MISSING}, path
        assert "documents" not in invalid


@each_case
def test_all_optional_fields_can_be_omitted_together(rail: Rail, type_: UserType) -> None:
    body = person() if type_ is UserType.INDIVIDUAL else company()
    required = set(required_paths(ask(rail, complete(type_), today=TODAY).required))
    spare = {(name,) for name in BY_TYPE[type_]} - required
    questionnaire = BY_TYPE[type_]["sofEuQuestionnaire"]
    assert hasattr(questionnaire, "fields")
    if ("sofEuQuestionnaire",) in required:
        spare |= {("sofEuQuestionnaire", name) for name in body["sofEuQuestionnaire"]} - required
    if type_ is UserType.BUSINESS:
        spare |= {(OWNERS, "0", name) for name in owner()} - required
    assert spare
    for path in spare:
        assert ask(rail, complete_but_for(type_, path), today=TODAY).invalid == {}, path
    longest_first = sorted(spare, key=lambda path: (-len(path), path))
    assert ask(rail, complete_but_for(type_, *longest_first), today=TODAY).invalid == {}


@each_case
def test_each_group_of_documents_that_is_empty_is_named(rail: Rail, type_: UserType) -> None:
    whole = complete(type_)
    required = ask(rail, whole, today=TODAY).required
    groups = {(name, None): group for name, group in required["documents"].items()}
    for index, each in enumerate(whole.owners):
        of_owner = required[OWNERS][0]["required"]["documents"]
        groups |= {(f"{OWNERS}[{index}].{n}", each.id): group for n, group in of_owner.items()}
    assert len(groups) >= 2
    for (name, owner_id), group in groups.items():
        documents = tuple(
            each
            for each in whole.documents
            if each.owner_id != owner_id or each.type not in group["acceptedDocTypes"]
        )
        invalid = ask(rail, replace(whole, documents=documents), today=TODAY).invalid
        assert (name in invalid.get("documents", {}).get("groups", {})) == bool(group["minCount"])
        assert invalid.get("fields", {}) == {}


@each_case
def test_types_in_requirements_are_the_published_values(rail: Rail, type_: UserType) -> None:
    requirements = ask(rail, complete(type_), today=TODAY)

    def leaves(shape: Any) -> Iterator[str]:
        match shape:
            case str():
                yield shape
            case {"minCount": _}:
                pass
            case _:
                inner = cast("list[Any] | dict[str, Any]", shape)
                for each in inner if isinstance(inner, list) else inner.values():
                    yield from leaves(each)

    words = {*leaves(dict(requirements.required)), *leaves(dict(requirements.optional))}
    assert words <= {"string", "date", "object", "array", "boolean", "number"}
    assert requirements.required["address"]["optional"] == {"addressLine2": "string"}
    assert requirements.required.keys() & requirements.optional.keys() == set()


USD_PERSON = (
    "firstName lastName email phone nationality dateOfBirth address taxIdentificationNumber"
    " documents"
)
USD_COMPANY = (
    "businessName businessType businessIndustry registrationNumber registeredAddress address"
    " website incorporationDate email phone taxIdentificationNumber sofEuQuestionnaire"
    " ultimateBeneficialOwners documents"
)


@pytest.mark.parametrize(
    ("rail", "type_", "more", "less"),
    [
        (Rail.USD, UserType.INDIVIDUAL, "", ""),
        (Rail.USD, UserType.BUSINESS, "", ""),
        (Rail.GLOBAL_NETWORK, UserType.INDIVIDUAL, "sofEuQuestionnaire", ""),
        (Rail.GLOBAL_NETWORK, UserType.BUSINESS, "tradeName", ""),
        (Rail.SOUTH_AMERICA_STANDARD, UserType.INDIVIDUAL, "", "taxIdentificationNumber"),
        (Rail.AFRICA_GENERAL, UserType.INDIVIDUAL, "", "taxIdentificationNumber"),
        (
            Rail.AFRICA_NIGERIA,
            UserType.INDIVIDUAL,
            "additionalIdType additionalIdNumber",
            "taxIdentificationNumber",
        ),
    ],
)
def test_rails_require_what_the_contract_states(
    rail: Rail, type_: UserType, more: str, less: str
) -> None:
    """Source: contract, users 3.4."""
    usual = USD_PERSON if type_ is UserType.INDIVIDUAL else USD_COMPANY
    requirements = ask(rail, complete(type_), today=TODAY)
    assert set(requirements.required) == set(f"{usual} {more}".split()) - set(less.split())
    group = requirements.required["documents"]
    if type_ is UserType.INDIVIDUAL:
        assert group["identity"] == {
            "minCount": 1,
            "acceptedDocTypes": ["DRIVERS", "ID_CARD", "PASSPORT", "RESIDENCE_PERMIT"],
        }
        assert group["proofOfResidence"]["minCount"] == 0
    else:
        names = "legalPresence ownershipStructure companyDetails controlStructure"
        assert {name: each["minCount"] for name, each in group.items()} == dict.fromkeys(
            names.split(), 1
        )


def test_a_business_needs_an_owner() -> None:
    profile = replace(complete(UserType.BUSINESS), owners=())
    assert ask(Rail.USD, profile, today=TODAY).invalid["fields"] == {OWNERS: MISSING}


def test_each_of_many_owners_is_checked() -> None:
    owners = [owner(shareProportion=30), owner(lastName="Other", shareProportion=30, phone=None)]
    invalid = ask(Rail.USD, complete(UserType.BUSINESS, company(*owners)), today=TODAY).invalid
    assert invalid["fields"] == {f"{OWNERS}[1].phone": MISSING}


@pytest.mark.parametrize(
    ("changes", "is_enough"),
    [
        ({"roles": ["UBO"], "role": None, "shareProportion": 24}, False),
        ({"roles": ["UBO"], "role": None, "shareProportion": 25}, True),
        ({"roles": None, "role": "UBO", "shareProportion": Decimal("24.9999")}, False),
        ({"roles": ["DIRECTOR", "UBO"], "role": None, "shareProportion": 0}, False),
        ({"roles": ["DIRECTOR"], "role": None, "shareProportion": 0}, True),
        ({"roles": None, "role": "PARTNER", "shareProportion": 1}, True),
    ],
)
def test_an_ultimate_owner_owns_a_quarter(changes: dict[str, Any], *, is_enough: bool) -> None:
    body = company(owner(**changes))
    invalid = ask(Rail.USD, complete(UserType.BUSINESS, body), today=TODAY).invalid
    why = {f"{OWNERS}[0].shareProportion": "must be at least 25 for role UBO"}
    assert invalid.get("fields", {}) == ({} if is_enough else why)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"additionalIdType": "NIN"}, "additionalIdType"),
        ({"additionalIdNumber": "1234567890"}, "additionalIdNumber"),
        ({"additionalIdNumber": "1234567890a"}, "additionalIdNumber"),
        ({"additionalIdNumber": "123456789012"}, "additionalIdNumber"),
    ],
)
def test_nigeria_requires_a_bvn(changes: dict[str, Any], field: str) -> None:
    profile = complete(UserType.INDIVIDUAL, person(**changes))
    assert list(ask(Rail.AFRICA_NIGERIA, profile, today=TODAY).invalid["fields"]) == [field]
    assert ask(Rail.USD, profile, today=TODAY).invalid == {}


SIDES = st.lists(
    st.tuples(
        st.sampled_from(["PASSPORT", "ID_CARD", "DRIVERS", "RESIDENCE_PERMIT", "SELFIE"]),
        st.sampled_from(SubType),
        st.sampled_from([None, "2026-02-28", "2026-03-01"]),
    ),
    max_size=6,
)


@settings(deadline=None)
@given(SIDES)
def test_an_identity_is_one_good_document_that_shows_its_front(
    sides: list[tuple[str, SubType, str | None]],
) -> None:
    whole = complete(UserType.INDIVIDUAL)
    bare = replace(whole, documents=())
    documents = [document(t, subType=s, expiryDate=expiry) for t, s, expiry in sides]
    profile = with_documents(bare, documents) if documents else bare
    good = {(t, s) for t, s, expiry in sides if expiry != "2026-02-28"}
    is_identified = any(
        (t, "SINGLE_SIDE") in good or (t, "FRONT_SIDE") in good
        for t in ("PASSPORT", "ID_CARD", "DRIVERS", "RESIDENCE_PERMIT")
    )
    invalid = ask(Rail.USD, profile, today=TODAY).invalid
    assert (invalid == {}) == is_identified
    old = [
        each
        for each in profile.documents
        if each.expiry_date == date(2026, 2, 28) and each.type != "SELFIE"
    ]
    for each in old if invalid else []:
        assert str(each.id) in invalid["documents"]["message"]


def test_a_front_is_a_document_and_a_back_alone_is_none() -> None:
    sides = [document("ID_CARD", subType="FRONT_SIDE"), document("ID_CARD", subType="BACK_SIDE")]
    whole = complete(UserType.INDIVIDUAL)
    only = with_documents(replace(whole, documents=()), sides)
    assert ask(Rail.USD, only, today=TODAY).invalid == {}
    front, back = (replace(only, documents=(each,)) for each in only.documents)
    assert ask(Rail.USD, front, today=TODAY).invalid == {}
    assert list(ask(Rail.USD, back, today=TODAY).invalid["documents"]["groups"]) == ["identity"]


def test_a_licence_shows_the_address_where_it_does() -> None:
    def accepted(country: str, state: str) -> list[str]:
        address = {**ADDRESS, "country": country, "stateProvinceRegion": state}
        body = person(address=address, taxIdentificationNumber=None)
        requirements = ask(Rail.USD, complete(UserType.INDIVIDUAL, body), today=TODAY)
        return requirements.required["documents"]["proofOfResidence"]["acceptedDocTypes"]

    assert "DRIVERS" in accepted("USA", "TX")
    assert "DRIVERS" in accepted("CAN", "ON")
    assert accepted("GBR", "ENG") == ["PROOF_OF_ADDRESS"]


def test_every_rail_has_its_ways_to_pay() -> None:
    """Source: contract, users 3.3."""
    in_, out = RAILS[Rail.AFRICA_GENERAL].on_ramp, RAILS[Rail.AFRICA_GENERAL].off_ramp
    assert set(in_) == {"kes", "ghs", "tzs", "ugx", "bwp", "xaf", "mwk", "rwf", "zmw", "xof"}
    assert set(out) == {*in_, "zar"}
    assert RAILS[Rail.SOUTH_AMERICA_STANDARD].off_ramp["cop"] == ("achCop",)
    assert RAILS[Rail.GLOBAL_NETWORK].on_ramp == {}
    assert RAILS.keys() == set(Rail)
