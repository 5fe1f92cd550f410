"""Every page and file that an analyst can open, over an organisation with known numbers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, cast
from uuid import uuid4

import httpx2
import pytest

from landbridge.app.container import Container
from landbridge.platform.http.caller import MemberRole
from landbridge.platform.http.number_masks import MASKED
from landbridge.sandbox.scenarios.personas import us_account
from tests.customers.bank_accounts.verified import PDF
from tests.dashboard.browsing import Visitor, visit
from tests.dashboard.world import LISTS, World, build_with_linked_pages
from tests.tenants import Tenant, good, make_tenant

pytestmark = pytest.mark.usefixtures("unlimited_pages")

LINK = "https://example.com/scan-of-a-passport.pdf"
# Of the user and of the business, each given once below.
KNOWN = {
    "taxIdentificationNumber": "539604217",
    "govIdNumber": "G48817736",
    "idNumber": "I59928847",
    "additionalIdNumber": "72310098456",
    "number": "P61039958",
    "registrationNumber": "R72140069",
    "certificateNumber": "C83251170",
    "incorporationNumber": "N94362281",
    "leiNumber": "L05473392",
    "iban": "DE89370400440532013000",
}
_FILES = (
    "/dashboard/transactions/csv",
    "/dashboard/fees/csv",
    "/dashboard/audit-log/csv",
    *(f"/dashboard/{each}/csv" for each in LISTS),
)
_LENGTH_MIN = 8
_FORMATS = ("csv", "pdf", "json")


@dataclass(slots=True)
class Numbered:
    """An organisation, its pages, and its numbers in whole."""

    org: Tenant
    world: World
    file: str
    numbers: set[str] = field(default_factory=set[str])

    async def paths(self) -> list[str]:
        """Return every page, one of each event and delivery, and the files behind buttons."""
        events = (await self.org.get("/v2/events", limit=50, order="desc"))["records"]
        pages = [f"/dashboard/events/{each['eventId']}" for each in events]
        return [*self.world.pages().values(), *pages, *_FILES, *self._statements()]

    def _statements(self) -> list[str]:
        query = f"userId={self.world.user}"
        return [f"/dashboard/reports/statements/file?{query}&format={each}" for each in _FORMATS]


@pytest.fixture(scope="module")
async def numbered(container: Container, client: httpx2.AsyncClient) -> Numbered:
    org = await make_tenant(container, client)
    world = await build_with_linked_pages(org)
    file = await _give_numbers(org, world)
    found = Numbered(org, world, file, {LINK, *KNOWN.values()})
    for path in await _records(org, world):
        whole = _whole_numbers(await org.get(path))
        # A short one would be found in amounts and ids.
        found.numbers |= {each for each in whole if len(each) >= _LENGTH_MIN}
    return found


async def test_analysts_see_no_number_whole(numbered: Numbered) -> None:
    analyst = await visit(numbered.org, MemberRole.ANALYST)
    for path in await numbered.paths():
        seen = await _numbers_on(analyst, path, numbered.numbers)
        assert not seen, f"{path} shows {seen}"


async def test_members_see_every_number_whole(numbered: Numbered) -> None:
    """What no page shows anybody would prove nothing."""
    pages, member = numbered.world.pages(), await visit(numbered.org, MemberRole.MEMBER)
    seen: set[str] = set()
    for name in ("user-account", "user-compliance", "user-document", "business-compliance"):
        seen |= await _numbers_on(member, pages[name], numbered.numbers)
    assert seen >= {LINK, *KNOWN.values()}


async def test_analysts_open_no_document(numbered: Numbered) -> None:
    page = f"/dashboard/users/{numbered.world.user}/compliance"
    download = f"/dashboard/files/{numbered.file}"
    for role in MemberRole:
        visitor = await visit(numbered.org, role)
        opened = await visitor.open(download)
        has_link = download in (await visitor.load(page)).links()
        if role is MemberRole.ANALYST:
            assert opened.status == 403
            assert "can't open documents" in opened.response.text
            assert not has_link
        else:
            assert opened.response.content == PDF
            assert has_link


async def test_an_analyst_reveals_one_number_and_the_audit_log_says_why(
    numbered: Numbered,
) -> None:
    analyst = await visit(numbered.org, MemberRole.ANALYST, name="Grace Auditor")
    page = await analyst.load(numbered.world.pages()["user-document"])
    (link,) = (each for each in page.links() if "/reveal?" in each)
    form = await analyst.load(link)
    fields = {name: form.value(name) for name in ("record", "recordId")} | {"field": "number"}
    path = link.partition("?")[0]
    assert "enter no personal data" in form.text
    refused = await analyst.send(path, fields)
    assert refused.status == 422
    assert KNOWN["number"] not in refused.response.text
    shown = await analyst.send(path, {**fields, "reason": "case 17"})
    assert shown.status == 200
    assert KNOWN["number"] in shown.text
    assert KNOWN["number"] not in (await analyst.load(link)).text
    log = await analyst.load("/dashboard/audit-log")
    for word in ("Masked number: reveal", "Grace Auditor", "field=number", "reason=case 17"):
        assert word in log.text
    assert KNOWN["number"] not in log.text
    member = await visit(numbered.org, MemberRole.MEMBER)
    seen = await member.load(numbered.world.pages()["user-document"])
    assert not [each for each in seen.links() if "/reveal" in each]


async def _numbers_on(visitor: Visitor, path: str, numbers: set[str]) -> set[str]:
    """Return the numbers in a page, also where they are written in groups or in pieces."""
    page = await visitor.open(path)
    assert page.status in {200, 403}, path
    # Numbers are written in groups, each in an element of its own.
    joined = re.sub(r"</?(span|code)[^>]*>|[ \u00a0\u202f-]", "", page.response.text)
    return {each for each in numbers if each in page.response.text or each in joined}


async def _give_numbers(org: Tenant, world: World) -> str:
    """Give the user and the business a number of every kind; return the id of a document's file."""
    upload = {"file": (f"{uuid4()}.pdf", PDF, "application/pdf")}
    sent = await org.client.post("/v2/files", files=upload, headers=org.headers)
    file = str(good(sent)["id"])
    kyc, company = f"/v2/users/{world.user}/kyc", f"/v2/users/{world.business}/kyc"
    names = ("taxIdentificationNumber", "govIdNumber", "idNumber", "additionalIdNumber")
    await org.post(kyc, {**{name: KNOWN[name] for name in names}, "govIdFrontUrl": LINK})
    names = ("registrationNumber", "certificateNumber", "incorporationNumber", "leiNumber")
    await org.post(company, {name: KNOWN[name] for name in names})
    passport = {"type": "PASSPORT", "subType": "SINGLE_SIDE", "issuedCountry": "USA"}
    passport |= {"expiryDate": "2100-01-01", "number": KNOWN["number"]}
    added = await org.post(f"{kyc}/documents", [{**passport, "url": LINK}])
    world.document = added["data"][0]["id"]
    world.account = await _european_account(org, world.user)
    await org.post(f"{kyc}/documents", [{**passport, "type": "ID_CARD", "fileId": file}])
    return file


async def _european_account(org: Tenant, user: str) -> str:
    """Create an account with an IBAN; return its id."""
    body = us_account("swift")
    del body["us"]["accountNumber"]
    body["us"] |= {"iban": KNOWN["iban"], "swiftCode": "BOFAUS3N"}
    return str((await org.post(f"/v2/users/{user}/accounts", body))["id"])


async def _records(org: Tenant, world: World) -> list[str]:
    user, company = f"/v2/users/{world.user}", f"/v2/users/{world.business}"
    return [
        *(f"{each}/kyc" for each in (user, company)),
        f"{company}/kyc/ubos",
        f"{user}/kyc/documents",
        f"{user}/accounts/{world.account}",
        f"{user}/virtual-accounts/{world.virtual_account}",
        f"/v2/onramps/{world.payments['onramp']}",
        f"/v2/offramps/{world.payments['offramp']}",
        "/v2/reviews/deposits",
        "/v2/reviews/bank-lines",
    ]


def _whole_numbers(value: Any) -> Iterator[str]:
    match value:
        case dict():
            for name, each in cast("dict[str, Any]", value).items():
                if name in MASKED and isinstance(each, str) and not each.startswith("****"):
                    yield each
                yield from _whole_numbers(each)
        case list():
            for each in cast("list[Any]", value):
                yield from _whole_numbers(each)
        case _:
            return
