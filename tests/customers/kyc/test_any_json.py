"""Any JSON is either stored, or refused with the name of the field."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from landbridge.customers.kyc.documents import new_document_ids, with_new_documents
from landbridge.customers.kyc.field_types import Kind, QuestionnaireFieldType, ValidationContext
from landbridge.customers.kyc.fields import BUSINESS, DOCUMENT, INDIVIDUAL, OWNER, OWNERS
from landbridge.customers.kyc.model import KycProfile, Rail
from landbridge.customers.kyc.requirements import ask
from landbridge.customers.kyc.schemas import KycExpand, kyc_reply
from landbridge.customers.kyc.updates import with_data
from landbridge.customers.users.country_policy import CountryPolicy
from landbridge.customers.users.model import UserType
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.ids import new_id
from landbridge.platform.http.responses import encode
from tests.customers.kyc.samples import ADDRESS, document, sample

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
NEW = new_id()
CONTEXT = ValidationContext(AT.date(), CountryPolicy(countries=["IRN"], us_states=["NY"]))

# As the request decoder returns it: numbers with a point are decimals.
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.decimals(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20)
    | st.dates().map(str)
    | st.sampled_from(["USA", "US", "1e400", "file_" + "0" * 32, "https://x.test", "M", "BVN"])
)
JSON = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
ADDRESSES = st.fixed_dictionaries({name: SCALARS | st.just(text) for name, text in ADDRESS.items()})


def any_of(fields: Mapping[str, Kind]) -> st.SearchStrategy[dict[str, Any]]:
    """Generate objects with some of these members, with valid and arbitrary values."""
    members: dict[str, st.SearchStrategy[Any]] = {}
    for name, kind in fields.items():
        inside = any_of(kind.fields) if isinstance(kind, QuestionnaireFieldType) else ADDRESSES
        members[name] = st.just(sample(name, kind)) | JSON | inside
    return st.lists(st.sampled_from(sorted(members)), max_size=6, unique=True).flatmap(
        lambda names: st.fixed_dictionaries({name: members[name] for name in names})
    )


OWNER_LISTS: st.SearchStrategy[Any] = st.lists(any_of(OWNER) | JSON, max_size=3) | JSON


@st.composite
def businesses(draw: st.DrawFn) -> dict[str, Any]:
    """Generate a business with or without owners."""
    body = draw(any_of(BUSINESS))
    return {**body, OWNERS: draw(OWNER_LISTS)} if draw(st.booleans()) else body


BODIES = {UserType.INDIVIDUAL: any_of(INDIVIDUAL), UserType.BUSINESS: businesses()}


def blank(type_: UserType) -> KycProfile:
    return KycProfile(user_id=new_id(), type=type_, data={}, owners=(), documents=(), version=0)


def check_usable(profile: KycProfile) -> None:
    """Check that stored data can be encoded, shown and evaluated."""
    assert msgspec.json.decode(msgspec.json.encode(profile), type=KycProfile) == profile
    encode(kyc_reply(profile, frozenset(KycExpand)))
    for rail in Rail:
        encode(ask(rail, profile, today=AT.date()).invalid)


def refused_field(
    submit: Callable[[], KycProfile], before: KycProfile
) -> tuple[KycProfile, str | None]:
    """Return the profile after a submission, and the field at fault if it was refused."""
    try:
        return submit(), None
    except FieldInvalid as error:
        named = error.field is None or error.field in error.message
        return before, (error.field or "") if named else "a field that the sentence does not name"


@pytest.mark.long
@pytest.mark.parametrize("type_", UserType)
@settings(deadline=None)
@given(data=st.data())
def test_any_data_is_kept_or_refused_by_name(type_: UserType, data: st.DataObject) -> None:
    profile = blank(type_)
    for body in data.draw(st.lists(BODIES[type_], min_size=1, max_size=3)):
        profile, field = refused_field(
            partial(with_data, profile, body, CONTEXT, request_id=NEW, at=AT), profile
        )
        if field is not None:
            # A country may invalidate a number that was submitted before.
            assert re.split(r"[.\[]", field)[0] in {*body, "taxIdentificationNumber"}
        check_usable(profile)


@settings(deadline=None)
@given(
    documents=st.lists(
        any_of(DOCUMENT).map(lambda fields: document(**fields))
        | st.dictionaries(st.sampled_from(["type", "subType", "uboId"]), JSON),
        max_size=3,
    )
)
def test_any_documents_are_kept_or_refused_by_name(documents: list[dict[str, Any]]) -> None:
    before = blank(UserType.INDIVIDUAL)
    profile, field = refused_field(
        lambda: with_new_documents(
            before, documents, CONTEXT, ids=new_document_ids(documents), at=AT
        )[0],
        before,
    )
    assert field is None or not documents or field.startswith("[")
    check_usable(profile)


@settings(deadline=None)
@given(st.decimals(min_value=0, max_value=100, places=4))
def test_shares_round_trip(share: Decimal) -> None:
    body = {OWNERS: [{"shareProportion": share}]}
    profile = with_data(blank(UserType.BUSINESS), body, CONTEXT, request_id=NEW, at=AT)
    reply = kyc_reply(profile, frozenset({KycExpand.OWNERS}))
    assert reply["kycInfo"][OWNERS][0]["shareProportion"] == share
