"""The blind index returns exactly what a plain comparison of the folded texts would."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from landbridge.customers.users.model import UserNames
from landbridge.customers.users.search import (
    FIELDS,
    UserFilters,
    fold,
    matches,
    name_trigrams,
    trigrams,
)
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.sealing import new_key
from tests.tenants import Tenant, business, individual, make_agreement

USERS = "/v2/users"
# Few letters, so that patterns match, and letters with unusual case or spelling.
LETTERS = st.text(st.sampled_from("aAbBß\u017fİiIéÉe\u0301ﬁfi\uff46%_\\' .,Σσς日本"), max_size=12)
NAMES = st.builds(
    UserNames,
    email=LETTERS,
    first_name=st.none() | LETTERS,
    last_name=st.none() | LETTERS,
    business_name=st.none() | LETTERS,
)
PATTERNS = st.dictionaries(st.sampled_from(FIELDS), LETTERS, max_size=4)


@given(key=st.binary(min_size=32, max_size=32), names=NAMES, patterns=PATTERNS)
@example(b"k" * 32, UserNames(first_name="Straße"), {"first_name": "STRASSE"})
@example(b"k" * 32, UserNames(first_name="ﬁnd"), {"first_name": "FIN"})
@example(b"k" * 32, UserNames(last_name="e\u0301cole"), {"last_name": "École"})
def test_the_index_never_hides_what_matches(
    key: bytes, names: UserNames, patterns: dict[str, str]
) -> None:
    folded = {field: fold(text) for field, text in patterns.items()}
    plain = all(
        (text := getattr(names, field)) is not None and pattern in fold(text)
        for field, pattern in folded.items()
    )
    assert matches(names, folded) == plain
    if plain:
        assert set(trigrams(key, folded)) <= set(name_trigrams(key, names))


@given(text=LETTERS)
def test_folding_twice_is_folding_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def test_trigrams_differ_by_field_and_by_key() -> None:
    # Fixed keys: of random ones, some pairs have a trigram in common by chance.
    key, other = bytes([1]) * 32, bytes([2]) * 32
    first = set(trigrams(key, {"first_name": "ada lovelace"}))
    assert not first & set(trigrams(key, {"last_name": "ada lovelace"}))
    assert not first & set(trigrams(other, {"first_name": "ada lovelace"}))
    assert trigrams(key, {"first_name": "ad"}) == []


def test_a_trigram_has_its_organisation_in_the_upper_half_and_fits_an_integer() -> None:
    key = new_key()
    found = trigrams(key, {"email": "somebody.with.a.long.name@example.com"})
    assert len({each >> 16 for each in found}) == 1
    assert all(-(2**31) <= each < 2**31 for each in found)


@pytest.fixture(scope="module")
async def crowd(container: Any, client: Any) -> tuple[Tenant, list[tuple[str, UserNames]]]:
    """An organisation with users of all kinds of names, newest first."""
    from tests.tenants import make_tenant  # noqa: PLC0415  a fixture of this module alone

    org = await make_tenant(container, client)
    agreement = await make_agreement(org)
    people: list[tuple[str, UserNames]] = []
    for index, (first, last) in enumerate(
        [
            *(("Ada", "Lovelace"), ("ADA", "O'Neill"), ("Li", "Wu"), ("Straße", "École")),
            *(("\u0130brahim", "D'Arcy"), ("日本", "太郎"), ("Bob", "100 % sure"), ("A", "B")),
        ]
    ):
        body = individual(agreement, firstName=first, lastName=last, email=f"p{index}@example.com")
        created = await org.post(USERS, body)
        stored = await org.container.users.get(org.org_id, UUID(created["id"]))
        people.append((created["id"], stored.names))
    for name in ("Straße & Söhne GmbH", "Ada Ltd"):
        body = business(agreement, businessName=name, email="Office+x@Example.ORG")
        created = await org.post(USERS, body)
        stored = await org.container.users.get(org.org_id, UUID(created["id"]))
        people.append((created["id"], stored.names))
    return org, people[::-1]


@settings(
    max_examples=60,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
async def test_lists_equal_a_search_over_plain_texts(
    crowd: tuple[Tenant, list[tuple[str, UserNames]]], data: st.DataObject
) -> None:
    org, people = crowd
    patterns: dict[str, str] = {}
    for field in data.draw(st.sets(st.sampled_from(FIELDS), min_size=1, max_size=2)):
        texts = [text for _, names in people if (text := getattr(names, field))]
        text = data.draw(st.sampled_from(texts))
        start = data.draw(st.integers(0, len(text)))
        part = text[start : data.draw(st.integers(start, len(text)))]
        change = data.draw(st.sampled_from([str.upper, str.lower, str.swapcase, str]))
        patterns[field] = change(part)
    expected = [
        user
        for user, names in people
        if all(
            (text := getattr(names, field)) is not None and fold(pattern) in fold(text)
            for field, pattern in patterns.items()
        )
    ]
    texts = {field: patterns.get(field) for field in FIELDS}
    filters = UserFilters(type=None, **texts, metadata=None)
    page = await org.container.users.page(org.org_id, filters, PageWindow(100, None, None))
    assert [str(each.id) for each in page.users] == expected


async def _pages(org: Tenant, pattern: str, *, limit: int, most: int) -> list[list[str]]:
    """Return the names on each page of a search by first name."""
    found: list[list[str]] = []
    before = None
    while True:
        page = await org.container.users.page(
            org.org_id,
            UserFilters(None, pattern, None, None, None),
            PageWindow(limit, None, before),
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
    for index in range(9):
        name = "Ada" if index % 3 == 0 else "Bob"
        await org.post(USERS, individual(agreement, firstName=name, lastName=f"N{index}"))
    pages = await _pages(org, pattern, limit=2, most=100)
    assert pages == [["Ada N6", "Ada N3"], ["Ada N0"], []]


async def test_a_page_ends_early_with_a_cursor_after_enough_reads(org: Tenant) -> None:
    agreement = await make_agreement(org)
    await org.post(USERS, individual(agreement, firstName="Ada"))
    for _ in range(9):
        await org.post(USERS, individual(agreement, firstName="Bob"))
    pages = await _pages(org, "ad", limit=10, most=4)
    assert pages == [[], [], ["Ada Example"], []]


async def test_a_changed_name_is_found_by_the_new_one_alone(org: Tenant) -> None:
    created = await org.post(USERS, individual(await make_agreement(org), firstName="Adalbert"))
    await org.post(f"{USERS}/{created['id']}", {"firstName": "Bertram"})
    assert (await org.get(USERS, firstName="adal"))["count"] == 0
    assert (await org.get(USERS, firstName="RTRA"))["count"] == 1


async def test_searches_of_two_organisations_are_strangers(org: Tenant, other_org: Tenant) -> None:
    name = f"Ada{uuid4().hex[:6]}"
    for each in (org, other_org):
        await each.post(USERS, individual(await make_agreement(each), firstName=name))
    both = await asyncio.gather(*(each.get(USERS, firstName=name) for each in (org, other_org)))
    assert [page["count"] for page in both] == [1, 1]
    assert both[0]["users"][0]["id"] != both[1]["users"][0]["id"]
