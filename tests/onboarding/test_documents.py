"""Documents on the hosted form: two sides, lies about files, and nothing half kept."""

import pytest

from landbridge.files.model import FILE_BYTES_MAX
from tests.onboarding.person import PASSPORT, PICTURE, at_documents
from tests.tenants import Tenant


async def test_the_front_of_a_card_is_asked_for(org: Tenant) -> None:
    person = await at_documents(org)
    await person.follow("item=identity")
    front = {"type": "ID_CARD", "subType": "FRONT_SIDE", "issuedCountry": "USA"}
    back = {**front, "subType": "BACK_SIDE"}
    assert await person.press("/documents", back, file=PICTURE) == "Documents"
    assert "The other side is missing" in person.text
    await person.follow("item=identity")
    await person.press("/documents", front, file=PICTURE)
    assert "Complete" in person.text
    assert await person.open() == "Check what you entered"


LIES: list[tuple[tuple[str, bytes, str] | None, str]] = [
    (None, "Choose a file"),
    (("", b"", "application/octet-stream"), "Choose a file"),
    (("scan.pdf", b"<html>", "application/pdf"), "must be a pdf, jpeg"),
    (("scan.png", PICTURE[1], "image/png"), "not by its name"),
    (("scan.jpg", PICTURE[1][:200], "image/jpeg"), "The file"),
    (("scan.pdf", b"%PDF-1.7" + b"0" * FILE_BYTES_MAX, "application/pdf"), "at most 10 MB"),
]


@pytest.mark.parametrize(("file", "said"), LIES)
async def test_a_bad_file_is_told_beside_it_and_nothing_is_kept(
    org: Tenant, file: tuple[str, bytes, str] | None, said: str
) -> None:
    person = await at_documents(org)
    await person.follow("item=identity")
    # Without a file the browser still sends the form in parts.
    sent = file or ("", b"", "application/octet-stream")
    assert await person.press("/documents", PASSPORT, file=sent) == "Proof of identity"
    assert person.last.status_code == 422
    assert said in person.text
    assert 'href="#file"' in person.text
    assert person.page.forms[0].values["number"] == ["X1234567"]
    rows = await org.house.database.rows(
        "select count(*) as n from files where org_id = $1 and state = 'THERE'", org.org_id
    )
    assert rows[0]["n"] == 0


async def test_a_document_that_is_refused_leaves_no_file(org: Tenant) -> None:
    person = await at_documents(org)
    await person.follow("item=identity")
    assert await person.press("/documents", {"type": "PASSPORT"}, file=PICTURE) == (
        "Proof of identity"
    )
    assert "Which country issued it? Choose an answer" in person.text
    rows = await org.house.database.rows(
        "select count(*) as n from files where org_id = $1 and state = 'THERE'", org.org_id
    )
    assert rows[0]["n"] == 0
