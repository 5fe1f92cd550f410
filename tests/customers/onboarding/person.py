"""Person at the hosted form, with a browser without JavaScript."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import httpx2
from typing_extensions import override

from tests.platform.files.sample_files import encoded
from tests.tenants import Tenant

LINK = "/v2/kyc-link"

ADA: dict[str, str | list[str]] = {
    "firstName": "Ada",
    "lastName": "Example",
    "email": "ada@example.com",
    "dateOfBirth.day": "27",
    "dateOfBirth.month": "3",
    "dateOfBirth.year": "1985",
    "address.addressLine1": "1 Market Street",
    "address.city": "San Francisco",
    "address.stateProvinceRegion": "California",
    "address.postalCode": "94105",
    "address.country": "USA",
}
ADA_DETAILS: dict[str, str | list[str]] = {
    "phone": "+1 415 555 0123",
    "nationality": "USA",
    "taxIdentificationNumber": "536-90-4399",
}
PASSPORT: dict[str, str | list[str]] = {
    "type": "PASSPORT",
    "subType": "SINGLE_SIDE",
    "issuedCountry": "USA",
    "number": "X1234567",
}
COMPANY: dict[str, str | list[str]] = {
    "businessName": "Example Ltd",
    "email": "office@example.com",
    **{name: value for name, value in ADA.items() if name.startswith("address.")},
    "controller.firstName": "Ada",
    "controller.lastName": "Example",
    "controller.dateOfBirth.day": "27",
    "controller.dateOfBirth.month": "3",
    "controller.dateOfBirth.year": "1985",
    "controller.isSigner": "yes",
}
COMPANY_DETAILS: dict[str, str | list[str]] = {
    "businessType": "limited_liability_company",
    "businessIndustry": "Software",
    "registrationNumber": "C1234567",
    **{
        name.replace("address.", "registeredAddress."): value
        for name, value in ADA.items()
        if name.startswith("address.")
    },
    "website": "https://example.com",
    "incorporationDate.day": "1",
    "incorporationDate.month": "2",
    "incorporationDate.year": "2015",
    "phone": "+14155550123",
    "taxIdentificationNumber": "12-3456789",
    "tradeName": "Example",
}
COMPANY_QUESTIONS: dict[str, str | list[str]] = {
    "sofEuQuestionnaire.primaryPurpose": "payroll",
    "sofEuQuestionnaire.sourceOfFunds": "sales_of_goods_and_services",
    "sofEuQuestionnaire.transmitsCustomerFunds": "no",
    "sofEuQuestionnaire.conductsMoneyServices": "no",
    "sofEuQuestionnaire.highRiskActivities": ["none_of_the_above"],
    "sofEuQuestionnaire.estimatedAnnualRevenueUsd": "100000_999999",
    "sofEuQuestionnaire.expectedMonthlyPaymentsUsd": "5000",
    "sofEuQuestionnaire.customerFundsDescription": "Only our own, from sales.",
}
OWNER: dict[str, str | list[str]] = {
    "roles": ["UBO", "DIRECTOR"],
    "businessTitle": "Managing director",
    **{name: value for name, value in ADA.items() if name != "email"},
    "email": "ada@example.com",
    **ADA_DETAILS,
    "shareProportion": "60",
    "relationshipEstablishedAt.day": "1",
    "relationshipEstablishedAt.month": "2",
    "relationshipEstablishedAt.year": "2015",
}
IMAGE = ("scan.jpg", encoded("JPEG"), "image/jpeg")


@dataclass
class FormFound:
    """Form of a page: its target, and the values that it would send unchanged."""

    action: str
    values: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    names: set[str] = field(default_factory=set[str])


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.forms: list[FormFound] = []
        self.links: list[str] = []
        self.heading = ""
        self._select = ""
        self._textarea = ""
        self._is_heading = False

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes: dict[str, str] = {name: value or "" for name, value in attrs}
        match tag:
            case "form":
                self.forms.append(FormFound(attributes["action"]))
            case "a":
                self.links.append(attributes["href"])
            case "h1":
                self._is_heading = True
            case "select":
                self._select = attributes["name"]
                self.forms[-1].names.add(self._select)
            case "option" if "selected" in attributes:
                self.forms[-1].values[self._select] = [attributes["value"]]
            case "textarea":
                self._textarea = attributes["name"]
                self.forms[-1].names.add(self._textarea)
            case "input":
                form, name = self.forms[-1], attributes["name"]
                form.names.add(name)
                if attributes["type"] == "file":
                    return
                if attributes["type"] not in {"radio", "checkbox"} or "checked" in attributes:
                    form.values.setdefault(name, []).append(attributes.get("value", ""))
            case _:
                pass

    @override
    def handle_endtag(self, tag: str) -> None:
        if tag == "h1":
            self._is_heading = False
        if tag == "textarea":
            self._textarea = ""

    @override
    def handle_data(self, data: str) -> None:
        if self._is_heading:
            self.heading += data
        if self._textarea:
            self.forms[-1].values.setdefault(self._textarea, [""])[0] += data


@dataclass
class Person:
    """Person who has the link."""

    client: httpx2.AsyncClient
    url: str
    answer: httpx2.Response | None = None
    page: _Reader = field(default_factory=_Reader)

    @property
    def text(self) -> str:
        """HTML of the page."""
        return self.last.text

    @property
    def last(self) -> httpx2.Response:
        """Last response."""
        assert self.answer is not None
        return self.answer

    @property
    def heading(self) -> str:
        """Heading of the page."""
        return self.page.heading

    async def open(self, url: str | None = None) -> str:
        """Open the link, or a page; return its heading."""
        return self._see(await self.client.get(url or self.url, follow_redirects=True))

    async def follow(self, *parts: str) -> str:
        """Follow the first link whose address contains all these words."""
        found = next(each for each in self.page.links if all(part in each for part in parts))
        return await self.open(found)

    async def press(
        self,
        action: str,
        answers: Mapping[str, str | list[str]] | None = None,
        *,
        file: tuple[str, bytes, str] | None = None,
    ) -> str:
        """Submit the form whose address ends like this, with these answers replaced."""
        form = self.form(action)
        values: dict[str, Any] = {**form.values, **(answers or {})}
        unknown = values.keys() - form.names
        assert not unknown, f"{self.heading} does not ask for {unknown}"
        content: dict[str, Any] = {"data": values}
        if file is not None:
            content["files"] = {"file": file}
        return self._see(await self.client.post(form.action, follow_redirects=True, **content))

    def form(self, action: str) -> FormFound:
        """Return the form whose address ends like this."""
        found = (each for each in self.page.forms if each.action.partition("?")[0].endswith(action))
        return next(found)

    async def answer_some(self, action: str, answers: Mapping[str, str | list[str]]) -> str:
        """Submit a form with those of these answers that it has fields for."""
        form = self.form(action)
        return await self.press(
            action, {name: value for name, value in answers.items() if name in form.names}
        )

    def _see(self, answer: httpx2.Response) -> str:
        self.answer, self.page = answer, _Reader()
        self.page.feed(answer.text)
        return self.heading


async def invite(org: Tenant, **fields: Any) -> Person:
    """Create a link; return the person who received it."""
    body = {"userType": "INDIVIDUAL", **fields}
    if "userId" in fields:
        del body["userType"]
    created = await org.post(LINK, {name: each for name, each in body.items() if each is not None})
    return Person(org.client, str(created["kycLinkUrl"]))


async def to_the_end(person: Person, *, is_business: bool = False) -> str:
    """Complete the whole form up to the submission."""
    await person.open()
    await person.press("/terms")
    if is_business:
        await person.press("/about", COMPANY)
        await person.answer_some("/details", COMPANY_DETAILS)
        await person.press("/questions", COMPANY_QUESTIONS)
        await person.follow("step=owners", "item=")
        await person.answer_some("/owners", OWNER)
        await person.open()
    else:
        await person.press("/about", ADA)
        await person.answer_some("/details", ADA_DETAILS)
    while "item=" in "".join(person.page.links) and ">Missing<" in person.text:
        missing = person.text[: person.text.index(">Missing<")].count("step=documents")
        links = [each for each in person.page.links if "item=" in each]
        await person.open(links[missing])
        await person.press("/documents", _needed(person), file=IMAGE)
    return await person.open()


async def at_documents(org: Tenant) -> Person:
    """Return a person who has submitted everything except documents."""
    person = await invite(org, rails=["USD"])
    await person.open()
    await person.press("/terms")
    await person.press("/about", ADA)
    await person.press("/details", ADA_DETAILS)
    return person


async def only_user(org: Tenant) -> Any:
    """Return the only user of the organisation."""
    users = (await org.get("/v2/users"))["users"]
    assert len(users) == 1
    return users[0]


def _needed(person: Person) -> dict[str, str | list[str]]:
    """Return the answers for the document on this page, of the first accepted type."""
    form = person.page.forms[0]
    answers: dict[str, str | list[str]] = {"issuedCountry": "USA"}
    if "type" in form.names:
        answers["type"] = "PASSPORT" if 'value="PASSPORT"' in person.text else _first_type(person)
    return answers


def _first_type(person: Person) -> str:
    index = person.text.index('name="type"')
    values = person.text[index:].split('value="')
    return next(each.split('"')[0] for each in values[1:] if not each.startswith('"'))
