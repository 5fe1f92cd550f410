"""The blind index answers exactly what a plain comparison of the folded texts would."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from landbridge.core.pages import Window
from landbridge.db.sealing import new_key
from landbridge.users.model import Names
from landbridge.users.search import FIELDS, fold, grams, grams_of, matches
from landbridge.users.service import Filters
from tests.tenants import Tenant, business, individual, make_agreement

USERS = "/v2/users"
# Few letters, so that patterns are found; and those whose case or writing is unusual.
LETTERS = st.text(st.sampled_from("aAbBß\u017fİiIéÉe\u0301ﬁfi\uff46%_\\' .,Σσς日本"), max_size=12)
NAMES = st.builds(
    Names,
    email=LETTERS,
    first_name=st.none() | LETTERS,
    last_name=st.none() | LETTERS,
    business_name=st.none() | LETTERS,
)
PATTERNS = st.dictionaries(st.sampled_from(FIELDS), LETTERS, max_size=4)


@given(key=st.binary(min_size=32, max_size=32), names=NAMES, patterns=PATTERNS)
@example(b"k" * 32, Names(first_name="Straße"), {"first_name": "STRASSE"})
@example(b"k" * 32, Names(first_name="ﬁnd"), {"first_name": "FIN"})
@example(b"k" * 32, Names(last_name="e\u0301cole"), {"last_name": "École"})
def test_the_index_never_hides_what_matches(
    key: bytes, names: Names, patterns: dict[str, str]
) -> None:
    folded = {field: fold(text) for field, text in patterns.items()}
    plain = all(
        (text := getattr(names, field)) is not None and pattern in fold(text)
        for field, pattern in folded.items()
    )
    assert matches(names, folded) == plain
    if plain:
        assert set(grams(key, folded)) <= set(grams_of(key, names))


@given(text=LETTERS)
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_grams_of_a_field_are_not_those_of_another_nor_of_another_key() -> None:
    key, other = new_key(), new_key()
    first = set(grams(key, {"first_name": "ada lovelace"}))
    assert not first & set(grams(key, {"last_name": "ada lovelace"}))
    assert not first & set(grams(other, {"first_name": "ada lovelace"}))
    assert grams(key, {"first_name": "ad"}) == []


def test_a_gram_tells_an_organisation_by_its_upper_half_and_fits_an_integer() -> None:
    key = new_key()
    found = grams(key, {"email": "somebody.with.a.long.name@example.com"})
    assert len({each >> 16 for each in found}) == 1
    assert all(-(2**31) <= each < 2**31 for each in found)


@pytest.fixture(scope="module")
async def crowd(house: Any, client: Any) -> tuple[Tenant, list[tuple[str, Names]]]:
    """An organisation with users of all kinds of names, newest first."""
    from tests.tenants import make_tenant  # noqa: PLC0415  a fixture of this module alone

    org = await make_tenant(house, client)
    agreement = await make_agreement(org)
    told: list[tuple[str, Names]] = []
    for place, (first, last) in enumerate(
        [
            *(("Ada", "Lovelace"), ("ADA", "O'Neill"), ("Li", "Wu"), ("Straße", "École")),
            *(("\u0130brahim", "D'Arcy"), ("日本", "太郎"), ("Bob", "100 % sure"), ("A", "B")),
        ]
    ):
        body = individual(agreement, firstName=first, lastName=last, email=f"p{place}@example.com")
        made = await org.post(USERS, body)
        stored = await org.house.users.get(org.org_id, UUID(made["id"]))
        told.append((made["id"], stored.names))
    for name in ("Straße & Söhne GmbH", "Ada Ltd"):
        body = business(agreement, businessName=name, email="Office+x@Example.ORG")
        made = await org.post(USERS, body)
        stored = await org.house.users.get(org.org_id, UUID(made["id"]))
        told.append((made["id"], stored.names))
    return org, told[::-1]


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
async def test_lists_answer_what_plain_texts_would(
    crowd: tuple[Tenant, list[tuple[str, Names]]], data: st.DataObject
) -> None:
    org, told = crowd
    patterns: dict[str, str] = {}
    for field in data.draw(st.sets(st.sampled_from(FIELDS), min_size=1, max_size=2)):
        texts = [text for _, names in told if (text := getattr(names, field))]
        text = data.draw(st.sampled_from(texts))
        start = data.draw(st.integers(0, len(text)))
        part = text[start : data.draw(st.integers(start, len(text)))]
        change = data.draw(st.sampled_from([str.upper, str.lower, str.swapcase, str]))
        patterns[field] = change(part)
    wanted = [
        user
        for user, names in told
        if all(
            (text := getattr(names, field)) is not None and fold(pattern) in fold(text)
            for field, pattern in patterns.items()
        )
    ]
    filters = Filters(None, *(patterns.get(field) for field in FIELDS))
    page = await org.house.users.page(org.org_id, filters, Window(100, None, None))
    assert [str(each.id) for each in page.users] == wanted


async def _pages(org: Tenant, pattern: str, *, limit: int, most: int) -> list[list[str]]:
    """The names on each page of a search by first name, to its end."""
    found: list[list[str]] = []
    before = None
    while True:
        page = await org.house.users.page(
            org.org_id,
            Filters(None, pattern, None, None, None),
            Window(limit, None, before),
            batch_size=2,
            looked_through_max=most,
        )
        found.append([each.name for each in page.users])
        before = page.next_cursor
        if before is None:
            return found


@pytest.mark.parametrize("pattern", ["ad", "ada", "D"])
async def test_a_search_fills_its_page_by_reading_on(org: Tenant, pattern: str) -> None:
    agreement = await make_agreement(org)
    for place in range(9):
        name = "Ada" if place % 3 == 0 else "Bob"
        await org.post(USERS, individual(agreement, firstName=name, lastName=f"N{place}"))
    pages = await _pages(org, pattern, limit=2, most=100)
    assert pages == [["Ada N6", "Ada N3"], ["Ada N0"], []]


async def test_a_page_that_looked_through_enough_ends_early_with_a_cursor(org: Tenant) -> None:
    agreement = await make_agreement(org)
    await org.post(USERS, individual(agreement, firstName="Ada"))
    for _ in range(9):
        await org.post(USERS, individual(agreement, firstName="Bob"))
    pages = await _pages(org, "ad", limit=10, most=4)
    assert pages == [[], [], ["Ada Example"], []]


async def test_a_changed_name_is_found_by_the_new_one_alone(org: Tenant) -> None:
    made = await org.post(USERS, individual(await make_agreement(org), firstName="Adalbert"))
    await org.post(f"{USERS}/{made['id']}", {"firstName": "Bertram"})
    assert (await org.get(USERS, firstName="adal"))["count"] == 0
    assert (await org.get(USERS, firstName="RTRA"))["count"] == 1


async def test_searches_of_two_organisations_are_strangers(org: Tenant, other_org: Tenant) -> None:
    name = f"Ada{uuid4().hex[:6]}"
    for each in (org, other_org):
        await each.post(USERS, individual(await make_agreement(each), firstName=name))
    both = await asyncio.gather(*(each.get(USERS, firstName=name) for each in (org, other_org)))
    assert [page["count"] for page in both] == [1, 1]
    assert both[0]["users"][0]["id"] != both[1]["users"][0]["id"]
