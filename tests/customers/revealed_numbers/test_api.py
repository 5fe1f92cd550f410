"""Revealing masked numbers, and the entries of the audit log about it."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from landbridge.platform.core.errors import FieldInvalid, Refused, ResourceNotFound, RoleNotAllowed
from landbridge.platform.http.caller import KeyScope, MemberRole
from tests.customers.bank_accounts.bodies import cases, whole
from tests.customers.bank_accounts.verified import make_verified
from tests.platform.http.member_clients import member_client
from tests.platform.http.test_key_scopes import make_key
from tests.tenants import Tenant, business, make_agreement, make_user

OWNER = {"firstName": "Mary", "lastName": "Approval", "govIdNumber": "G48817736"}


async def entries(org: Tenant) -> list[Any]:
    return (await org.get("/v2/audit-log", kind="NUMBER"))["entries"]


def body(record: str, record_id: str, field: str, reason: str = "case 17") -> dict[str, str]:
    return {"record": record, "recordId": record_id, "field": field, "reason": reason}


async def test_an_analyst_reveals_one_number_of_each_record(org: Tenant) -> None:
    user, analyst = await make_verified(org), member_client(org, MemberRole.ANALYST)
    us = next(each for each in cases() if each.table.name == "us")
    account = await org.post(f"/v2/users/{user}/accounts", whole(us))
    documents = (await org.get(f"/v2/users/{user}/kyc/documents"))["data"]
    company = (await org.post("/v2/users", business(await make_agreement(org))))["id"]
    owner = await org.post(f"/v2/users/{company}/kyc/ubos", OWNER)
    for of, request, number in (
        (user, body("ACCOUNT", account["id"], "accountNumber"), "000123456789"),
        (user, body("KYC", user, "taxIdentificationNumber"), "123456789"),
        (user, body("DOCUMENT", documents[0]["id"], "number"), "P1234567"),
        (company, body("OWNER", owner["id"], "govIdNumber"), "G48817736"),
    ):
        path = f"/v2/users/{of}/revealed-numbers"
        assert await analyst.post(path, request) == {"value": number}
        entry = (await entries(org))[0]
        assert entry["actor"]["type"] == "member"
        assert entry["facts"] == {"userId": of, **request}
        assert number not in str(entry)
    # What was revealed once is masked the next time.
    seen = await analyst.get(f"/v2/users/{user}/kyc")
    assert seen["kycInfo"]["taxIdentificationNumber"] == "****6789"


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"reason": ""}, FieldInvalid),
        ({"reason": "x" * 201}, FieldInvalid),
        ({"field": "firstName"}, FieldInvalid),
        ({"field": "govIdNumber"}, FieldInvalid),
        ({"record": "USER"}, FieldInvalid),
        ({"recordId": str(uuid4())}, ResourceNotFound),
        ({"record": "OWNER", "recordId": str(uuid4())}, ResourceNotFound),
        ({"record": "DOCUMENT", "recordId": str(uuid4())}, ResourceNotFound),
    ],
)
async def test_a_refused_request_leaves_no_entry(
    org: Tenant, changes: dict[str, str], error: type[Refused]
) -> None:
    user, analyst = await make_verified(org), member_client(org, MemberRole.ANALYST)
    request = body("KYC", user, "taxIdentificationNumber") | changes
    with pytest.raises(error):
        await analyst.post(f"/v2/users/{user}/revealed-numbers", request)
    assert await entries(org) == []


async def test_a_record_of_another_user_or_organisation_is_unknown(
    org: Tenant, other_org: Tenant
) -> None:
    user, other = await make_verified(org), await make_user(org)
    document = (await org.get(f"/v2/users/{user}/kyc/documents"))["data"][0]["id"]
    for tenant, of in ((org, other), (other_org, user)):
        analyst = member_client(tenant, MemberRole.ANALYST)
        with pytest.raises(Refused) as refused:
            await analyst.post(
                f"/v2/users/{of}/revealed-numbers", body("DOCUMENT", document, "number")
            )
        assert refused.value.status == 404
    assert await entries(org) == []


async def test_a_key_that_only_reads_reveals_nothing(org: Tenant) -> None:
    user = await make_verified(org)
    reader = replace(org, key=await make_key(org, KeyScope.READ))
    path = f"/v2/users/{user}/revealed-numbers"
    request = body("KYC", user, "taxIdentificationNumber")
    assert await reader.refused("POST", path, request) == f"403 {RoleNotAllowed.name}"
    assert await entries(org) == []
    assert await org.post(path, request) == {"value": "123456789"}
    assert (await entries(org))[0]["actor"]["type"] == "key"
