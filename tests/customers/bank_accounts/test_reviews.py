"""Accounts whose holder resembles a sanctions list entry; each test has its own list."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import pytest
from msgspec import structs

from landbridge.app.container import wire
from landbridge.customers.bank_accounts.service import BankAccounts
from landbridge.customers.kyc.model import Rail
from landbridge.customers.users.model import UserType
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import KeyScope
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.platform.orgs.model import Mode
from landbridge.providers.screening.model import (
    OFAC_SDN,
    SanctionsEntry,
    SanctionsEntryType,
    SanctionsList,
    ScreeningResult,
    ScreeningSubject,
)
from landbridge.providers.screening.service import Screening
from tests.customers.bank_accounts.bodies import having, whole
from tests.customers.bank_accounts.test_api import BODIES, at, good_delete, us
from tests.customers.bank_accounts.verified import make_verified
from tests.tenants import SETTINGS, Tenant, make_tenant, refusal, sentence, served

LISTED = "Severina Quillfeather"
REVIEWS = "/v2/reviews/accounts"


@pytest.fixture
async def strict_org(own_database: Database) -> AsyncIterator[Tenant]:
    """An organisation of an installation that has a sanctions list."""
    container = wire(SETTINGS, own_database, Clock(await take_node(own_database)))
    entry = SanctionsEntry(
        id="4711",
        type=SanctionsEntryType.INDIVIDUAL,
        names=("QUILLFEATHER, Severina", LISTED),
        programs=("TEST",),
        birth_dates=(),
    )
    business = replace(
        entry, id="4712", type=SanctionsEntryType.ENTITY, names=("MARROWGATE SHIPPING LLC",)
    )
    await container.screening.load(SanctionsList(OFAC_SDN, "0" * 64, None, (entry, business)))
    async with served(container) as client:
        yield await make_tenant(container, client)


async def listed_account(org: Tenant, name: str = LISTED) -> tuple[str, dict[str, Any]]:
    """Register an account for a person of this name; return the user and the reply."""
    user = await make_verified(org, Rail.USD)
    return user, await org.post(at(user), having(us(), "accountHolder.name", name))


async def test_no_user_is_approved_without_a_required_list(own_database: Database) -> None:
    container = wire(SETTINGS, own_database, Clock(await take_node(own_database)))
    strict = Screening(own_database, container.clock, score_min=88, required_lists=[OFAC_SDN])
    accounts = BankAccounts(
        own_database,
        container.vault,
        container.clock,
        users=container.users,
        verified=container.verification,
        screening=strict,
    )
    async with served(replace(container, bank_accounts=accounts)) as client:
        org = await make_tenant(container, client)
        _, added = await listed_account(org, "Ada Ordinary")
    assert added["status"] == "PENDING"


@pytest.mark.parametrize("name", ["Marrowgate Shipping", "Marrowgate Shipping LLC"])
async def test_a_listed_business_stated_as_an_individual_waits(
    strict_org: Tenant, name: str
) -> None:
    _, added = await listed_account(strict_org, name)
    assert added["status"] == "PENDING"
    (review,) = (await strict_org.get(REVIEWS))["reviews"]
    assert review["account"]["accountHolder"]["type"] == "individual"
    assert [each["entryId"] for each in review["hits"]] == ["4712"]


async def test_a_listed_name_waits_for_a_person_who_approves(strict_org: Tenant) -> None:
    user, added = await listed_account(strict_org)
    assert added["status"] == "PENDING"
    assert added["invalidFields"] == []
    account = await strict_org.get(at(user, added["id"]))
    assert account["isValid"] is False
    assert account["reason"] == "the account is being reviewed"
    page = await strict_org.get(REVIEWS)
    assert page["count"] == 1
    (review,) = page["reviews"]
    assert review["accountId"] == added["id"]
    assert review["userId"] == user
    assert review["listVersion"].startswith(OFAC_SDN)
    assert review["account"] == {
        "type": "us",
        "accountNumber": "****6789",
        "bankName": "Some text",
        "bankCountry": "USA",
        "rail": {"currency": "usd", "railType": "offramp", "paymentRail": "ach"},
        "accountHolder": {
            "type": "individual",
            "name": LISTED,
            "nationality": None,
            "dateOfBirth": None,
            "formationDate": None,
            "city": "Springfield",
            "country": "USA",
        },
    }
    hit = review["hits"][0]
    assert hit["name"] == LISTED
    assert hit["entryId"] == "4711"
    assert hit["program"] == "TEST"
    assert (hit["list"], hit["category"]) == ("OFAC SDN", "SANCTIONS")
    assert 80 <= hit["score"] <= 100
    path = f"{REVIEWS}/{added['id']}"
    decided = await strict_org.post(path, {"decision": "approve"})
    assert decided["status"] == "ACTIVE"
    assert await strict_org.post(path, {"decision": "approve"}) == decided
    assert await strict_org.refused("POST", path, {"decision": "reject"}) == (
        "409 RESOURCE_CONFLICT"
    )
    assert (await strict_org.get(REVIEWS))["count"] == 0
    assert (await strict_org.get(at(user, added["id"])))["isValid"] is True


def listing(*names: str) -> SanctionsList:
    """Build a list of these people, numbered from 5000."""
    entries = [
        SanctionsEntry(
            id=str(number),
            type=SanctionsEntryType.INDIVIDUAL,
            names=(name,),
            programs=("TEST",),
            birth_dates=(),
        )
        for number, name in enumerate(names, start=5000)
    ]
    return SanctionsList(OFAC_SDN, f"{len(names)}" * 64, None, tuple(entries))


async def load(screening: Screening, listed: SanctionsList) -> None:
    """Replace the list, however many entries it loses."""
    await screening.load(listed, is_forced=True)


async def test_an_approval_needs_a_look_at_the_hits_of_a_list_loaded_since(
    strict_org: Tenant,
) -> None:
    _, added = await listed_account(strict_org)
    path, approve = f"{REVIEWS}/{added['id']}", {"decision": "approve"}
    await load(strict_org.container.screening, listing(LISTED))
    answer = await strict_org.send("POST", path, approve)
    assert refusal(answer) == "409 RESOURCE_CONFLICT"
    assert "OFAC SDN 5000 (TEST)" in sentence(answer)
    (review,) = (await strict_org.get(REVIEWS))["reviews"]
    assert [each["entryId"] for each in review["hits"]] == ["4711", "5000"]
    # The reviewer has seen them now. Another version without further hits needs no other look.
    await load(strict_org.container.screening, listing(LISTED, "Perpetua Marlinspike"))
    assert (await strict_org.post(path, approve))["status"] == "ACTIVE"


async def test_a_rejection_needs_no_look_at_a_list_loaded_since(strict_org: Tenant) -> None:
    _, added = await listed_account(strict_org)
    await load(strict_org.container.screening, listing(LISTED))
    path = f"{REVIEWS}/{added['id']}"
    assert (await strict_org.post(path, {"decision": "reject"}))["status"] == "REJECTED"


class LoadedMeanwhile(Screening):
    """Screening during the first comparison of which a list is loaded."""

    is_loaded = False

    async def screen(
        self, subjects: Sequence[ScreeningSubject], *, org_id: UUID | None = None
    ) -> ScreeningResult:
        found = await super().screen(subjects, org_id=org_id)
        if not self.is_loaded:
            self.is_loaded = True
            await load(self, listing(LISTED, "Perpetua Marlinspike"))
        return found


async def test_an_account_added_while_a_list_is_loaded_is_compared_with_it(
    own_database: Database,
) -> None:
    container = wire(SETTINGS, own_database, Clock(await take_node(own_database)))
    accounts = BankAccounts(
        own_database,
        container.vault,
        container.clock,
        users=container.users,
        verified=container.verification,
        screening=LoadedMeanwhile(own_database, container.clock, score_min=88),
    )
    async with served(replace(container, bank_accounts=accounts)) as client:
        org = await make_tenant(container, client)
        _, added = await listed_account(org, "Perpetua Marlinspike")
    assert added["status"] == "PENDING"


async def test_reviewers_see_when_and_where_a_holder_was_born(strict_org: Tenant) -> None:
    user = await make_verified(strict_org, Rail.GLOBAL_NETWORK)
    body = whole(BODIES[f"chinaGlobalNetwork offramp {UserType.INDIVIDUAL}"])
    await strict_org.post(at(user), having(body, "accountHolder.name", LISTED))
    (review,) = (await strict_org.get(REVIEWS))["reviews"]
    holder = review["account"]["accountHolder"]
    assert (holder["dateOfBirth"], holder["nationality"]) == ("1990-01-31", "KEN")


async def test_a_rejected_account_shows_its_reason(strict_org: Tenant) -> None:
    user, added = await listed_account(strict_org)
    path = f"{REVIEWS}/{added['id']}"
    for reason in ("", "a" * 501, "two\nlines"):
        answer = await strict_org.send("POST", path, {"decision": "reject", "reason": reason})
        assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
        assert "reason" in sentence(answer)
    assert await strict_org.refused("POST", path, {"decision": "maybe"}) == (
        "400 FIELD_VALIDATION_ERROR"
    )
    body = {"decision": "reject", "reason": "the same person"}
    assert (await strict_org.post(path, body))["status"] == "REJECTED"
    account = await strict_org.get(at(user, added["id"]))
    assert account["reason"] == "the same person"
    assert account["isValid"] is False
    rows = await strict_org.container.database.rows(
        "select changes::text as whole from changes where org_id = $1 and object_id = $2",
        strict_org.org_id,
        UUID(added["id"]),
    )
    assert len(rows) == 2
    assert all("same person" not in row["whole"] for row in rows)


async def test_a_rejected_account_without_a_reason_has_one_of_ours(strict_org: Tenant) -> None:
    user, added = await listed_account(strict_org)
    await strict_org.post(f"{REVIEWS}/{added['id']}", {"decision": "reject"})
    account = await strict_org.get(at(user, added["id"]))
    assert account["reason"] == "the account was rejected on review"


async def test_a_name_in_another_script_waits_for_a_person(strict_org: Tenant) -> None:
    _, added = await listed_account(strict_org, "张伟")
    assert added["status"] == "PENDING"
    (review,) = (await strict_org.get(REVIEWS))["reviews"]
    assert review["unread"] == ["张伟"]
    assert review["hits"] == []


async def test_other_names_do_not_wait(strict_org: Tenant) -> None:
    _, added = await listed_account(strict_org, "Ada Example")
    assert added["status"] == "ACTIVE"


async def test_a_deleted_account_is_not_decided(strict_org: Tenant) -> None:
    user, added = await listed_account(strict_org)
    good_delete(await strict_org.send("DELETE", at(user, added["id"])))
    path = f"{REVIEWS}/{added['id']}"
    assert await strict_org.refused("POST", path, {"decision": "approve"}) == (
        "409 INACTIVE_ACCOUNT"
    )
    assert (await strict_org.get(REVIEWS))["count"] == 0
    for unknown in (str(uuid4()), "seven"):
        path = f"{REVIEWS}/{unknown}"
        assert await strict_org.refused("POST", path, {"decision": "approve"}) == (
            "404 ACCOUNT_NOT_FOUND"
        )


async def test_reviews_are_paged_oldest_first(strict_org: Tenant) -> None:
    user = await make_verified(strict_org, Rail.USD)
    body = having(us(), "accountHolder.name", LISTED)
    created = [(await strict_org.post(at(user), body))["id"] for _ in range(3)]
    first = await strict_org.get(REVIEWS, limit=2)
    assert [each["accountId"] for each in first["reviews"]] == created[:2]
    rest = await strict_org.get(REVIEWS, limit=2, cursor=first["nextCursor"])
    assert [each["accountId"] for each in rest["reviews"]] == created[2:]


async def test_reviewers_see_and_decide_about_their_own_organisation_only(
    strict_org: Tenant,
) -> None:
    user, added = await listed_account(strict_org)
    other = await make_tenant(strict_org.container, strict_org.client)
    assert (await other.get(REVIEWS))["count"] == 0
    path = f"{REVIEWS}/{added['id']}"
    assert await other.refused("POST", path, {"decision": "approve"}) == "404 ACCOUNT_NOT_FOUND"
    assert (await strict_org.get(at(user, added["id"])))["status"] == "PENDING"


async def test_erasing_the_user_takes_its_accounts_out_of_the_queue(strict_org: Tenant) -> None:
    user, added = await listed_account(strict_org)
    await strict_org.post(f"/v2/users/{user}/freeze", {})
    good_delete(await strict_org.send("DELETE", f"/v2/users/{user}/personal-data"))
    assert (await strict_org.get(REVIEWS))["count"] == 0
    path = f"{REVIEWS}/{added['id']}"
    assert await strict_org.refused("POST", path, {"decision": "approve"}) == "409 INACTIVE_ACCOUNT"


async def test_only_keys_that_may_review_do(own_database: Database) -> None:
    settings = structs.replace(SETTINGS, mode=Mode.PRODUCTION)
    container = wire(settings, own_database, Clock(await take_node(own_database)))
    async with served(container) as client:
        org = await make_tenant(container, client)
        path, approve = f"{REVIEWS}/{uuid4()}", {"decision": "approve"}
        assert await org.refused("GET", REVIEWS) == "403 USER_ROLE_NOT_ALLOWED"
        assert await org.refused("POST", path, approve) == "403 USER_ROLE_NOT_ALLOWED"
        _, secret = await container.orgs.create_key(
            org.org_id, "reviewer", expires_at=None, scopes=[KeyScope.REVIEW]
        )
        reviewer = replace(org, key=secret)
        assert (await reviewer.get(REVIEWS))["count"] == 0
        assert await reviewer.refused("POST", path, approve) == "404 ACCOUNT_NOT_FOUND"
