"""Whatever JSON is told: it is kept, or refused with the name of the field. Nothing else."""

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

from landbridge.core.errors import FieldInvalid
from landbridge.core.ids import new_id
from landbridge.kyc.documents import new_document_ids, with_new_documents
from landbridge.kyc.fields import BUSINESS, DOCUMENT, INDIVIDUAL, OWNER, OWNERS
from landbridge.kyc.kinds import Context, Kind, Questionnaire
from landbridge.kyc.model import Dossier, Rail
from landbridge.kyc.reading import with_data
from landbridge.kyc.requirements import ask
from landbridge.kyc.shapes import Expand, kyc_reply
from landbridge.users.model import UserType
from landbridge.users.policy import Policy
from landbridge.web.reply import encode
from tests.kyc.samples import ADDRESS, document, sample

AT = datetime(2026, 3, 1, 12, tzinfo=UTC)
NEW = new_id()
CONTEXT = Context(AT.date(), Policy(countries=["IRN"], us_states=["NY"]))

# As the door hands it over: numbers with a point are decimals.
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
    """Objects with some of these members: good ones, and anything at all."""
    members: dict[str, st.SearchStrategy[Any]] = {}
    for name, kind in fields.items():
        inside = any_of(kind.fields) if isinstance(kind, Questionnaire) else ADDRESSES
        members[name] = st.just(sample(name, kind)) | JSON | inside
    return st.lists(st.sampled_from(sorted(members)), max_size=6, unique=True).flatmap(
        lambda names: st.fixed_dictionaries({name: members[name] for name in names})
    )


OWNER_LISTS: st.SearchStrategy[Any] = st.lists(any_of(OWNER) | JSON, max_size=3) | JSON


@st.composite
def businesses(draw: st.DrawFn) -> dict[str, Any]:
    """A business, its owners told or not."""
    told = draw(any_of(BUSINESS))
    return {**told, OWNERS: draw(OWNER_LISTS)} if draw(st.booleans()) else told


TELLS = {UserType.INDIVIDUAL: any_of(INDIVIDUAL), UserType.BUSINESS: businesses()}


def blank(type_: UserType) -> Dossier:
    return Dossier(user_id=new_id(), type=type_, data={}, owners=(), documents=(), version=0)


def check_usable(dossier: Dossier) -> None:
    """What is kept can be stored, shown and judged."""
    assert msgspec.json.decode(msgspec.json.encode(dossier), type=Dossier) == dossier
    encode(kyc_reply(dossier, frozenset(Expand)))
    for rail in Rail:
        encode(ask(rail, dossier, today=AT.date()).invalid)


def refused_field(tell: Callable[[], Dossier], before: Dossier) -> tuple[Dossier, str | None]:
    """The dossier after telling, and the name of the field at fault if that was refused."""
    try:
        return tell(), None
    except FieldInvalid as error:
        named = error.field is None or error.field in error.message
        return before, (error.field or "") if named else "a field that the sentence does not name"


@pytest.mark.parametrize("type_", UserType)
@settings(deadline=None)
@given(data=st.data())
def test_any_data_is_kept_or_refused_by_name(type_: UserType, data: st.DataObject) -> None:
    dossier = blank(type_)
    for told in data.draw(st.lists(TELLS[type_], min_size=1, max_size=3)):
        dossier, field = refused_field(
            partial(with_data, dossier, told, CONTEXT, request_id=NEW, at=AT), dossier
        )
        if field is not None:
            # A country may be what makes a number wrong that was told before.
            assert re.split(r"[.\[]", field)[0] in {*told, "taxIdentificationNumber"}
        check_usable(dossier)


@settings(deadline=None)
@given(
    told=st.lists(
        any_of(DOCUMENT).map(lambda told: document(**told))
        | st.dictionaries(st.sampled_from(["type", "subType", "uboId"]), JSON),
        max_size=3,
    )
)
def test_any_documents_are_kept_or_refused_by_name(told: list[dict[str, Any]]) -> None:
    before = blank(UserType.INDIVIDUAL)
    dossier, field = refused_field(
        lambda: with_new_documents(before, told, CONTEXT, ids=new_document_ids(told), at=AT)[0],
        before,
    )
    assert field is None or not told or field.startswith("[")
    check_usable(dossier)


@settings(deadline=None)
@given(st.decimals(min_value=0, max_value=100, places=4))
def test_shares_come_back_as_they_were_told(share: Decimal) -> None:
    told = {OWNERS: [{"shareProportion": share}]}
    kept = with_data(blank(UserType.BUSINESS), told, CONTEXT, request_id=NEW, at=AT)
    reply = kyc_reply(kept, frozenset({Expand.OWNERS}))
    assert reply["kycInfo"][OWNERS][0]["shareProportion"] == share
