import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.customers.bank_accounts.field_tables import Ramp
from landbridge.customers.bank_accounts.types import NAMES
from landbridge.customers.kyc.model import Rail
from landbridge.customers.users.model import UserType
from landbridge.platform.core.errors import Refused
from tests.customers.bank_accounts.bodies import Case, cases, having, whole, without
from tests.customers.bank_accounts.verified import make_verified
from tests.tenants import Tenant, make_user, refusal, sentence

# One body of each type, ramp and kind of holder.
BODIES = {f"{case.table.name} {case.ramp} {case.holder}": case for case in reversed(list(cases()))}
BRAZIL = {
    "rail": "offramp",
    "type": "brazil",
    "brazil": {"pixKey": "123.456.789-09", "currency": "brl"},
}


def us() -> dict[str, Any]:
    """Build a valid body."""
    return whole(next(iter(cases())))


def at(user: str, account: str | None = None) -> str:
    path = f"/v2/users/{user}/accounts"
    return path if account is None else f"{path}/{account}"


async def test_every_type_is_added_retrieved_listed_and_deleted(org: Tenant) -> None:
    user = await make_verified(org)
    created: list[str] = []
    for case in BODIES.values():
        body = whole(case)
        added = await org.post(at(user), body)
        assert added == {
            "id": added["id"],
            "status": "ACTIVE",
            "message": "The account can be used.",
            "invalidFields": [],
        }
        created.append(added["id"])
        _is_whole(await org.get(at(user, added["id"])), case, user)
    listed = await org.get(at(user), limit=100)
    assert [each["accountId"] for each in listed["banks"]] == created[::-1]
    assert listed["count"] == len(created)
    assert {each["type"] for each in listed["banks"]} == set(NAMES)
    for account in created:
        deleted = good_delete(await org.send("DELETE", at(user, account)))
        assert deleted["id"] == account
        assert deleted["status"] == "INACTIVE"
        assert good_delete(await org.send("DELETE", at(user, account))) == deleted


def _is_whole(account: dict[str, Any], case: Case, user: str) -> None:
    """Check that an account has the submitted data, and bank data of its own type only."""
    body, name = whole(case), case.table.name
    assert set(NAMES) & account.keys() == {name}
    assert set(account[name]) == set(body[name])
    assert account["userId"] == user
    assert account["type"] == name
    assert account["status"] == "ACTIVE"
    assert account["isValid"] is True
    assert account["reason"] is None
    assert account["invalidFields"] == []
    assert account["createdAt"] == account["updatedAt"]
    assert account["rail"]["currency"] == body[name]["currency"]
    assert account["rail"]["railType"] == case.ramp
    assert account["rail"]["paymentRail"]
    if case.holder is None:
        assert account["accountHolder"] is None
    else:
        assert set(account["accountHolder"]) == set(body["accountHolder"])


def good_delete(answer: Any) -> Any:
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_numbers_are_whole_when_retrieved_and_masked_in_lists(org: Tenant) -> None:
    user = await make_verified(org, Rail.USD)
    account = (await org.post(at(user), us()))["id"]
    assert (await org.get(at(user, account)))["us"]["accountNumber"] == "000123456789"
    answer = await org.send("GET", at(user))
    assert "000123456789" not in answer.text
    (listed,) = answer.json()["banks"]
    assert listed["accountNumber"] == "****6789"
    assert listed["routingNumber"] == "021000021"
    assert listed["accountType"] == "Checking"
    assert listed["businessIdentifierCode"] == "BOFAUS3N"
    assert listed["accountHolderName"] == "Ada Example"
    assert listed["accountHolderCity"] == "Springfield"
    assert listed["accountHolderCountry"] == "USA"
    assert listed["accountHolderStreetLine1"] == "1 Main Street"
    assert listed["accountHolderStateProvinceRegion"] == "IL"
    assert listed["accountHolderPostalCode"] == "62701"
    assert listed["bankCountry"] == "USA"
    assert listed["rail"] == {"currency": "usd", "railType": "offramp", "paymentRail": "ach"}


async def test_a_wrong_check_digit_makes_a_rejected_account(org: Tenant) -> None:
    user = await make_verified(org, Rail.USD)
    body = having(us(), "us.routingNumber", "021000022")
    added = await org.post(at(user), having(body, "us.swiftCode", "BOFAXX3N"))
    assert added["status"] == "REJECTED"
    assert sorted(added["invalidFields"]) == ["us.routingNumber", "us.swiftCode"]
    assert "us.routingNumber: its check digits are wrong" in added["message"]
    account = await org.get(at(user, added["id"]))
    assert account["status"] == "REJECTED"
    assert account["isValid"] is False
    assert "check digits" in account["reason"]
    assert account["invalidFields"] == added["invalidFields"]


@pytest.mark.parametrize(
    ("path", "value", "name"),
    [
        ("us.routingNumber", "12", "INVALID_ACCOUNT_DATA"),
        ("us.currency", "eur", "INVALID_ACCOUNT_DATA"),
        ("us.transferType", "pigeon", "INVALID_ACCOUNT_DATA"),
        ("us.iban", "DE89370400440532013000", "INVALID_ACCOUNT_DATA"),
        ("us.bankAddress.country", "XXX", "INVALID_ACCOUNT_DATA"),
        ("us.accountNumber", 123456789, "INVALID_ACCOUNT_DATA"),
        ("us.bankAddress", "1 Main Street", "INVALID_ACCOUNT_DATA"),
        ("us.bankAddress.city", 7, "INVALID_ACCOUNT_DATA"),
        ("us", [], "INVALID_ACCOUNT_DATA"),
        ("brazil", 7, "INVALID_ACCOUNT_DATA"),
        ("accountHolder.name", 7, "FIELD_VALIDATION_ERROR"),
        ("accountHolder.type", "company", "FIELD_VALIDATION_ERROR"),
        ("accountHolder.name", "<b>", "FIELD_VALIDATION_ERROR"),
        ("accountHolder.email", "nobody", "FIELD_VALIDATION_ERROR"),
        ("accountHolder.address.stateProvinceRegion", "XX", "FIELD_VALIDATION_ERROR"),
        ("accountHolder.address", "1 Main Street", "FIELD_VALIDATION_ERROR"),
        ("accountHolder", [], "FIELD_VALIDATION_ERROR"),
        ("rail", "sideways", "FIELD_VALIDATION_ERROR"),
        ("type", "mars", "FIELD_VALIDATION_ERROR"),
        ("requestId", "seven", "FIELD_VALIDATION_ERROR"),
        ("brazil", {"pixKey": "x"}, "INVALID_ACCOUNT_DATA"),
    ],
)
async def test_a_bad_member_is_refused_by_its_name_and_nothing_is_kept(
    org: Tenant, path: str, value: Any, name: str
) -> None:
    user = await make_user(org)
    answer = await org.send("POST", at(user), having(us(), path, value))
    assert refusal(answer) == f"400 {name}"
    assert path in sentence(answer)
    assert (await org.get(at(user)))["count"] == 0


async def test_null_counts_as_left_out(org: Tenant) -> None:
    user = await make_verified(org, Rail.USD)
    body = {**us(), "brazil": None, "requestId": None}
    body = having(having(body, "us.iban", None), "accountHolder.phone", None)
    assert (await org.post(at(user), body))["status"] == "ACTIVE"
    answer = await org.send("POST", at(user), having(us(), "us.routingNumber", None))
    assert refusal(answer) == "400 INVALID_ACCOUNT_DATA"
    assert (
        sentence(answer) == "us.routingNumber is required when transferType is ach or wire or rtp"
    )


async def test_only_a_user_who_is_verified_on_the_rail_may_have_an_account(org: Tenant) -> None:
    user = await make_user(org)
    refused = "403 USER_COMPLIANCE_VERIFICATION_FAILED"
    assert await org.refused("POST", at(user), us()) == refused
    user = await make_verified(org, Rail.USD)
    assert await org.refused("POST", at(user), BRAZIL) == refused
    assert (await org.post(at(user), us()))["status"] == "ACTIVE"
    assert await org.refused("POST", at(str(uuid4())), us()) == "404 USER_NOT_FOUND"


async def test_nairas_and_other_african_money_need_rails_of_their_own(org: Tenant) -> None:
    user = await make_verified(org, Rail.AFRICA_NIGERIA)
    nigerian, kenyan = (
        next(case for case in cases() if ("currency", currency) in case.decided)
        for currency in ("ngn", "kes")
    )
    assert (await org.post(at(user), whole(nigerian)))["status"] == "ACTIVE"
    assert await org.refused("POST", at(user), whole(kenyan)) == (
        "403 USER_COMPLIANCE_VERIFICATION_FAILED"
    )


async def test_a_frozen_user_adds_no_account(org: Tenant) -> None:
    user = await make_verified(org, Rail.USD)
    body = {**us(), "requestId": str(uuid4())}
    created = await org.post(at(user), body)
    await org.post(f"/v2/users/{user}/freeze", {})
    assert await org.refused("POST", at(user), us()) == "403 USER_FROZEN"
    assert await org.post(at(user), body) == created


async def test_the_same_request_makes_one_account_and_another_is_refused(org: Tenant) -> None:
    user = await make_verified(org, Rail.USD)
    body = {**us(), "requestId": str(uuid4())}
    created = await org.post(at(user), body)
    assert await org.post(at(user), {**body, "more": 1}) == created
    answer = await org.send("POST", at(user), having(body, "us.bankName", "Another"))
    assert refusal(answer) == "409 RESOURCE_CONFLICT"
    assert "us.bankName" in sentence(answer)
    other = await make_verified(org, Rail.USD)
    assert await org.refused("POST", at(other), body) == "409 RESOURCE_CONFLICT"
    good_delete(await org.send("DELETE", at(user, created["id"])))
    assert (await org.post(at(user), body))["status"] == "INACTIVE"
    assert (await org.get(at(user)))["count"] == 1


async def test_the_same_request_at_once_makes_one_account(org: Tenant) -> None:
    user = await make_verified(org, Rail.USD)
    body = {**us(), "requestId": str(uuid4())}
    answers = await asyncio.gather(*(org.post(at(user), body) for _ in range(8)))
    assert len({answer["id"] for answer in answers}) == 1
    assert (await org.get(at(user)))["count"] == 1


async def test_a_user_may_have_the_same_account_twice(org: Tenant) -> None:
    user = await make_verified(org, Rail.USD)
    one, other = [await org.post(at(user), us()) for _ in range(2)]
    assert one["id"] != other["id"]
    assert one["status"] == other["status"] == "ACTIVE"


async def test_lists_are_narrowed_and_paged(org: Tenant) -> None:
    user = await make_verified(org)
    onramp = {**us(), "rail": "onramp"}
    created = [(await org.post(at(user), body))["id"] for body in (us(), onramp, BRAZIL)]

    async def ids(**query: str | int) -> list[str]:
        return [each["accountId"] for each in (await org.get(at(user), **query))["banks"]]

    assert await ids(rail="onramp") == [created[1]]
    assert await ids(type="us") == [created[1], created[0]]
    assert await ids(currency="brl") == [created[2]]
    assert await ids(rail="onramp", currency="brl") == []
    first = await org.get(at(user), limit=2)
    assert [each["accountId"] for each in first["banks"]] == [created[2], created[1]]
    assert await ids(limit=2, createdBefore=first["nextCursor"]) == [created[0]]
    later = (datetime.now(UTC) + timedelta(days=1)).isoformat()
    assert await ids(createdAfter=later) == []
    for query in ({"rail": "x"}, {"type": "mars"}, {"currency": "doge"}, {"limit": 0}):
        answer = await org.send("GET", at(user), **query)
        assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
        assert next(iter(query)) in sentence(answer)
    assert await org.refused("GET", at(str(uuid4()))) == "404 USER_NOT_FOUND"


async def test_an_account_is_found_under_its_own_user_only(org: Tenant, other_org: Tenant) -> None:
    user, outsider = await make_verified(org, Rail.USD), await make_user(org)
    account = (await org.post(at(user), us()))["id"]
    theirs = await make_user(other_org)
    for method in ("GET", "DELETE"):
        for user_id, path in (
            (org, at(outsider, account)),
            (org, at(user, str(uuid4()))),
            (org, at(user, "seven")),
            (other_org, at(user, account)),
            (other_org, at(theirs, account)),
        ):
            answer = await user_id.send(method, path)
            assert refusal(answer) in {"404 ACCOUNT_NOT_FOUND", "404 USER_NOT_FOUND"}
    assert (await org.get(at(user, account)))["status"] == "ACTIVE"


async def test_flows_may_use_active_accounts_of_the_user_only(org: Tenant) -> None:
    accounts = org.container.bank_accounts
    user = await make_verified(org, Rail.USD)
    added = (await org.post(at(user), us()))["id"]
    found = await accounts.check_usable(org.org_id, UUID(user), UUID(added))
    assert found.ramp is Ramp.OFFRAMP
    assert found.currency == "usd"
    with pytest.raises(Refused, match="there is no bank account"):
        await accounts.check_usable(org.org_id, uuid4(), UUID(added))
    wrong = await org.post(at(user), having(us(), "us.routingNumber", "021000022"))
    await org.send("DELETE", at(user, added))
    for account, status in ((added, "INACTIVE"), (wrong["id"], "REJECTED")):
        with pytest.raises(Refused, match=f"is {status}") as refused:
            await accounts.check_usable(org.org_id, UUID(user), UUID(account))
        assert refused.value.name == "INACTIVE_ACCOUNT"


async def test_an_account_is_unusable_while_the_approval_of_its_user_is_revoked(
    org: Tenant,
) -> None:
    user = await make_verified(org, Rail.USD)
    added = UUID((await org.post(at(user), us()))["id"])
    (case,) = (await org.get("/v2/reviews/kyc", status="ACTIVE"))["reviews"]
    await org.post(f"/v2/reviews/kyc/{case['id']}", {"decision": "revoke"})
    with pytest.raises(Refused, match="not verified for USD"):
        await org.container.bank_accounts.check_usable(org.org_id, UUID(user), added)
    await org.post(f"/v2/reviews/kyc/{case['id']}", {"decision": "approve"})
    await org.container.bank_accounts.check_usable(org.org_id, UUID(user), added)


@pytest.mark.parametrize(
    ("name", "missing"),
    [
        ("mexicoGlobalNetwork", ["speiClabe"]),
        ("nigeriaGlobalNetwork", ["bankName"]),
        ("nigeriaGlobalNetwork", ["bankName", "accountNumber"]),
        ("chinaGlobalNetwork", ["accountNumber"]),
        ("singaporeGlobalNetwork", ["swiftCode"]),
    ],
)
async def test_an_unpayable_account_names_the_missing_data(
    org: Tenant, name: str, missing: list[str]
) -> None:
    user = await make_verified(org, Rail.GLOBAL_NETWORK)
    body = whole(BODIES[f"{name} offramp {UserType.INDIVIDUAL}"])
    for member in missing:
        body = without(body, f"{name}.{member}")
    named = " and ".join(f"{name}.{member}" for member in missing)
    reason = f"money can't get there without {named}"
    added = await org.post(at(user), body)
    assert added["status"] == "ACTIVE"
    assert added["message"].startswith(f"The account can't be used: {reason}.")
    account = await org.get(at(user, added["id"]))
    assert account["isValid"] is False
    assert account["reason"] == reason
    with pytest.raises(Refused, match=reason) as refused:
        await org.container.bank_accounts.check_usable(org.org_id, UUID(user), UUID(added["id"]))
    assert refused.value.name == "INVALID_ACCOUNT_DATA"


async def test_changes_are_recorded_without_personal_data(org: Tenant) -> None:
    user = await make_verified(org, Rail.USD)
    for ramp in Ramp:
        account = (await org.post(at(user), {**us(), "rail": ramp}))["id"]
        await org.send("DELETE", at(user, account))
        await org.send("DELETE", at(user, account))
        rows = await org.container.database.rows(
            "select kind, change_type, seq, actor, facts::text as facts from changes"
            " where org_id = $1 and object_id = $2 order by seq",
            org.org_id,
            UUID(account),
        )
        assert [(row["kind"], row["change_type"], row["seq"]) for row in rows] == [
            (f"ACCOUNT.{ramp.upper()}", "create", 1),
            (f"ACCOUNT.{ramp.upper()}", "update", 2),
        ]
        assert {row["actor"] for row in rows} == {org.caller.actor}
        assert ["ACTIVE" in row["facts"] for row in rows] == [True, True]
        assert "INACTIVE" in rows[1]["facts"]


async def test_types_without_a_holder_take_none(org: Tenant) -> None:
    user = await make_verified(org, Rail.SOUTH_AMERICA_STANDARD)
    added = await org.post(at(user), {**BRAZIL, "accountHolder": {"type": "x"}})
    assert (await org.get(at(user, added["id"])))["accountHolder"] is None


async def test_the_global_network_accepts_a_partial_holder(org: Tenant) -> None:
    user = await make_verified(org, Rail.GLOBAL_NETWORK)
    body = whole(BODIES[f"singaporeGlobalNetwork offramp {UserType.INDIVIDUAL}"])
    for path in ("idNumber", "dateOfBirth"):
        body = without(body, f"accountHolder.{path}")
    assert (await org.post(at(user), body))["status"] == "ACTIVE"
