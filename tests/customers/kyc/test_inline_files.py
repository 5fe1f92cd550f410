"""Files in KYC data in place of URLs: stored, counted as documents, bounded and refused."""

import base64
import time
from typing import Any

import pytest

from landbridge.customers.kyc.fields import OWNERS
from landbridge.customers.kyc.member_documents import (
    INLINE_BYTES_MAX,
    INLINE_FILES_MAX,
    MEMBERS,
    OWNER_MEMBERS,
)
from landbridge.customers.users.model import UserType
from tests.customers.kyc.samples import company, make_business, owner, person
from tests.platform.files.sample_files import GOOD, HTML, PDF
from tests.tenants import Tenant, make_user, refusal, sentence

FIELD = "400 FIELD_VALIDATION_ERROR"
FRONT = "govIdFrontUrl"


def kyc(user: str) -> str:
    return f"/v2/users/{user}/kyc"


def bare(content: bytes) -> str:
    return base64.b64encode(content).decode()


def uri(content: bytes = PDF, media_type: str = "application/pdf") -> str:
    return f"data:{media_type};base64,{bare(content)}"


def large_pdf(size: int) -> bytes:
    return PDF[:9] + b"%" * (size - len(PDF)) + b"\n" + PDF[9:-1]


async def documents(org: Tenant, user: str) -> list[dict[str, Any]]:
    return (await org.get(f"{kyc(user)}/documents"))["data"]


async def missing_groups(org: Tenant, user: str) -> list[str]:
    reply = await org.get(f"{kyc(user)}/requirements?rails=USD")
    return list(reply["invalid"].get("documents", {}).get("groups", {}))


async def test_sides_of_an_identity_document_are_stored_and_counted(org: Tenant) -> None:
    user = await make_user(org)
    body = person(govIdFrontUrl=None, govIdBackUrl=None)
    await org.post(kyc(user), body)
    assert await missing_groups(org, user) == ["identity"]
    sides = {FRONT: uri(GOOD["photo.png"], "image/png"), "govIdBackUrl": bare(GOOD["photo.jpg"])}
    info = (await org.post(kyc(user), {**body, **sides}))["kycInfo"]
    front, back = await documents(org, user)
    assert info[FRONT] == front["fileId"]
    assert info["govIdBackUrl"] == back["fileId"]
    assert front == {
        "id": front["id"],
        "type": body["govIdType"],
        "subType": "FRONT_SIDE",
        "issuedCountry": body["govIdCountry"],
        "issuedDate": body["govIdIssuanceDate"],
        "expiryDate": body["govIdExpirationDate"],
        "number": body["govIdNumber"],
        "description": None,
        "fileId": front["fileId"],
        "uboId": None,
    }
    assert back["subType"] == "BACK_SIDE"
    file = await org.get(f"/v2/files/{front['fileId']}")
    assert (file["fileName"], file["mimeType"]) == (f"{FRONT}.png", "image/png")
    assert await missing_groups(org, user) == []


async def test_a_url_stays_a_reference_and_counts_for_nothing(org: Tenant) -> None:
    user = await make_user(org)
    info = (await org.post(kyc(user), person()))["kycInfo"]
    assert info[FRONT] == "https://example.com/ada"
    assert await missing_groups(org, user) == ["identity"]


async def test_every_member_of_a_business_and_its_owners_becomes_a_document(org: Tenant) -> None:
    user = await make_business(org)
    names = MEMBERS[UserType.BUSINESS]
    await org.post(kyc(user), company())
    for some in (list(names)[:10], list(names)[10:]):
        await org.post(kyc(user), dict.fromkeys(some, uri()))
    listed = await documents(org, user)
    assert {each["type"] for each in listed} == {each.type for each in names.values()}
    of_owner = dict.fromkeys(OWNER_MEMBERS, uri())
    await org.post(kyc(user), {OWNERS: [owner(**of_owner)]})
    owned = [each for each in await documents(org, user) if each["uboId"]]
    assert [each["type"] for each in owned][-1] == "AUTH_LETTER"
    assert len(owned) == len(OWNER_MEMBERS)


async def test_a_new_file_replaces_the_document_and_null_removes_it(org: Tenant) -> None:
    user = await make_user(org)
    body = {"govIdType": "PASSPORT", "nationality": "USA", FRONT: uri()}
    first = (await org.post(kyc(user), body))["kycInfo"][FRONT]
    again = (await org.post(kyc(user), {FRONT: first, "govIdType": "PASSPORT"}))["kycInfo"]
    assert again[FRONT] == first
    second = (await org.post(kyc(user), body))["kycInfo"][FRONT]
    assert [each["fileId"] for each in await documents(org, user)] == [second]
    info = (await org.post(kyc(user), {FRONT: None}))["kycInfo"]
    assert (info[FRONT], info["documents"]) == (None, [])


async def test_owners_routes_and_documents_take_files_too(org: Tenant) -> None:
    user = await make_business(org)
    added = await org.post(f"{kyc(user)}/ubos", owner(shareProportion=1, govIdFrontUrl=uri()))
    (of_owner,) = await documents(org, user)
    assert added["documents"] == [of_owner["id"]]
    path = f"{kyc(user)}/ubos/{added['id']}"
    assert len((await org.post(path, {"govIdBackUrl": uri()}))["documents"]) == 2
    new = {"type": "TRUST_AGREEMENT", "subType": "SINGLE_SIDE", "issuedCountry": "USA"}
    (document,) = (await org.post(f"{kyc(user)}/documents", [{**new, "url": uri()}]))["data"]
    assert "url" not in document
    changed = await org.post(f"{kyc(user)}/documents/{document['id']}", {"url": uri()})
    assert changed["fileId"] not in (None, document["fileId"])


WRONG: list[tuple[str, dict[str, Any], str]] = [
    (FRONT, {FRONT: uri(HTML, "image/png")}, "must be a pdf, jpeg, png, heic or tif"),
    (FRONT, {FRONT: uri(PDF, "image/png")}, "is a pdf by its content, but not by its content type"),
    (FRONT, {FRONT: uri(GOOD["photo.png"][:-20], "image/png")}, "is not a whole image"),
    (FRONT, {FRONT: "data:image/png,abc"}, "must be base64-encoded"),
    (FRONT, {FRONT: "data:image/png;base64,a*c"}, "is not valid base64"),
    (FRONT, {FRONT: "data:image/png;base64,"}, "is empty"),
    (FRONT, {FRONT: bare(HTML)}, "must be an http or https URL"),
    (FRONT, {FRONT: "file_" + "0" * 32}, "there is no such file"),
    (FRONT, {FRONT: uri(large_pdf(INLINE_BYTES_MAX + 1))}, "more than 3 MB"),
    ("govIdType", {FRONT: uri(), "nationality": "USA"}, "govIdType is required with a file in"),
    ("govIdCountry", {FRONT: uri(), "govIdType": "PASSPORT"}, "govIdCountry is required with"),
]


@pytest.mark.parametrize(("field", "body", "why"), WRONG)
async def test_what_is_no_valid_file_is_refused(
    org: Tenant, field: str, body: dict[str, Any], why: str
) -> None:
    user = await make_user(org)
    answer = await org.send("POST", kyc(user), body)
    assert refusal(answer) == FIELD
    assert field in sentence(answer)
    assert why in sentence(answer)
    assert await documents(org, user) == []


async def test_errors_name_the_owner_and_the_route_of_one_owner_does_not(org: Tenant) -> None:
    user = await make_business(org)
    wrong = owner(govIdFrontUrl=uri(HTML))
    answer = await org.send("POST", kyc(user), {OWNERS: [wrong]})
    assert f"{OWNERS}[0].{FRONT}: the file must be" in sentence(answer)
    untyped = owner(govIdFrontUrl=uri(), govIdType=None, shareProportion=1)
    answer = await org.send("POST", f"{kyc(user)}/ubos", untyped)
    assert sentence(answer) == f"govIdType is required with a file in {FRONT}"


async def test_the_number_of_files_is_bounded(org: Tenant) -> None:
    user = await make_business(org)
    owners = [
        owner(firstName=f"A{'a' * index}", shareProportion=1, **{FRONT: uri()})
        for index in range(INLINE_FILES_MAX + 1)
    ]
    answer = await org.send("POST", kyc(user), {OWNERS: owners})
    assert refusal(answer) == FIELD
    assert f"may contain {INLINE_FILES_MAX} files" in sentence(answer)


async def test_two_files_of_three_megabytes_fit_and_other_bodies_stay_small(org: Tenant) -> None:
    user, large = await make_user(org), uri(large_pdf(INLINE_BYTES_MAX))
    body = {"govIdType": "PASSPORT", "govIdCountry": "USA", FRONT: large, "govIdBackUrl": large}
    await org.post(kyc(user), body)
    assert len(await documents(org, user)) == 2
    answer = await org.send("POST", kyc(user), {**body, "supplementaryUrl": large})
    assert answer.status_code == 413
    answer = await org.send("POST", f"/v2/users/{user}", {"firstName": large})
    assert answer.status_code == 413


async def test_a_rejected_update_leaves_no_file(org: Tenant) -> None:
    user = await make_user(org)
    await org.send("POST", kyc(user), {FRONT: uri(), "nationality": "USA", "gender": "X"})
    found = await org.container.database.rows(
        "select change_type from changes where org_id = $1 and kind = 'FILE' order by seq",
        org.org_id,
    )
    assert [each["change_type"] for each in found] == ["create", "delete"]


async def test_blanks_in_a_text_cost_time_in_proportion(org: Tenant) -> None:
    user = await make_user(org)
    begun = time.process_time()
    # Half a minute where every blank is tried as the first after the end of base64.
    answer = await org.send("POST", kyc(user), {FRONT: f"A{' ' * 100_000}!"})
    assert refusal(answer) == FIELD
    assert time.process_time() - begun < 5


async def test_large_bodies_of_small_values_are_refused_at_once(org: Tenant) -> None:
    user = await make_user(org)
    for path, body in (("", b'{"x":[%b{}]}'), ("/documents", b"[%b{}]")):
        begun = time.process_time()
        answer = await org.send("POST", kyc(user) + path, body % (b"{}," * 1_000_000))
        assert "50,000 values" in sentence(answer)
        assert time.process_time() - begun < 2


async def test_large_bodies_of_arrays_in_arrays_are_refused_at_once(org: Tenant) -> None:
    user = await make_user(org)
    nested = b",".join([b"[" * 44 + b"]" * 44] * 49_000)
    for path, body in (("", b'{"x":[%b]}'), ("/documents", b"[%b]")):
        begun = time.process_time()
        answer = await org.send("POST", kyc(user) + path, body % nested)
        assert "50,000 arrays and objects" in sentence(answer)
        assert time.process_time() - begun < 1
