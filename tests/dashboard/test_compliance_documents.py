"""Documents and their files: sent by browsers, saved by browsers, run by none."""

import pytest

from landbridge.web.caller import Role
from tests.dashboard.browsing import visit
from tests.files.pictures import HTML, PDF, SVG, encoded
from tests.files.sending import rows_of
from tests.people import make_business, owners_of
from tests.tenants import Tenant, make_user

PASSPORT = {"type": "PASSPORT", "subType": "SINGLE_SIDE", "issuedCountry": "Germany"}
HOSTILE = "<script>alert(1)</script>"


def at(user: str, document: str = "new") -> str:
    return f"/dashboard/users/{user}/compliance/documents/{document}"


def tab(user: str) -> str:
    return f"/dashboard/users/{user}/compliance"


async def documents(org: Tenant, user: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = (await org.get(f"/v2/users/{user}/kyc/documents"))["data"]
    return found


async def test_a_document_is_added_with_its_file_and_looked_at(org: Tenant) -> None:
    user = await make_user(org)
    somebody = await visit(org, Role.MEMBER)
    blank = await somebody.see(at(user), type="PASSPORT")
    assert blank.tree.xpath('//select[@name="type"]/option[@selected]/@value') == ["PASSPORT"]
    jpeg = encoded("JPEG")
    sent = {"file": ('my "pass"\r\n.jpg', jpeg, "image/jpeg")}
    told = {**PASSPORT, "number": HOSTILE, "expiryDate": "2060-01-31"}
    assert await somebody.done(at(user), told, files=sent) == f"{tab(user)}#documents"
    (document,) = await documents(org, user)
    assert (document["type"], document["issuedCountry"]) == ("PASSPORT", "DEU")
    for path in (at(user, document["id"]), tab(user)):
        opened = await somebody.see(path)
        assert HOSTILE not in opened.answer.text
        assert f"/dashboard/files/{document['fileId']}" in opened.links()
    (shown,) = (await somebody.see(at(user, document["id"]))).tree.xpath("//main//img/@src")
    picture = (await somebody.open(shown)).answer
    assert picture.content == jpeg
    assert picture.headers["content-type"] == "image/jpeg"
    assert picture.headers["content-security-policy"] == "default-src 'none'; sandbox"
    assert picture.headers["x-content-type-options"] == "nosniff"


async def test_a_file_is_saved_and_never_shown(org: Tenant) -> None:
    user = await make_user(org)
    somebody = await visit(org)
    await somebody.done(at(user), PASSPORT, files={"file": ("a.pdf", PDF, "application/pdf")})
    (document,) = await documents(org, user)
    path = f"/dashboard/files/{document['fileId']}"
    analyst = await visit(org, Role.ANALYST)
    answer = (await analyst.see(path)).answer
    assert answer.content == PDF
    assert answer.headers["content-disposition"].startswith("attachment")
    assert "sandbox" in answer.headers["content-security-policy"]
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert (await somebody.open(f"{path}/picture")).status == 404
    assert not (await somebody.see(at(user, document["id"]))).tree.xpath("//main//img")


async def test_files_of_others_are_not_there(org: Tenant, other_org: Tenant) -> None:
    user = await make_user(org)
    somebody = await visit(org)
    await somebody.done(at(user), PASSPORT, files={"file": ("a.png", encoded("PNG"), "image/png")})
    (document,) = await documents(org, user)
    stranger = await visit(other_org)
    for under in ("", "/picture"):
        path = f"/dashboard/files/{document['fileId']}{under}"
        assert (await somebody.open(path)).status == 200
        assert (await stranger.open(path)).status == 404
        assert (await stranger.open(f"/dashboard/files/%2e%2e{under}")).status == 404
    assert (await stranger.open(at(user, document["id"]))).status == 404
    assert (await org.client.get(f"/dashboard/files/{document['fileId']}")).status_code == 303


@pytest.mark.parametrize("content", [HTML, SVG, b"", b"x" * (11 * 1024 * 1024)])
async def test_what_is_no_document_is_refused_at_its_field(org: Tenant, content: bytes) -> None:
    user = await make_user(org)
    somebody = await visit(org)
    sent = {"file": ("a.pdf", content, "application/pdf")}
    refused = await somebody.send(at(user), {**PASSPORT, "number": "P1"}, files=sent)
    assert refused.status in {413, 422}
    assert refused.value("number") == "P1"
    assert refused.tree.xpath('//*[@id="f-file"]/@aria-invalid') == ["true"]
    assert await documents(org, user) == []


async def test_a_file_that_no_document_took_is_not_kept(org: Tenant) -> None:
    user = await make_user(org)
    somebody = await visit(org)
    sent = {"file": ("a.pdf", PDF, "application/pdf")}
    told = {**PASSPORT, "expiryDate": "tomorrow"}
    refused = await somebody.send(at(user), told, files=sent)
    assert refused.status == 422
    assert refused.tree.xpath('//*[@id="f-expiryDate"]/@aria-invalid') == ["true"]
    (sent_file,) = await rows_of(org)
    assert (await somebody.open(f"/dashboard/files/{sent_file}")).status == 404


async def test_a_link_will_do_and_a_file_takes_its_place(org: Tenant) -> None:
    user = await make_user(org)
    somebody = await visit(org)
    none = await somebody.send(at(user), PASSPORT, files={"file": ("", b"")})
    assert none.status == 422
    link = {**PASSPORT, "url": "https://example.com/scan"}
    await somebody.done(at(user), link, files={"file": ("", b"")})
    (document,) = await documents(org, user)
    assert document["url"] == "https://example.com/scan"
    page = at(user, document["id"])
    opened = await somebody.see(page)
    assert opened.value("url") == "https://example.com/scan"
    told = {"issuedCountry": "USA", "number": "P2", "url": "https://example.com/scan"}
    await somebody.done(page, told, files={"file": ("", b"")})
    await somebody.done(page, told, files={"file": ("b.pdf", PDF, "application/pdf")})
    (document,) = await documents(org, user)
    assert (document["issuedCountry"], document["number"]) == ("USA", "P2")
    assert document["url"] is None
    assert document["fileId"]
    bad = await somebody.send(
        page, {**told, "issuedCountry": "Atlantis"}, files={"file": ("", b"")}
    )
    assert bad.status == 422


async def test_a_document_of_an_owner(org: Tenant) -> None:
    user = await make_business(org)
    (owner,) = await owners_of(org, user)
    somebody = await visit(org)
    blank = await somebody.see(at(user), owner=owner)
    assert blank.tree.xpath('//select[@name="uboId"]/option[@selected]/@value') == [owner]
    sent = {"file": ("a.pdf", PDF, "application/pdf")}
    await somebody.done(at(user), {**PASSPORT, "uboId": owner}, files=sent)
    added = (await documents(org, user))[-1]
    assert added["uboId"] == owner
    assert "Passport" in (await somebody.see(f"{tab(user)}/owners/{owner}")).text


async def test_a_file_is_read_from_nobody_but_our_members(org: Tenant) -> None:
    user = await make_user(org)
    sent = {"file": ("a.pdf", PDF, "application/pdf")}
    analyst = await visit(org, Role.ANALYST)
    assert (await analyst.send(at(user), PASSPORT, files=sent)).status == 403
    somebody = await visit(org)
    assert (await somebody.send(at(user), PASSPORT, files=sent, csrf="x")).status == 403
    assert (await somebody.send(at(user), PASSPORT, files=sent, csrf="")).status == 403
    # Without a file a browser still sends parts; what is no form at all is refused.
    assert (await somebody.send(at(user), PASSPORT)).status == 403
    assert (await org.client.post(at(user), data=PASSPORT, files=sent)).status_code == 303
    assert (await somebody.send(at(user), {**PASSPORT, "number": "a\x00b"}, files=sent)).status in {
        400,
        422,
    }
    assert await documents(org, user) == []
