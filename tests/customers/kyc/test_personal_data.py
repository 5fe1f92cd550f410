"""Stored KYC data is encrypted, and erased with the user."""

import asyncio
from uuid import UUID

from tests.customers.kyc.samples import document, make_business, owner
from tests.platform.files.sample_files import PDF
from tests.tenants import Tenant, good, make_user

OWNERS = "ultimateBeneficialOwners"


async def _file(org: Tenant) -> str:
    sent = await org.client.post("/v2/files", files={"file": ("a.pdf", PDF)}, headers=org.headers)
    return good(sent)["id"]


async def _erase(org: Tenant, user: str) -> None:
    await org.post(f"/v2/users/{user}/freeze", {})
    good(await org.send("DELETE", f"/v2/users/{user}/personal-data"))


async def test_nothing_personal_is_readable_in_the_database(org: Tenant) -> None:
    user = await make_business(org)
    kyc = f"/v2/users/{user}/kyc"
    marked = owner(lastName="Canarybird", phone="+14155550199")
    await org.post(kyc, {OWNERS: [marked], "tradeName": "Canarybird"})
    await org.post(f"{kyc}/documents", [document("SHARE_STRUCTURE", number="Canarybird")])
    for whole in (
        "select t::text as whole from kyc_profiles t where org_id = $1",
        "select t::text as whole from kyc_files t where org_id = $1",
        "select t::text as whole from changes t where org_id = $1",
    ):
        for row in await org.container.database.rows(whole, org.org_id):
            for secret in (b"Canarybird", b"4155550199"):
                assert secret.decode() not in row["whole"], whole
                assert secret.hex() not in row["whole"], whole


async def test_the_same_data_is_never_sealed_alike(org: Tenant) -> None:
    for _ in range(2):
        await make_user(org)
    rows = await org.container.database.rows(
        "select sealed_content from kyc_profiles where org_id = $1", org.org_id
    )
    assert len({row["sealed_content"] for row in rows}) == 2


async def test_erasure_takes_data_owners_documents_and_files(org: Tenant) -> None:
    user, used, dropped, free = await make_business(org), *[await _file(org) for _ in range(3)]
    kyc = f"/v2/users/{user}/kyc"
    ubo = (await org.get(kyc))["kycInfo"][OWNERS][0]
    scans = [
        document("SHARE_STRUCTURE", url=None, fileId=used),
        document(uboId=ubo, url=None, fileId=dropped),
    ]
    await org.post(f"{kyc}/documents", scans)
    await org.post(kyc, {OWNERS: []})
    assert (await org.get(f"{kyc}/documents"))["count"] == 1
    await _erase(org, user)
    info = (await org.get(kyc))["kycInfo"]
    assert {name: value for name, value in info.items() if value not in (None, [])} == {
        "type": "business"
    }
    for file_id in (used, dropped):
        assert await org.refused("GET", f"/v2/files/{file_id}") == "404 RESOURCE_NOT_FOUND"
    await org.get(f"/v2/files/{free}")
    (row,) = await org.container.database.rows(
        "select sealed_content from kyc_profiles where org_id = $1 and user_id = $2",
        org.org_id,
        UUID(user),
    )
    assert row["sealed_content"] is None


async def test_no_data_is_stored_for_an_erased_user(org: Tenant) -> None:
    user, file_id = await make_user(org), await _file(org)
    await _erase(org, user)
    for path, body in (
        ("", {"phone": "+14155550123"}),
        ("/documents", [document(url=None, fileId=file_id)]),
    ):
        assert await org.refused("POST", f"/v2/users/{user}/kyc{path}", body) == "403 USER_FROZEN"
    # The file was not used.
    other = await make_user(org)
    await org.post(f"/v2/users/{other}/kyc/documents", [document(url=None, fileId=file_id)])


async def test_frozen_users_may_still_be_corrected(org: Tenant) -> None:
    user = await make_user(org)
    await org.post(f"/v2/users/{user}/freeze", {})
    info = (await org.post(f"/v2/users/{user}/kyc", {"middleName": "Ann"}))["kycInfo"]
    assert info["middleName"] == "Ann"


async def test_erasure_during_a_submission_leaves_no_data(org: Tenant) -> None:
    user, files = await make_user(org), [await _file(org) for _ in range(4)]
    kyc = f"/v2/users/{user}/kyc"
    await org.post(f"/v2/users/{user}/freeze", {})
    answers = await asyncio.gather(
        *(
            org.send("POST", f"{kyc}/documents", [document(url=None, fileId=each)])
            for each in files[:2]
        ),
        org.send("DELETE", f"/v2/users/{user}/personal-data"),
        *(
            org.send("POST", f"{kyc}/documents", [document(url=None, fileId=each)])
            for each in files[2:]
        ),
    )
    assert answers[2].status_code == 200
    assert {answer.status_code for answer in answers} <= {200, 403}
    assert (await org.get(f"{kyc}/documents"))["count"] == 0
    submissions = [answer for index, answer in enumerate(answers) if index != 2]
    for file_id, answer in zip(files, submissions, strict=True):
        response = await org.send("GET", f"/v2/files/{file_id}")
        assert response.status_code == (404 if answer.status_code == 200 else 200)
