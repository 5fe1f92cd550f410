"""Documents on the hosted form: two sides, disguised files, and no partial storage."""

import pytest

from landbridge.platform.files.model import FILE_BYTES_MAX
from tests.customers.onboarding.person import IMAGE, PASSPORT, at_documents
from tests.tenants import Tenant


async def test_the_front_of_a_card_is_required(org: Tenant) -> None:
    person = await at_documents(org)
    await person.follow("item=identity")
    front = {"type": "ID_CARD", "subType": "FRONT_SIDE", "issuedCountry": "USA"}
    back = {**front, "subType": "BACK_SIDE"}
    assert await person.press("/documents", back, file=IMAGE) == "Documents"
    assert "The other side is missing" in person.text
    await person.follow("item=identity")
    await person.press("/documents", front, file=IMAGE)
    assert "Complete" in person.text
    assert await person.open() == "Review your answers"


LIES: list[tuple[tuple[str, bytes, str] | None, str]] = [
    (None, "Choose a file"),
    (("", b"", "application/octet-stream"), "Choose a file"),
    (("scan.pdf", b"<html>", "application/pdf"), "must be a pdf, jpeg"),
    (("scan.png", IMAGE[1], "image/png"), "not by its name"),
    (("scan.jpg", IMAGE[1][:200], "image/jpeg"), "Error: File"),
    (("scan.pdf", b"%PDF-1.7" + b"0" * FILE_BYTES_MAX, "application/pdf"), "at most 10 MB"),
]


@pytest.mark.parametrize(("file", "message"), LIES)
async def test_an_invalid_file_is_reported_and_not_stored(
    org: Tenant, file: tuple[str, bytes, str] | None, message: str
) -> None:
    person = await at_documents(org)
    await person.follow("item=identity")
    # Without a file the browser still sends a multipart form.
    sent = file or ("", b"", "application/octet-stream")
    assert await person.press("/documents", PASSPORT, file=sent) == "Proof of identity"
    assert person.last.status_code == 422
    assert message in person.text
    assert 'href="#file"' in person.text
    assert person.page.forms[0].values["number"] == ["X1234567"]
    rows = await org.container.database.rows(
        "select count(*) as n from files where org_id = $1 and state = 'STORED'", org.org_id
    )
    assert rows[0]["n"] == 0


async def test_a_document_that_is_refused_leaves_no_file(org: Tenant) -> None:
    person = await at_documents(org)
    await person.follow("item=identity")
    assert await person.press("/documents", {"type": "PASSPORT"}, file=IMAGE) == (
        "Proof of identity"
    )
    assert "Which country issued it? Choose an answer" in person.text
    rows = await org.container.database.rows(
        "select count(*) as n from files where org_id = $1 and state = 'STORED'", org.org_id
    )
    assert rows[0]["n"] == 0
