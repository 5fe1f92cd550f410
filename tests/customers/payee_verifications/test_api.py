"""Verification of payees: answers of the sandbox's bank and of a provider, refusals, audit log."""

from typing import Any
from uuid import uuid4

import pytest

from landbridge.platform.core.errors import RoleNotAllowed
from landbridge.platform.http.caller import KeyScope, MemberRole
from tests.customers.bank_accounts.bodies import cases, whole
from tests.customers.bank_accounts.verified import make_verified
from tests.dashboard.browsing import visit
from tests.dashboard.payment_forms import review
from tests.matrices import part_of
from tests.platform.http.member_clients import member_client
from tests.platform.http.test_key_scopes import make_key
from tests.tenants import Tenant, fund, make_tenant, refusal

CASES = list(cases())
PAYEE = whole(next(each for each in CASES if each.table.name == "us" and each.ramp == "offramp"))
PAYER = whole(next(each for each in CASES if each.ramp == "onramp"))
# Ends of names, and the answers about them.
ANSWERS = [
    ("Ada Example", "match", None),
    ("Ada Close Match", "close_match", "A. Close Match"),
    ("Ada close match", "close_match", "A. close match"),
    ("Ada No Match", "no_match", None),
    ("Ada Unavailable", "unavailable", None),
]
_SENTENCES = {
    "match": "The bank confirms the name of the account holder.",
    "close_match": "The bank knows this account under a similar name: A. Close Match",
    "no_match": "The bank knows this account under another name.",
    "unavailable": "The bank has not checked the name of the account holder.",
}


def named(name: str) -> dict[str, Any]:
    return {**PAYEE, "accountHolder": {**PAYEE["accountHolder"], "name": name}}


async def make_payee(org: Tenant, user: str, name: str = "Ada Example") -> str:
    return str((await org.post(f"/v2/users/{user}/accounts", named(name)))["id"])


def at(user: str, account: str) -> str:
    return f"/v2/users/{user}/accounts/{account}/payee-verification"


async def test_name_of_the_holder_decides_in_the_sandbox(org: Tenant) -> None:
    user = await make_verified(org)
    for name, match, known_as in ANSWERS:
        found = await org.post(at(user, await make_payee(org, user, name)))
        assert (found["match"], found.get("name")) == (match, known_as)
        assert ("name" in found) is (known_as is not None)


async def test_banks_are_not_asked_without_end(org: Tenant) -> None:
    """Each question may cost something, and all organisations share what a provider allows."""
    user = await make_verified(org)
    account = await make_payee(org, user)
    answers = [await org.send("POST", at(user, account)) for _ in range(20)]
    refused = [each for each in answers if each.status_code != 200]
    assert len(refused) >= 5
    assert {refusal(each) for each in refused} == {"429 TOO_MANY_REQUESTS"}
    assert all(int(each.headers["Retry-After"]) > 0 for each in refused)
    # Another account of the organisation has a rate of its own.
    await org.post(at(user, await make_payee(org, user)))


async def test_each_answer_is_in_the_audit_log_without_a_name(org: Tenant) -> None:
    user = await make_verified(org)
    account = await make_payee(org, user, "Ada Close Match")
    found = await org.post(at(user, account))
    (entry,) = (await org.get("/v2/audit-log", kind="PAYEE"))["entries"]
    assert entry["facts"] == {"userId": user, "accountId": account, "match": "close_match"}
    assert entry["at"] == found["checkedAt"]


@pytest.mark.parametrize(
    "case", part_of([each for each in CASES if each.ramp == "offramp"][::7], 0, 3), ids=str
)
async def test_every_type_of_account_can_be_verified(org: Tenant, case: Any) -> None:
    user = await make_verified(org)
    account = (await org.post(f"/v2/users/{user}/accounts", whole(case)))["id"]
    expected = "match" if case.holder else "unavailable"
    assert (await org.post(at(user, account)))["match"] == expected


async def test_only_accounts_for_payouts_that_are_not_deleted_have_a_payee(org: Tenant) -> None:
    user = await make_verified(org)
    payer = (await org.post(f"/v2/users/{user}/accounts", PAYER))["id"]
    assert (await org.refused("POST", at(user, payer))).endswith("INVALID_ACCOUNT_DATA")
    payee = await make_payee(org, user)
    await org.send("DELETE", f"/v2/users/{user}/accounts/{payee}")
    assert await org.refused("POST", at(user, payee)) == "409 INACTIVE_ACCOUNT"
    assert await org.refused("POST", at(user, str(uuid4()))) == "404 ACCOUNT_NOT_FOUND"


async def test_who_reads_only_and_other_organisations_verify_nothing(org: Tenant) -> None:
    user = await make_verified(org)
    path = at(user, await make_payee(org, user))
    with pytest.raises(RoleNotAllowed):
        await member_client(org, MemberRole.ANALYST).post(path)
    reader = {"Authorization": f"Bearer {await make_key(org, KeyScope.READ)}"}
    assert (await org.client.post(path, headers=reader)).status_code == 403
    other = await make_tenant(org.container, org.client)
    assert (await other.refused("POST", path)).startswith("404")
    assert (await org.get("/v2/audit-log", kind="PAYEE"))["entries"] == []


async def test_review_of_an_offramp_shows_what_the_bank_says(org: Tenant) -> None:
    user = await make_verified(org)
    await fund(org, user, "100")
    member = await visit(org, MemberRole.MEMBER)
    for name, match, _ in (ANSWERS[0], ANSWERS[1], ANSWERS[3], ANSWERS[4]):
        account = await make_payee(org, user, name)
        page = await review(member, "offramp", user, account=f"{account}:usd", amount="20")
        assert _SENTENCES[match] in page.text, page.text
