"""Documents and their files: uploaded and downloaded by browsers, never run by them."""

from typing import Any

import pytest

from landbridge.platform.http.caller import MemberRole
from tests.dashboard.browsing import visit
from tests.people import make_business, owners_of
from tests.platform.files.sample_files import HTML, PDF, SVG, encoded
from tests.platform.files.uploads import rooms_left, rows_of
from tests.tenants import Tenant, make_user

PASSPORT = {"type": "PASSPORT", "subType": "SINGLE_SIDE", "issuedCountry": "Germany"}
# Size of a streamed chunk.
SLICE_BYTES = 64 * 1024
HOSTILE = "<script>alert(1)</script>"


def at(user: str, document: str = "new") -> str:
    return f"/dashboard/users/{user}/compliance/documents/{document}"


def tab(user: str) -> str:
    return f"/dashboard/users/{user}/compliance"


async def documents(org: Tenant, user: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = (await org.get(f"/v2/users/{user}/kyc/documents"))["data"]
    return found


async def test_document_is_added_with_a_file_and_shown(org: Tenant) -> None:
    user = await make_user(org)
    visitor = await visit(org, MemberRole.MEMBER)
    blank = await visitor.load(at(user), type="PASSPORT")
    assert blank.tree.xpath('//select[@name="type"]/option[@selected]/@value') == ["PASSPORT"]
    jpeg = encoded("JPEG")
    sent = {"file": ('my "pass"\r\n.jpg', jpeg, "image/jpeg")}
    fields = {**PASSPORT, "number": HOSTILE, "expiryDate": "2060-01-31"}
    assert await visitor.submit(at(user), fields, files=sent) == f"{tab(user)}#documents"
    (document,) = await documents(org, user)
    assert (document["type"], document["issuedCountry"]) == ("PASSPORT", "DEU")
    for path in (at(user, document["id"]), tab(user)):
        page = await visitor.load(path)
        assert HOSTILE not in page.response.text
        assert f"/dashboard/files/{document['fileId']}" in page.links()
    (shown,) = (await visitor.load(at(user, document["id"]))).tree.xpath("//main//img/@src")
    picture = (await visitor.open(shown)).response
    assert picture.content == jpeg
    assert picture.headers["content-type"] == "image/jpeg"
    assert picture.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert picture.headers["x-content-type-options"] == "nosniff"


async def test_file_is_a_download_and_never_shown_inline(org: Tenant) -> None:
    user = await make_user(org)
    visitor = await visit(org)
    await visitor.submit(at(user), PASSPORT, files={"file": ("a.pdf", PDF, "application/pdf")})
    (document,) = await documents(org, user)
    path = f"/dashboard/files/{document['fileId']}"
    member = await visit(org, MemberRole.MEMBER)
    response = (await member.load(path)).response
    assert response.content == PDF
    assert response.headers["content-disposition"].startswith("attachment")
    assert "sandbox" in response.headers["content-security-policy"]
    assert response.headers["x-content-type-options"] == "nosniff"
    assert (await visitor.open(f"{path}/picture")).status == 404
    assert not (await visitor.load(at(user, document["id"]))).tree.xpath("//main//img")


@pytest.mark.parametrize("under", ["", "/picture"])
async def test_file_is_streamed_in_chunks_and_holds_its_download_slot(
    org: Tenant, under: str
) -> None:
    jpeg = encoded("JPEG", (3000, 2000))
    file = await org.container.files.add(org.caller, name="a.jpeg", content=jpeg)
    visitor = await visit(org)
    slices: list[int] = []
    remaining: list[int] = []

    async def send(message: Any) -> None:
        if message["type"] == "http.response.body" and message["body"]:
            slices.append(len(message["body"]))
            remaining.append(rooms_left(org.container.files, org.org_id))

    await visitor.stream(f"/dashboard/files/{file.id}{under}", send)
    assert sum(slices) == len(jpeg) > SLICE_BYTES
    assert max(slices) <= SLICE_BYTES
    assert set(remaining) == {rooms_left(org.container.files, org.org_id) - 1}


async def test_files_of_other_organisations_are_not_found(org: Tenant, other_org: Tenant) -> None:
    user = await make_user(org)
    visitor = await visit(org)
    await visitor.submit(at(user), PASSPORT, files={"file": ("a.png", encoded("PNG"), "image/png")})
    (document,) = await documents(org, user)
    outsider = await visit(other_org)
    for under in ("", "/picture"):
        path = f"/dashboard/files/{document['fileId']}{under}"
        assert (await visitor.open(path)).status == 200
        assert (await outsider.open(path)).status == 404
        assert (await outsider.open(f"/dashboard/files/%2e%2e{under}")).status == 404
    assert (await outsider.open(at(user, document["id"]))).status == 404
    assert (await org.client.get(f"/dashboard/files/{document['fileId']}")).status_code == 303


@pytest.mark.parametrize("content", [HTML, SVG, b"", b"x" * (11 * 1024 * 1024)])
async def test_invalid_document_is_refused_at_its_field(org: Tenant, content: bytes) -> None:
    user = await make_user(org)
    visitor = await visit(org)
    sent = {"file": ("a.pdf", content, "application/pdf")}
    refused = await visitor.send(at(user), {**PASSPORT, "number": "P1"}, files=sent)
    assert refused.status in {413, 422}
    assert refused.value("number") == "P1"
    assert refused.tree.xpath('//*[@id="f-file"]/@aria-invalid') == ["true"]
    assert await documents(org, user) == []


async def test_file_is_deleted_if_its_document_is_refused(org: Tenant) -> None:
    user = await make_user(org)
    visitor = await visit(org)
    sent = {"file": ("a.pdf", PDF, "application/pdf")}
    fields = {**PASSPORT, "expiryDate": "tomorrow"}
    refused = await visitor.send(at(user), fields, files=sent)
    assert refused.status == 422
    assert refused.tree.xpath('//*[@id="f-expiryDate"]/@aria-invalid') == ["true"]
    (sent_file,) = await rows_of(org)
    assert (await visitor.open(f"/dashboard/files/{sent_file}")).status == 404


async def test_document_by_link_can_be_replaced_by_a_file(org: Tenant) -> None:
    user = await make_user(org)
    visitor = await visit(org)
    none = await visitor.send(at(user), PASSPORT, files={"file": ("", b"")})
    assert none.status == 422
    link = {**PASSPORT, "url": "https://example.com/scan"}
    await visitor.submit(at(user), link, files={"file": ("", b"")})
    (document,) = await documents(org, user)
    assert document["url"] == "https://example.com/scan"
    page = at(user, document["id"])
    opened_page = await visitor.load(page)
    assert opened_page.value("url") == "https://example.com/scan"
    fields = {"issuedCountry": "USA", "number": "P2", "url": "https://example.com/scan"}
    await visitor.submit(page, fields, files={"file": ("", b"")})
    await visitor.submit(page, fields, files={"file": ("b.pdf", PDF, "application/pdf")})
    (document,) = await documents(org, user)
    assert (document["issuedCountry"], document["number"]) == ("USA", "P2")
    assert "url" not in document
    assert document["fileId"]
    bad = await visitor.send(
        page, {**fields, "issuedCountry": "Atlantis"}, files={"file": ("", b"")}
    )
    assert bad.status == 422


async def test_document_of_an_owner_is_added(org: Tenant) -> None:
    user = await make_business(org)
    (owner,) = await owners_of(org, user)
    visitor = await visit(org)
    blank = await visitor.load(at(user), owner=owner)
    assert blank.tree.xpath('//select[@name="uboId"]/option[@selected]/@value') == [owner]
    sent = {"file": ("a.pdf", PDF, "application/pdf")}
    await visitor.submit(at(user), {**PASSPORT, "uboId": owner}, files=sent)
    added = (await documents(org, user))[-1]
    assert added["uboId"] == owner
    assert "Passport" in (await visitor.load(f"{tab(user)}/owners/{owner}")).text


async def test_upload_needs_a_signed_in_editor(org: Tenant) -> None:
    user = await make_user(org)
    sent = {"file": ("a.pdf", PDF, "application/pdf")}
    analyst = await visit(org, MemberRole.ANALYST)
    assert (await analyst.send(at(user), PASSPORT, files=sent)).status == 403
    visitor = await visit(org)
    assert (await visitor.send(at(user), PASSPORT, files=sent, csrf="x")).status == 403
    assert (await visitor.send(at(user), PASSPORT, files=sent, csrf="")).status == 403
    # Browsers send multipart parts even without a file; other bodies are refused.
    assert (await visitor.send(at(user), PASSPORT)).status == 403
    assert (await org.client.post(at(user), data=PASSPORT, files=sent)).status_code == 303
    assert (await visitor.send(at(user), {**PASSPORT, "number": "a\x00b"}, files=sent)).status in {
        400,
        422,
    }
    assert await documents(org, user) == []
