"""Markers in every input appear only where they belong.

They must not appear in logs, metrics, facts of changes, and replies to other requests.
"""

import io
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import httpx2
import pytest
import structlog
from prometheus_client import generate_latest

from landbridge.app.container import Container
from landbridge.customers.kyc.model import Rail
from landbridge.payments.swaps.model import SwapStatus
from tests.contract.deposit_markers import pay_in
from tests.contract.kyc_markers import submit_kyc
from tests.contract.offramp_markers import pay_out
from tests.contract.verification_markers import review
from tests.customers.bank_accounts.bodies import cases, having, whole
from tests.customers.bank_accounts.verified import make_verified
from tests.customers.onboarding.person import ADA, ADA_DETAILS, IMAGE, PASSPORT, Person
from tests.tenants import (
    SWAPS,
    Tenant,
    business,
    individual,
    make_agreement,
    make_swap,
    make_tenant,
    swap_body,
    swap_of,
)

OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
IP = "198.51.100.77"
# Whole coins, stored in smallest units as well, with enough digits not to occur in encrypted data
# by chance.
COINS = "987654321012"


@dataclass
class LoggedRequests:
    """Requests sent with markers in them, and their responses."""

    org: Tenant
    markers: set[str] = field(default_factory=set[str])
    replies: list[tuple[set[str], str]] = field(default_factory=list[tuple[set[str], str]])
    logged: str = ""

    def mark(self, of: str = "") -> str:
        """Return a new marker."""
        marker = f"canary{of}{uuid4().hex[:12]}"
        self.markers.add(marker)
        return marker

    async def send(
        self, method: str, path: str, body: Any = None, *, headers: Any = None, **query: str
    ) -> httpx2.Response:
        """Send a request; record its markers and its response."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        answer = await self.org.client.request(
            method,
            path,
            content=None if body is None else content,
            params=query or None,
            headers={**self.org.headers, **(headers or {})},
        )
        # One by one, so that all bodies are logged.
        await self.org.container.request_log.flush()
        sent = str(answer.request.url) + content.decode(errors="replace") + str(headers)
        self.replies.append(({each for each in self.markers if each in sent}, answer.text))
        return answer


@pytest.fixture(scope="module")
async def logged_requests(
    container: Container, client: httpx2.AsyncClient, log_stream: io.BytesIO
) -> LoggedRequests:
    """Valid and invalid requests of every kind, each with its own markers, all of them logged."""
    begin, org = len(log_stream.getvalue()), await make_tenant(container, client)
    logged_requests = LoggedRequests(org)
    logged_requests.markers |= {org.key, IP, "198.51.100"}
    await _good_requests(logged_requests)
    await _files(logged_requests)
    await _form(logged_requests)
    await review(org, logged_requests.send, logged_requests.mark)
    await pay_in(org, logged_requests.send, logged_requests.mark)
    await pay_out(org, logged_requests.send, logged_requests.mark)
    # The payer's account, in deposits of all kinds.
    logged_requests.markers |= {"77318844992"}
    await _bad_requests(logged_requests)
    await _broken_requests(logged_requests)
    logged_requests.logged = log_stream.getvalue()[begin:].decode()
    return logged_requests


async def _good_requests(logged_requests: LoggedRequests) -> None:
    org, mark = logged_requests.org, logged_requests.mark
    redirect = f"https://{mark()}.example/{mark()}?{mark()}={mark()}"
    link = {"idempotencyKey": str(uuid4()), "redirectUrl": redirect, "templateId": mark()}
    created = (await logged_requests.send("POST", "/v2/tos-link", link)).json()
    agreement = created["signedAgreementId"]
    token = (await org.get(f"/v2/tos-link/{agreement}"))["sessionToken"]
    logged_requests.markers.add(token)
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
    user = (await logged_requests.send("POST", "/v2/users", person)).json()["id"]
    owner = {"firstName": mark(), "lastName": mark(), "dateOfBirth": "1990-01-01"}
    owners = [{**owner, "hasControl": True, "isSigner": True}]
    company = business(
        agreement, businessName=mark(), ultimateBeneficialOwners=owners, email=f"{mark()}@x.com"
    )
    firm = (await logged_requests.send("POST", "/v2/users", company)).json()["id"]
    await submit_kyc(logged_requests.send, mark, person=user, company=firm)
    await logged_requests.send("POST", f"/v2/users/{user}", {"lastName": mark(), "ipAddress": IP})
    for name in ("firstName", "lastName", "businessName", "email", "unknown"):
        await logged_requests.send("GET", "/v2/users", None, **{name: mark()})
    await logged_requests.send("POST", f"/v2/users/{user}/freeze", {"reason": mark()})
    await logged_requests.send("POST", f"/v2/users/{user}/unfreeze")
    external = {"address": OUTSIDE, "chain": "POLYGON", "name": mark(), "referenceId": mark()}
    await logged_requests.send("POST", f"/v2/users/{user}/wallets/external", external)
    logged_requests.markers |= {OUTSIDE, OUTSIDE.lower()}
    await _accounts(logged_requests)
    coins = {"chain": "POLYGON", "currency": "usdc", "amount": f"{COINS}.345678"}
    await logged_requests.send("POST", f"/v2/sandbox/users/{user}/wallets/fund", coins)
    logged_requests.markers |= {COINS}
    await make_swap(org, user, "5", status=SwapStatus.COMPLETED)
    await make_swap(org, user, "5", status=SwapStatus.QUOTE_FAILED)
    headers = {
        "User-Agent": mark(),
        "Cookie": f"a={mark()}",
        "X-Forwarded-For": IP,
        "X-Request-Id": f"{mark()} not plain",
        "Referer": f"https://x/{mark()}",
        mark(): mark(),
    }
    await logged_requests.send("GET", "/v2/ping", headers=headers)


async def _accounts(logged_requests: LoggedRequests) -> None:
    """Bank accounts, good, wrong and refused."""
    mark = logged_requests.mark
    path = f"/v2/users/{await make_verified(logged_requests.org, Rail.USD)}/accounts"
    body = whole(next(iter(cases())))
    logged_requests.markers |= {"7162534438", "6253443890"}
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
    created = await logged_requests.send(
        "POST", path, {**body, "requestId": str(uuid4()), mark(): mark()}
    )
    assert created.json()["status"] == "ACTIVE"
    await logged_requests.send("GET", f"{path}/{created.json()['id']}")
    await logged_requests.send("POST", path, having(body, "us.routingNumber", "021000022"))
    await logged_requests.send("DELETE", f"{path}/{created.json()['id']}", {mark(): mark()})
    for name in ("rail", "type", "currency", "createdBefore"):
        await logged_requests.send("GET", path, None, **{name: mark()})
    for member in (
        "type",
        "rail",
        "requestId",
        "accountHolder",
        "accountHolder.type",
        "us",
        "africa",
    ):
        await logged_requests.send("POST", path, having(body, member, mark()))
    for member in ("email", "phone", "idType", "nationality", "dateOfBirth", "address"):
        await logged_requests.send("POST", path, having(body, f"accountHolder.{member}", mark()))
    for member in body["us"]:
        await logged_requests.send("POST", path, having(body, f"us.{member}", mark()))
    await logged_requests.send("POST", path, having(body, "us.routingNumber", "6253443890"))
    await logged_requests.send("POST", f"/v2/reviews/accounts/{mark()}", {"decision": "approve"})
    decision = {"decision": "reject", "reason": mark()}
    await logged_requests.send("POST", f"/v2/reviews/accounts/{created.json()['id']}", decision)


async def _files(logged_requests: LoggedRequests) -> None:
    """Files, good and refused, with markers in their names and in them."""
    mark = logged_requests.mark
    content = b"%PDF-1.7\n% " + mark().encode() + b"\n%%EOF"
    for name, sent in ((".pdf", content), (".png", content), (".pdf", mark().encode())):
        file = (f"{mark()}{name}", sent)
        answer = await logged_requests.org.client.post(
            "/v2/files", files={"file": file}, headers=logged_requests.org.headers
        )
        known = {
            each for each in logged_requests.markers if each in file[0] or each.encode() in sent
        }
        logged_requests.replies.append((known, answer.text))
    await logged_requests.send("POST", "/v2/files", {"file": mark()})
    await logged_requests.send("GET", f"/v2/files/{mark()}")
    await logged_requests.send("DELETE", f"/v2/files/{mark()}")


async def _form(logged_requests: LoggedRequests) -> None:
    """Fill in the hosted form with markers, validly and invalidly."""
    org, mark = logged_requests.org, logged_requests.mark
    redirect = f"https://{mark()}.example/{mark()}"
    body = {"recipientEmail": f"{mark()}@{mark()}.com", "redirectUrl": redirect}
    rails = {"rails": ["USD"], "templateId": mark()}
    created = await logged_requests.send(
        "POST", "/v2/kyc-link", {"userType": "INDIVIDUAL", **body, **rails}
    )
    person = Person(org.client, created.json()["kycLinkUrl"])
    logged_requests.markers.add(person.url.partition("session=")[2])
    await person.open(f"{person.url}&step={mark()}&item={mark()}")
    await person.press("/terms")
    await person.press("/about", dict.fromkeys(ADA, mark()))
    names = {"firstName": mark(), "lastName": mark(), "email": f"{mark()}@{mark()}.com"}
    street = {"address.addressLine1": mark(), "address.city": mark()}
    await person.press("/about", {**ADA, **names, **street})
    await person.press("/details", dict.fromkeys(ADA_DETAILS, mark()))
    logged_requests.markers |= {"536904398", "536-90-4398"}
    await person.press("/details", {**ADA_DETAILS, "taxIdentificationNumber": "536-90-4398"})
    await person.follow("item=identity")
    for content in (mark().encode(), IMAGE[1]):
        file = (f"{mark()}.jpg", content, "image/jpeg")
        await person.press("/documents", {**PASSPORT, "number": mark()}, file=file)
        await person.open(f"{person.url}&step=documents&item=identity")
    await person.open()
    await person.press("/submit")
    assert await person.open() == "Thank you"


async def _bad_requests(logged_requests: LoggedRequests) -> None:
    mark = logged_requests.mark
    for path in ("/v2/users", "/v2/tos-link", SWAPS):
        await logged_requests.send("POST", path, f'{{"{mark()}": "{mark()}'.encode())
        await logged_requests.send(
            "POST", path, f'{{"{(twice := mark())}":1,"{twice}":2}}'.encode()
        )
        await logged_requests.send("POST", path, [mark()])
        await logged_requests.send("POST", path, mark().encode())
    agreement = await make_agreement(logged_requests.org)
    for member in ("firstName", "email", "ipAddress", "dateOfBirth", "type", "chains", "address"):
        await logged_requests.send("POST", "/v2/users", individual(agreement, **{member: mark()}))
    swap = swap_body(str(uuid4()))
    await logged_requests.send("POST", SWAPS, {**swap, "requestId": mark()})
    await logged_requests.send(
        "POST", SWAPS, {**swap, "source": {**swap["source"], "currency": mark()}}
    )
    await logged_requests.send(
        "POST", SWAPS, {**swap, "source": {**swap["source"], "amount": mark()}}
    )
    end = {**swap["destination"], "walletAddress": mark()}
    await logged_requests.send("POST", SWAPS, {**swap, "destination": end})
    link = {"idempotencyKey": str(uuid4()), "redirectUrl": f"ftp://{mark()}"}
    await logged_requests.send("POST", "/v2/tos-link", link)
    for path in ("/v2/users/{}", f"{SWAPS}/{{}}", "/v2/tos-link/{}", "/{}", "/tos/{}"):
        await logged_requests.send("GET", path.format(mark()), session=mark())
    for name in ("limit", "createdBefore", "createdAfter", "cursor", "userId", "type"):
        await logged_requests.send("GET", SWAPS, **{name: mark()})
    await logged_requests.send("GET", "/v2/users", **{mark(): "\0"})
    for key in (mark(), f"lb_sandbox_{mark()}"):
        await logged_requests.send("GET", "/v2/ping", headers={"Authorization": f"Bearer {key}"})
    await logged_requests.send("GET", "/v2/ping", headers={"Authorization": mark()})
    await logged_requests.send("PUT", "/v2/ping", {"a": mark()})
    await logged_requests.send("GET", f"/v2/reporting/templates/{mark()}")


async def _broken_requests(logged_requests: LoggedRequests) -> None:
    """Cause an internal error in the middle of a request with markers."""
    org, mark = logged_requests.org, logged_requests.mark
    agreement = await make_agreement(org)
    created = await logged_requests.send(
        "POST", "/v2/users", individual(agreement, firstName=mark())
    )
    user = created.json()["id"]
    swapped = "update users set sealed_summary = sealed_profile, sealed_profile = sealed_summary"
    where = " where org_id = $1 and id = $2"
    await org.container.database.rows(swapped + where, org.org_id, user)
    body, headers = {"firstName": mark()}, {"User-Agent": mark()}
    answer = await logged_requests.send("POST", f"/v2/users/{user}", body, headers=headers)
    await org.container.database.rows(swapped + where, org.org_id, user)
    assert answer.status_code == 500


async def test_no_marker_is_in_the_logs(logged_requests: LoggedRequests) -> None:
    text = logged_requests.logged
    assert text.count("http.request") > 60
    assert "http.broken" in text
    assert _found(logged_requests, text) == []


def test_log_line_has_only_listed_fields_and_no_fault_message(
    logged: Callable[[], str],
) -> None:
    error = ValueError("canary in a message")
    structlog.stdlib.get_logger().error("x.y", email="canary", id="7", exc_info=error)
    (line,) = logged().splitlines()
    assert "canary" not in line
    assert json.loads(line).keys() - {"request_id"} == {
        *("event", "level", "timestamp", "id", "exception")
    }


async def test_no_marker_is_in_the_metrics(logged_requests: LoggedRequests) -> None:
    assert _found(logged_requests, generate_latest().decode()) == []


async def test_no_marker_is_in_the_log_of_changes(logged_requests: LoggedRequests) -> None:
    rows = await logged_requests.org.container.database.rows(
        "select changes::text as whole from changes where org_id = $1", logged_requests.org.org_id
    )
    assert len(rows) > 10
    assert _found(logged_requests, "\n".join(row["whole"] for row in rows)) == []


async def test_no_marker_is_in_the_log_of_requests(logged_requests: LoggedRequests) -> None:
    rows = await logged_requests.org.container.database.rows(
        "select request_log::text as whole from request_log where org_id = $1",
        logged_requests.org.org_id,
    )
    assert len(rows) > 100
    # Amounts are logged: they identify nobody.
    assert set(_found(logged_requests, "\n".join(row["whole"] for row in rows))) <= {COINS}


async def test_refusal_quotes_nothing_of_another_request(logged_requests: LoggedRequests) -> None:
    for sent, text in logged_requests.replies:
        if '"error"' in text:
            assert set(_found(logged_requests, text)) <= sent, text


async def test_fault_quotes_nothing_at_all(logged_requests: LoggedRequests) -> None:
    faults = [text for _, text in logged_requests.replies if "INTERNAL_SERVER_ERROR" in text]
    assert len(faults) == 1
    assert _found(logged_requests, faults[0]) == []


async def test_secrets_are_not_quoted_even_to_their_sender(logged_requests: LoggedRequests) -> None:
    for _, text in logged_requests.replies:
        assert logged_requests.org.key not in text


async def test_records_have_what_the_logs_omit(logged_requests: LoggedRequests) -> None:
    """The markers were stored: without this, the tests above would prove nothing."""
    users = await logged_requests.org.get("/v2/users", limit=100)
    assert len(_found(logged_requests, json.dumps(users))) >= 5
    shown = [
        await logged_requests.org.get(f"/v2/users/{each['id']}/kyc") for each in users["users"]
    ]
    assert any(len(_found(logged_requests, json.dumps(kyc))) > 50 for kyc in shown)
    swaps = await logged_requests.org.get(SWAPS)
    found = await swap_of(logged_requests.org, swaps["data"][0]["transferDetails"]["id"])
    assert found.status is SwapStatus.QUOTE_FAILED


def _found(logged_requests: LoggedRequests, text: str) -> list[str]:
    return sorted(marker for marker in logged_requests.markers if marker in text)
