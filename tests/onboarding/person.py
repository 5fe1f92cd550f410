"""Somebody at the hosted form, as a browser without JavaScript: reads pages, fills in, presses."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import httpx2
from typing_extensions import override

from tests.files.pictures import encoded
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
PICTURE = ("scan.jpg", encoded("JPEG"), "image/jpeg")


@dataclass
class FormFound:
    """A form of a page: where it goes, and what it would send as it is."""

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
        told: dict[str, str] = {name: value or "" for name, value in attrs}
        match tag:
            case "form":
                self.forms.append(FormFound(told["action"]))
            case "a":
                self.links.append(told["href"])
            case "h1":
                self._is_heading = True
            case "select":
                self._select = told["name"]
                self.forms[-1].names.add(self._select)
            case "option" if "selected" in told:
                self.forms[-1].values[self._select] = [told["value"]]
            case "textarea":
                self._textarea = told["name"]
                self.forms[-1].names.add(self._textarea)
            case "input":
                form, name = self.forms[-1], told["name"]
                form.names.add(name)
                if told["type"] == "file":
                    return
                if told["type"] not in {"radio", "checkbox"} or "checked" in told:
                    form.values.setdefault(name, []).append(told.get("value", ""))
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
    """Whoever has the link."""

    client: httpx2.AsyncClient
    url: str
    answer: httpx2.Response | None = None
    page: _Reader = field(default_factory=_Reader)

    @property
    def text(self) -> str:
        """What the page says, as it is written."""
        return self.last.text

    @property
    def last(self) -> httpx2.Response:
        """The last answer."""
        assert self.answer is not None
        return self.answer

    @property
    def heading(self) -> str:
        """What the page is called."""
        return self.page.heading

    async def open(self, url: str | None = None) -> str:
        """Open the link, or a page; answers what it is called."""
        return self._see(await self.client.get(url or self.url, follow_redirects=True))

    async def follow(self, *parts: str) -> str:
        """Follow the first link that has all these words in its address."""
        found = next(each for each in self.page.links if all(part in each for part in parts))
        return await self.open(found)

    async def press(
        self,
        action: str,
        answers: Mapping[str, str | list[str]] | None = None,
        *,
        file: tuple[str, bytes, str] | None = None,
    ) -> str:
        """Send the form whose address ends like this, with these answers in place of others."""
        form = self.form(action)
        told: dict[str, Any] = {**form.values, **(answers or {})}
        unknown = told.keys() - form.names
        assert not unknown, f"{self.heading} does not ask for {unknown}"
        content: dict[str, Any] = {"data": told}
        if file is not None:
            content["files"] = {"file": file}
        return self._see(await self.client.post(form.action, follow_redirects=True, **content))

    def form(self, action: str) -> FormFound:
        """The form whose address ends like this."""
        found = (each for each in self.page.forms if each.action.partition("?")[0].endswith(action))
        return next(found)

    async def answer_some(self, action: str, answers: Mapping[str, str | list[str]]) -> str:
        """Send a form with those of these answers that it asks for."""
        form = self.form(action)
        return await self.press(
            action, {name: value for name, value in answers.items() if name in form.names}
        )

    def _see(self, answer: httpx2.Response) -> str:
        self.answer, self.page = answer, _Reader()
        self.page.feed(answer.text)
        return self.heading


async def invite(org: Tenant, **told: Any) -> Person:
    """Somebody who has just been given a link."""
    body = {"userType": "INDIVIDUAL", **told}
    if "userId" in told:
        del body["userType"]
    made = await org.post(LINK, {name: each for name, each in body.items() if each is not None})
    return Person(org.client, str(made["kycLinkUrl"]))


async def to_the_end(person: Person, *, is_business: bool = False) -> str:
    """Through the whole form, to before it is sent."""
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
        await person.press("/documents", _needed(person), file=PICTURE)
    return await person.open()


async def at_documents(org: Tenant) -> Person:
    """Somebody who has told everything but documents."""
    person = await invite(org, rails=["USD"])
    await person.open()
    await person.press("/terms")
    await person.press("/about", ADA)
    await person.press("/details", ADA_DETAILS)
    return person


async def only_user(org: Tenant) -> Any:
    """The one user of the organisation."""
    users = (await org.get("/v2/users"))["users"]
    assert len(users) == 1
    return users[0]


def _needed(person: Person) -> dict[str, str | list[str]]:
    """What is asked of the document on this page, of the first type that it may be."""
    form = person.page.forms[0]
    told: dict[str, str | list[str]] = {"issuedCountry": "USA"}
    if "type" in form.names:
        told["type"] = "PASSPORT" if 'value="PASSPORT"' in person.text else _first_type(person)
    return told


def _first_type(person: Person) -> str:
    place = person.text.index('name="type"')
    values = person.text[place:].split('value="')
    return next(each.split('"')[0] for each in values[1:] if not each.startswith('"'))
