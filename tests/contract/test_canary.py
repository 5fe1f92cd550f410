"""Markers planted in everything that comes in: none of them turns up where it has no business.

That is in logs, in metrics, in the facts of changes, and in the answers to other requests.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx2
import pytest
import structlog
from prometheus_client import generate_latest

from landbridge.flows.swaps.model import Status
from landbridge.kyc.model import Rail
from tests.accounts.bodies import cases, having, whole
from tests.accounts.verified import make_verified
from tests.contract.deposit_markers import pay_in
from tests.contract.kyc_markers import tell_kyc
from tests.contract.offramp_markers import pay_out
from tests.contract.verification_markers import review
from tests.onboarding.person import ADA, ADA_DETAILS, PASSPORT, PICTURE, Person
from tests.tenants import (
    SWAPS,
    Tenant,
    business,
    individual,
    make_agreement,
    make_swap,
    swap_body,
    swap_of,
)

OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
IP = "198.51.100.77"
# Its whole coins, which stand in the smallest units, too: enough digits not to turn up by chance in
# those of what is sealed.
COINS = "987654321012"


@dataclass
class Story:
    """What was sent with markers in it, and what came back."""

    org: Tenant
    markers: set[str] = field(default_factory=set[str])
    told: list[tuple[set[str], str]] = field(default_factory=list[tuple[set[str], str]])

    def mark(self, of: str = "") -> str:
        """A fresh marker, for one place."""
        marker = f"canary{of}{uuid4().hex[:12]}"
        self.markers.add(marker)
        return marker

    async def send(
        self, method: str, path: str, body: Any = None, *, headers: Any = None, **query: str
    ) -> httpx2.Response:
        """Send, and keep which markers went out and what came back."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        answer = await self.org.client.request(
            method,
            path,
            content=None if body is None else content,
            params=query or None,
            headers={**self.org.headers, **(headers or {})},
        )
        # One by one, so that all bodies are kept.
        await self.org.house.request_log.flush()
        sent = str(answer.request.url) + content.decode(errors="replace") + str(headers)
        self.told.append(({each for each in self.markers if each in sent}, answer.text))
        return answer


@pytest.fixture
async def story(org: Tenant, logged: Callable[[], str]) -> Story:
    """Good and bad requests of every kind, each with markers of its own, all of them logged."""
    assert not logged()
    played = Story(org)
    played.markers |= {org.key, IP, "198.51.100"}
    await _good_requests(played)
    await _files(played)
    await _form(played)
    await review(org, played.send, played.mark)
    await pay_in(org, played.send, played.mark)
    await pay_out(org, played.send, played.mark)
    # The payer's account, in deposits of all kinds.
    played.markers |= {"77318844992"}
    await _bad_requests(played)
    await _broken_requests(played)
    return played


async def _good_requests(story: Story) -> None:
    org, mark = story.org, story.mark
    redirect = f"https://{mark()}.example/{mark()}?{mark()}={mark()}"
    link = {"idempotencyKey": str(uuid4()), "redirectUrl": redirect, "templateId": mark()}
    made = (await story.send("POST", "/v2/tos-link", link)).json()
    agreement = made["signedAgreementId"]
    token = (await org.get(f"/v2/tos-link/{agreement}"))["sessionToken"]
    story.markers.add(token)
    page = f"/tos/{agreement}"
    await org.client.get(page, params={"session": token, "utm": mark()})
    await org.client.post(f"{page}/accept", data={"session": token, mark(): mark()})
    address = {
        "addressLine1": mark(),
        "addressLine2": mark(),
        "city": mark(),
        "stateProvinceRegion": "IL",
        "postalCode": mark(),
        "country": "USA",
    }
    names = {"firstName": mark(), "lastName": mark(), "email": f"{mark()}@{mark()}.com"}
    person = individual(agreement, address=address, ipAddress=IP, **names, more=mark())
    user = (await story.send("POST", "/v2/users", person)).json()["id"]
    owner = {"firstName": mark(), "lastName": mark(), "dateOfBirth": "1990-01-01"}
    owners = [{**owner, "hasControl": True, "isSigner": True}]
    company = business(
        agreement, businessName=mark(), ultimateBeneficialOwners=owners, email=f"{mark()}@x.com"
    )
    firm = (await story.send("POST", "/v2/users", company)).json()["id"]
    await tell_kyc(story.send, mark, person=user, company=firm)
    await story.send("POST", f"/v2/users/{user}", {"lastName": mark(), "ipAddress": IP})
    for name in ("firstName", "lastName", "businessName", "email", "unknown"):
        await story.send("GET", "/v2/users", None, **{name: mark()})
    await story.send("POST", f"/v2/users/{user}/freeze", {"reason": mark()})
    await story.send("POST", f"/v2/users/{user}/unfreeze")
    external = {"address": OUTSIDE, "chain": "POLYGON", "name": mark(), "referenceId": mark()}
    await story.send("POST", f"/v2/users/{user}/wallets/external", external)
    story.markers |= {OUTSIDE, OUTSIDE.lower()}
    await _accounts(story)
    coins = {"chain": "POLYGON", "currency": "usdc", "amount": f"{COINS}.345678"}
    await story.send("POST", f"/v2/sandbox/users/{user}/wallets/fund", coins)
    story.markers |= {COINS}
    await make_swap(org, user, "5", status=Status.COMPLETED)
    await make_swap(org, user, "5", status=Status.QUOTE_FAILED)
    headers = {
        "User-Agent": mark(),
        "Cookie": f"a={mark()}",
        "X-Forwarded-For": IP,
        "X-Request-Id": f"{mark()} not plain",
        "Referer": f"https://x/{mark()}",
        mark(): mark(),
    }
    await story.send("GET", "/v2/ping", headers=headers)


async def _accounts(story: Story) -> None:
    """Bank accounts, good, wrong and refused."""
    mark = story.mark
    path = f"/v2/users/{await make_verified(story.org, Rail.USD)}/accounts"
    body = whole(next(iter(cases())))
    story.markers |= {"7162534438", "6253443890"}
    for member, value in (
        ("accountHolder.name", mark()),
        ("accountHolder.email", f"{mark()}@{mark()}.com"),
        ("accountHolder.idNumber", mark()),
        ("accountHolder.address.addressLine1", mark()),
        ("us.bankName", mark()),
        ("us.bankAddress.city", mark()),
        ("us.accountNumber", "7162534438"),
    ):
        body = having(body, member, value)
    made = await story.send("POST", path, {**body, "requestId": str(uuid4()), mark(): mark()})
    assert made.json()["status"] == "ACTIVE"
    await story.send("GET", f"{path}/{made.json()['id']}")
    await story.send("POST", path, having(body, "us.routingNumber", "021000022"))
    await story.send("DELETE", f"{path}/{made.json()['id']}", {mark(): mark()})
    for name in ("rail", "type", "currency", "createdBefore"):
        await story.send("GET", path, None, **{name: mark()})
    for member in (
        "type",
        "rail",
        "requestId",
        "accountHolder",
        "accountHolder.type",
        "us",
        "africa",
    ):
        await story.send("POST", path, having(body, member, mark()))
    for member in ("email", "phone", "idType", "nationality", "dateOfBirth", "address"):
        await story.send("POST", path, having(body, f"accountHolder.{member}", mark()))
    for member in body["us"]:
        await story.send("POST", path, having(body, f"us.{member}", mark()))
    await story.send("POST", path, having(body, "us.routingNumber", "6253443890"))
    await story.send("POST", f"/v2/reviews/accounts/{mark()}", {"decision": "approve"})
    decision = {"decision": "reject", "reason": mark()}
    await story.send("POST", f"/v2/reviews/accounts/{made.json()['id']}", decision)


async def _files(story: Story) -> None:
    """Files, good and refused, with markers in their names and in them."""
    mark = story.mark
    content = b"%PDF-1.7\n% " + mark().encode() + b"\n%%EOF"
    for name, sent in ((".pdf", content), (".png", content), (".pdf", mark().encode())):
        file = (f"{mark()}{name}", sent)
        answer = await story.org.client.post(
            "/v2/files", files={"file": file}, headers=story.org.headers
        )
        known = {each for each in story.markers if each in file[0] or each.encode() in sent}
        story.told.append((known, answer.text))
    await story.send("POST", "/v2/files", {"file": mark()})
    await story.send("GET", f"/v2/files/{mark()}")
    await story.send("DELETE", f"/v2/files/{mark()}")


async def _form(story: Story) -> None:
    """The hosted form, filled in with markers, rightly and wrongly."""
    org, mark = story.org, story.mark
    redirect = f"https://{mark()}.example/{mark()}"
    told = {"recipientEmail": f"{mark()}@{mark()}.com", "redirectUrl": redirect}
    rails = {"rails": ["USD"], "templateId": mark()}
    made = await story.send("POST", "/v2/kyc-link", {"userType": "INDIVIDUAL", **told, **rails})
    person = Person(org.client, made.json()["kycLinkUrl"])
    story.markers.add(person.url.partition("session=")[2])
    await person.open(f"{person.url}&step={mark()}&item={mark()}")
    await person.press("/terms")
    await person.press("/about", dict.fromkeys(ADA, mark()))
    names = {"firstName": mark(), "lastName": mark(), "email": f"{mark()}@{mark()}.com"}
    street = {"address.addressLine1": mark(), "address.city": mark()}
    await person.press("/about", {**ADA, **names, **street})
    await person.press("/details", dict.fromkeys(ADA_DETAILS, mark()))
    story.markers |= {"536904398", "536-90-4398"}
    await person.press("/details", {**ADA_DETAILS, "taxIdentificationNumber": "536-90-4398"})
    await person.follow("item=identity")
    for content in (mark().encode(), PICTURE[1]):
        file = (f"{mark()}.jpg", content, "image/jpeg")
        await person.press("/documents", {**PASSPORT, "number": mark()}, file=file)
        await person.open(f"{person.url}&step=documents&item=identity")
    await person.open()
    await person.press("/submit")
    assert await person.open() == "Thank you"


async def _bad_requests(story: Story) -> None:
    mark = story.mark
    for path in ("/v2/users", "/v2/tos-link", SWAPS):
        await story.send("POST", path, f'{{"{mark()}": "{mark()}'.encode())
        await story.send("POST", path, f'{{"{(twice := mark())}":1,"{twice}":2}}'.encode())
        await story.send("POST", path, [mark()])
        await story.send("POST", path, mark().encode())
    agreement = await make_agreement(story.org)
    for member in ("firstName", "email", "ipAddress", "dateOfBirth", "type", "chains", "address"):
        await story.send("POST", "/v2/users", individual(agreement, **{member: mark()}))
    swap = swap_body(str(uuid4()))
    await story.send("POST", SWAPS, {**swap, "requestId": mark()})
    await story.send("POST", SWAPS, {**swap, "source": {**swap["source"], "currency": mark()}})
    await story.send("POST", SWAPS, {**swap, "source": {**swap["source"], "amount": mark()}})
    end = {**swap["destination"], "walletAddress": mark()}
    await story.send("POST", SWAPS, {**swap, "destination": end})
    link = {"idempotencyKey": str(uuid4()), "redirectUrl": f"ftp://{mark()}"}
    await story.send("POST", "/v2/tos-link", link)
    for path in ("/v2/users/{}", f"{SWAPS}/{{}}", "/v2/tos-link/{}", "/{}", "/tos/{}"):
        await story.send("GET", path.format(mark()), session=mark())
    for name in ("limit", "createdBefore", "createdAfter", "cursor", "userId", "type"):
        await story.send("GET", SWAPS, **{name: mark()})
    await story.send("GET", "/v2/users", **{mark(): "\0"})
    for key in (mark(), f"lb_sandbox_{mark()}"):
        await story.send("GET", "/v2/ping", headers={"Authorization": f"Bearer {key}"})
    await story.send("GET", "/v2/ping", headers={"Authorization": mark()})
    await story.send("PUT", "/v2/ping", {"a": mark()})
    await story.send("GET", f"/v2/reporting/templates/{mark()}")


async def _broken_requests(story: Story) -> None:
    """A fault of ours, in the middle of a request with markers."""
    org, mark = story.org, story.mark
    agreement = await make_agreement(org)
    made = await story.send("POST", "/v2/users", individual(agreement, firstName=mark()))
    user = made.json()["id"]
    swapped = "update users set sealed_card = sealed_profile, sealed_profile = sealed_card"
    where = " where org_id = $1 and id = $2"
    await org.house.database.rows(swapped + where, org.org_id, user)
    body, headers = {"firstName": mark()}, {"User-Agent": mark()}
    answer = await story.send("POST", f"/v2/users/{user}", body, headers=headers)
    await org.house.database.rows(swapped + where, org.org_id, user)
    assert answer.status_code == 500


async def test_no_marker_is_in_the_logs(story: Story, logged: Callable[[], str]) -> None:
    text = logged()
    assert text.count("http.request") > 60
    assert "http.broken" in text
    assert _found(story, text) == []


def test_a_log_line_keeps_no_field_that_is_not_listed_and_no_message_of_a_fault(
    logged: Callable[[], str],
) -> None:
    error = ValueError("canary in a message")
    structlog.stdlib.get_logger().error("x.y", email="canary", id="7", exc_info=error)
    (line,) = logged().splitlines()
    assert "canary" not in line
    assert json.loads(line).keys() - {"request_id"} == {
        *("event", "level", "timestamp", "id", "exception")
    }


async def test_no_marker_is_in_the_metrics(story: Story) -> None:
    assert _found(story, generate_latest().decode()) == []


async def test_no_marker_is_in_the_log_of_changes(story: Story) -> None:
    rows = await story.org.house.database.rows(
        "select changes::text as whole from changes where org_id = $1", story.org.org_id
    )
    assert len(rows) > 10
    assert _found(story, "\n".join(row["whole"] for row in rows)) == []


async def test_no_marker_is_in_the_log_of_requests(story: Story) -> None:
    rows = await story.org.house.database.rows(
        "select request_log::text as whole from request_log where org_id = $1", story.org.org_id
    )
    assert len(rows) > 100
    # Amounts are kept: nobody is known by them.
    assert set(_found(story, "\n".join(row["whole"] for row in rows))) <= {COINS}


async def test_a_refusal_quotes_nothing_of_another_request(story: Story) -> None:
    for sent, text in story.told:
        if '"error"' in text:
            assert set(_found(story, text)) <= sent, text


async def test_a_fault_quotes_nothing_at_all(story: Story) -> None:
    faults = [text for _, text in story.told if "INTERNAL_SERVER_ERROR" in text]
    assert len(faults) == 1
    assert _found(story, faults[0]) == []


async def test_secrets_are_not_quoted_even_to_their_sender(story: Story) -> None:
    for _, text in story.told:
        assert story.org.key not in text


async def test_the_records_have_what_the_logs_do_not(story: Story) -> None:
    """The markers did arrive: without this, the tests above would prove nothing."""
    users = await story.org.get("/v2/users", limit=100)
    assert len(_found(story, json.dumps(users))) >= 5
    shown = [await story.org.get(f"/v2/users/{each['id']}/kyc") for each in users["users"]]
    assert any(len(_found(story, json.dumps(kyc))) > 50 for kyc in shown)
    swaps = await story.org.get(SWAPS)
    found = await swap_of(story.org, swaps["data"][0]["transferDetails"]["id"])
    assert found.status is Status.QUOTE_FAILED


def _found(story: Story, text: str) -> list[str]:
    return sorted(marker for marker in story.markers if marker in text)
