"""KYC documents over HTTP."""

import asyncio
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.customers.kyc.documents import ADDED_MAX
from landbridge.customers.kyc.model import DOCUMENTS_MAX
from landbridge.customers.kyc.service import KycProfiles
from landbridge.customers.users.country_policy import CountryPolicy
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.orgs.model import Mode
from tests.customers.kyc.samples import document, make_business
from tests.platform.files.sample_files import PDF
from tests.tenants import Tenant, good, make_user, refusal, sentence

FIELD = "400 FIELD_VALIDATION_ERROR"
UNKNOWN = "404 RESOURCE_NOT_FOUND"


def documents(user: str, of: str = "") -> str:
    return f"/v2/users/{user}/kyc/documents" + (f"/{of}" if of else "")


async def add(org: Tenant, user: str, *new_documents: dict[str, Any]) -> list[dict[str, Any]]:
    return (await org.post(documents(user), list(new_documents)))["data"]


async def make_file(org: Tenant, content: bytes = PDF) -> str:
    sent = await org.client.post(
        "/v2/files", files={"file": ("scan.pdf", content)}, headers=org.headers
    )
    return good(sent)["id"]


async def test_documents_are_added_listed_and_read(org: Tenant) -> None:
    user, file_id = await make_user(org), await make_file(org)
    full = document(
        subType="FRONT_SIDE",
        issuedDate="2020-01-31",
        expiryDate="2100-01-01",
        number="X123",
        description="a passport",
        url=None,
        fileId=file_id,
    )
    answer = await org.post(documents(user), [full, document("SELFIE")])
    assert answer["count"] == 2
    created = answer["data"][0]
    assert created == {**full, "id": created["id"], "uboId": None}
    more = await add(org, user, document("OTHER", description="a letter"))
    listed = await org.get(documents(user))
    assert listed == {"count": 3, "data": [*answer["data"], *more]}
    assert await org.get(documents(user, created["id"])) == created


async def test_all_are_added_or_none(org: Tenant) -> None:
    user = await make_user(org)
    answer = await org.send("POST", documents(user), [document(), document(issuedCountry="x")])
    assert refusal(answer) == FIELD
    assert "[1].issuedCountry" in sentence(answer)
    assert (await org.get(documents(user)))["count"] == 0


WRONG: list[tuple[str, dict[str, Any]]] = [
    ("type", {"type": None}),
    ("type", {"type": "LIBRARY_CARD"}),
    ("type", {"type": "SHAREHOLDER_REGISTRY"}),
    ("type", {"type": 5}),
    ("subType", {"subType": None}),
    ("subType", {"subType": "TOP_SIDE"}),
    ("issuedCountry", {"issuedCountry": None}),
    ("issuedCountry", {"issuedCountry": "US"}),
    ("issuedDate", {"issuedDate": "2199-01-01"}),
    ("expiryDate", {"expiryDate": "tomorrow"}),
    ("expiryDate", {"issuedDate": "2020-01-31", "expiryDate": "2020-01-31"}),
    ("number", {"number": 123}),
    ("description", {"type": "OTHER"}),
    ("url", {"url": "ftp://example.com"}),
    ("url", {"url": None}),
    ("fileId", {"url": None}),
    ("fileId", {"fileId": "file_1"}),
    ("fileId", {"fileId": f"file_{uuid4().hex}", "url": None}),
    ("fileId", {"fileId": 7, "url": None}),
    ("uboId", {"uboId": str(uuid4())}),
    ("uboId", {"uboId": 7}),
]


@pytest.mark.parametrize(("field", "change"), WRONG)
async def test_a_wrong_member_of_a_document_is_refused_and_named(
    org: Tenant, field: str, change: dict[str, Any]
) -> None:
    answer = await org.send("POST", documents(await make_user(org)), [document(**change)])
    assert refusal(answer) == FIELD
    assert f"[0].{field}" in sentence(answer)


async def test_a_document_has_a_file_or_a_url(org: Tenant) -> None:
    user, file_id = await make_user(org), await make_file(org)
    both = document(fileId=file_id)
    assert "[0].fileId" in sentence(await org.send("POST", documents(user), [both]))


@pytest.mark.parametrize("body", [[], {}, [1], [[]], None, "[", [document()] * (ADDED_MAX + 1)])
async def test_documents_are_submitted_as_an_array(org: Tenant, body: Any) -> None:
    content = "null" if body is None else body
    assert await org.refused("POST", documents(await make_user(org)), content) == FIELD


async def test_there_is_a_bound_to_documents(org: Tenant) -> None:
    user = await make_user(org)
    for _ in range(DOCUMENTS_MAX // ADDED_MAX):
        await add(org, user, *[document()] * ADDED_MAX)
    assert await org.refused("POST", documents(user), [document()]) == FIELD


async def test_documents_of_a_business_and_of_its_owners(org: Tenant) -> None:
    user = await make_business(org)
    ada = (await org.get(f"/v2/users/{user}/kyc"))["kycInfo"]["ultimateBeneficialOwners"][0]
    added = await add(
        org,
        user,
        document("SHARE_STRUCTURE"),
        document(uboId=ada, subType="BACK_SIDE"),
        document(uboId=ada.upper()),
    )
    assert [each["uboId"] for each in added] == [None, ada, ada]
    for field, wrong in (
        ("type", document("PASSPORT")),
        ("type", document("SHARE_STRUCTURE", uboId=ada)),
        ("subType", document("SHARE_STRUCTURE", subType="FRONT_SIDE")),
        ("uboId", document(uboId=str(uuid4()))),
    ):
        answer = await org.send("POST", documents(user), [wrong])
        assert f"[0].{field}" in sentence(answer)


async def test_a_document_is_changed_except_for_its_type(org: Tenant) -> None:
    user = await make_user(org)
    (created,) = await add(org, user, document(number="X1", expiryDate="2100-01-01"))
    path = documents(user, created["id"])
    change = {"number": None, "issuedCountry": "CAN", "issuedDate": "2020-01-31"}
    changed = await org.post(path, {**change, "type": "PASSPORT", "subType": "SINGLE_SIDE"})
    assert changed == {**created, **change}
    assert await org.get(path) == changed
    for field, value in (
        ("type", "ID_CARD"),
        ("subType", "FRONT_SIDE"),
        ("uboId", str(uuid4())),
        ("type", 5),
        ("issuedCountry", None),
        ("url", None),
        ("expiryDate", "2020-01-31"),
    ):
        answer = await org.send("POST", path, {field: value})
        assert refusal(answer) == FIELD, field
        assert field in sentence(answer)
    assert await org.get(path) == changed


async def test_a_file_takes_the_place_of_a_url_and_the_other_way_round(org: Tenant) -> None:
    user, file_id = await make_user(org), await make_file(org)
    (created,) = await add(org, user, document())
    path = documents(user, created["id"])
    swapped = {name: value for name, value in created.items() if name != "url"}
    assert await org.post(path, {"fileId": file_id}) == {**swapped, "fileId": file_id}
    again = {"url": "https://example.com/new"}
    assert await org.post(path, again) == {**created, **again}
    both = {**again, "fileId": file_id}
    assert await org.refused("POST", path, both) == FIELD
    assert await org.refused("POST", path, {"fileId": f"file_{uuid4().hex}"}) == FIELD


async def test_a_file_is_used_for_one_user_only(org: Tenant) -> None:
    user, other, file_id = await make_user(org), await make_user(org), await make_file(org)
    scan = document(url=None, fileId=file_id)
    (created,) = await add(org, user, scan)
    await add(org, user, {**scan, "subType": "BACK_SIDE"})
    answer = await org.send("POST", documents(other), [document(), scan])
    assert refusal(answer) == FIELD
    assert "[1].fileId" in sentence(answer)
    assert (await org.get(documents(other)))["count"] == 0
    # Also when its first use has ended.
    await org.post(documents(user, created["id"]), {"url": "https://example.com/new"})
    assert await org.refused("POST", documents(other), [scan]) == FIELD


async def test_of_two_users_at_once_one_gets_the_file(org: Tenant) -> None:
    users, file_id = [await make_user(org) for _ in range(4)], await make_file(org)
    scan = [document(url=None, fileId=file_id)]
    answers = await asyncio.gather(*(org.send("POST", documents(user), scan) for user in users))
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400, 400]


async def test_changes_at_once_lose_nothing(org: Tenant) -> None:
    user = await make_user(org)
    await asyncio.gather(*(add(org, user, document(number=str(n))) for n in range(8)))
    listed = await org.get(documents(user))
    assert sorted(each["number"] for each in listed["data"]) == sorted(map(str, range(8)))


async def test_another_organisations_file_is_unknown(org: Tenant, other_org: Tenant) -> None:
    user, theirs = await make_user(org), await make_file(other_org)
    answers = [
        await org.send("POST", documents(user), [document(url=None, fileId=file_id)])
        for file_id in (theirs, f"file_{uuid4().hex}")
    ]
    assert answers[0].status_code == 400
    assert answers[0].content == answers[1].content


async def test_another_organisations_owner_is_unknown(org: Tenant, other_org: Tenant) -> None:
    user, theirs = await make_business(org), await make_business(other_org)
    listed = (await other_org.get(f"/v2/users/{theirs}/kyc/ubos"))["data"]
    answers = [
        await org.send("POST", documents(user), [document(uboId=ubo)])
        for ubo in (listed[0]["id"], str(uuid4()))
    ]
    assert answers[0].status_code == 400
    assert answers[0].content == answers[1].content


async def test_production_takes_no_tiny_files(org: Tenant) -> None:
    user, tiny, fine = await make_user(org), await make_file(org), PDF * 100
    container = org.container
    profiles = KycProfiles(
        container.database,
        container.vault,
        container.files,
        container.clock,
        policy=CountryPolicy(countries=(), us_states=()),
        mode=Mode.PRODUCTION,
    )
    card = await container.users.get(org.org_id, UUID(user))
    with pytest.raises(FieldInvalid, match=r"\[0\]\.fileId: .* 10240"):
        await profiles.add_documents(org.caller, card, [document(url=None, fileId=tiny)])
    scan = document(url=None, fileId=await make_file(org, fine))
    await profiles.add_documents(org.caller, card, [scan])


async def test_unknown_documents_are_unknown(org: Tenant) -> None:
    user, other = await make_user(org), await make_user(org)
    (created,) = await add(org, other, document())
    for of in (created["id"], str(uuid4()), "document"):
        assert await org.refused("GET", documents(user, of)) == UNKNOWN
        assert await org.refused("POST", documents(user, of), {"number": "1"}) == UNKNOWN
