"""KYC links over the API: their creation, their recorded changes, and their end."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec
import pytest
from msgspec import structs

from landbridge.app.container import Container, wire
from landbridge.platform.core.clock import Clock, FrozenClock
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.platform.orgs.model import Mode
from tests.customers.onboarding.person import IMAGE, LINK, PASSPORT, at_documents, invite
from tests.platform.files.uploads import rows_of
from tests.platform.mail.mail_server import MailServer, listening
from tests.tenants import SETTINGS, URL, Tenant, make_tenant, make_user, refusal, sentence, served
from tests.waiting import waits_for

NEW = {"userType": "INDIVIDUAL"}


async def test_a_link_leads_to_the_form(org: Tenant) -> None:
    created = await org.post(LINK, NEW)
    assert list(created) == ["kycLinkUrl"]
    url = created["kycLinkUrl"]
    link, _, token = url.removeprefix(f"{URL}/kyc/").partition("?session=")
    assert UUID(link)
    assert len(token) >= 43
    assert (await org.client.get(url)).status_code == 200
    assert await org.post(LINK, NEW) != created


async def test_hosted_pages_stay_below_the_path_of_the_public_url(database: Database) -> None:
    """A proxy removes the path. What a page sends past it would reach another application."""
    settings = structs.replace(SETTINGS, public_url=f"{URL}/pay")
    container = wire(settings, database, Clock(await take_node(database)))
    async with served(container) as client:
        org = await make_tenant(container, client)
        form = (await org.post(LINK, NEW))["kycLinkUrl"].removeprefix(f"{URL}/pay")
        terms = await org.post("/v2/tos-link", {"idempotencyKey": str(uuid4())})
        terms_page = await client.get(terms["url"].removeprefix(f"{URL}/pay"))
        assert f'action="/pay/tos/{terms["signedAgreementId"]}/accept"' in terms_page.text
        path, _, token = form.partition("?session=")
        assert f'action="/pay{path}/terms"' in (await client.get(form)).text
        accepted = await client.post(f"{path}/terms", data={"session": token})
        assert accepted.headers["location"] == f"/pay{form}"


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"userType": None}, "userType"),
        ({"userType": "individual"}, "userType"),
        ({"userType": "INDIVIDUAL", "userId": str(uuid4())}, "userType"),
        ({"rails": ["EURO"]}, "rails"),
        ({"rails": ["USD"] * 6}, "rails"),
        ({"rails": "USD"}, "rails"),
        ({"redirectUrl": "ftp://example.com"}, "redirectUrl"),
        ({"redirectUrl": "javascript:alert(1)"}, "redirectUrl"),
        ({"recipientEmail": "nobody"}, "recipientEmail"),
        ({"recipientEmail": "a@example.com\r\nBcc: b@example.com"}, "recipientEmail"),
        ({"templateId": "x" * 201}, "templateId"),
        ({"templateId": ""}, "templateId"),
    ],
)
async def test_what_is_wrong_is_named(org: Tenant, change: dict[str, Any], field: str) -> None:
    body = {name: each for name, each in {**NEW, **change}.items() if each is not None}
    answer = await org.send("POST", LINK, body)
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert field in sentence(answer)


async def test_a_link_for_an_existing_user_accepts_rails(org: Tenant) -> None:
    user = await make_user(org)
    bodies: list[dict[str, Any]] = [{}, {"rails": []}, {"rails": None}]
    for rails in bodies:
        answer = await org.send("POST", LINK, {"userId": user, **rails})
        assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
        assert sentence(answer).startswith("rails")
    await org.post(LINK, {"userId": user, "rails": ["GLOBAL_NETWORK"]})
    assert await org.refused("POST", LINK, {"userId": "x", "rails": ["USD"]}) == (
        "404 USER_NOT_FOUND"
    )


async def test_an_erased_user_gets_no_link(org: Tenant) -> None:
    user = await make_user(org)
    await org.post(f"/v2/users/{user}/freeze", {})
    await org.send("DELETE", f"/v2/users/{user}/personal-data")
    body = {"userId": user, "rails": ["USD"]}
    assert await org.refused("POST", LINK, body) == "403 USER_FROZEN"


async def test_a_user_who_is_just_being_erased_gets_no_link(org: Tenant) -> None:
    user = await make_user(org)
    await org.post(f"/v2/users/{user}/freeze", {})
    body = {"userId": user, "rails": ["USD"], "recipientEmail": "ada@example.com"}

    async def hold(tx: Tx) -> "list[asyncio.Task[Any]]":
        await tx.fetch(
            "select 1 from kyc_profiles where org_id = $1 and user_id = $2 for update",
            org.org_id,
            UUID(user),
        )
        mine = await tx.fetchval("select pg_backend_pid()")
        # The deletion has locked the user and waits for the other requests.
        erasing = asyncio.create_task(org.send("DELETE", f"/v2/users/{user}/personal-data"))
        theirs = await waits_for(org.container.database, mine)
        making = asyncio.create_task(org.send("POST", LINK, body))
        await waits_for(org.container.database, theirs)
        assert not erasing.done()
        assert not making.done()
        return [erasing, making]

    erased, created = await asyncio.gather(*await org.container.database.transact(hold))
    assert erased.status_code == 200
    assert refusal(created) == "403 USER_FROZEN"
    for query in (
        "select count(*) as n from kyc_links where org_id = $1",
        "select count(*) as n from outbound_emails where org_id = $1",
    ):
        assert (await org.container.database.rows(query, org.org_id))[0]["n"] == 0


async def test_many_links_to_one_address_are_slowed_down(org: Tenant, container: Container) -> None:
    body = {**NEW, "recipientEmail": "often@example.com"}
    for _ in range(5):
        await org.post(LINK, body)
    for address in ("often@example.com", "Often@Example.com"):
        again = await org.send("POST", LINK, {**NEW, "recipientEmail": address})
        assert refusal(again) == "429 TOO_MANY_REQUESTS"
        assert again.headers["retry-after"]
    await org.post(LINK, NEW)
    await org.post(LINK, {**NEW, "recipientEmail": "other@example.com"})
    # Another organisation's customer is not kept waiting.
    await (await make_tenant(container, org.client)).post(LINK, body)


async def test_link_changes_are_recorded_without_the_recipient(org: Tenant) -> None:
    email = "canary@example.com"
    redirect = "https://example.com/canary"
    person = await invite(org, rails=["USD"], recipientEmail=email, redirectUrl=redirect)
    link = person.url.partition("/kyc/")[2].partition("?")[0]
    rows = await org.container.database.rows(
        "select kind, change_type, seq, actor, facts::text as facts from changes"
        " where org_id = $1 and object_id = $2",
        org.org_id,
        UUID(link),
    )
    (row,) = rows
    assert (row["kind"], row["change_type"], row["seq"]) == ("KYC_LINK", "create", 1)
    assert row["actor"] == f"key:{org.caller.key_id}"
    assert msgspec.json.decode(row["facts"]) == {
        "userId": None,
        "userType": "INDIVIDUAL",
        "rails": ["USD"],
    }


async def test_the_table_shows_neither_token_nor_person(org: Tenant) -> None:
    person = await invite(org, recipientEmail="canary@example.com")
    rows = await org.container.database.rows(
        "select l::text as l from kyc_links l where org_id = $1", org.org_id
    )
    token = person.url.partition("session=")[2]
    for secret in (token, "canary"):
        assert secret not in rows[0]["l"]
        assert secret.encode().hex() not in rows[0]["l"]


async def test_a_link_works_for_five_days(still_org: Tenant, still_clock: FrozenClock) -> None:
    person = await invite(still_org)
    still_clock.at += timedelta(days=5) - timedelta(seconds=1)
    await person.open()
    assert person.last.status_code == 200
    await person.press("/terms")
    still_clock.at += timedelta(seconds=2)
    await person.open()
    assert person.last.status_code == 410
    assert "no longer valid" in person.text


async def test_link_that_expires_while_a_file_arrives_stores_nothing(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    person = await at_documents(still_org)
    await person.follow("item=identity")
    action = person.form("/documents").action
    fields = {**PASSPORT, "item": "identity"}
    request = still_org.client.build_request("POST", action, data=fields, files={"file": IMAGE})
    content = request.read()

    async def body() -> AsyncGenerator[bytes]:
        yield content[:-100]
        still_clock.at += timedelta(days=6)
        yield content[-100:]

    headers = {"Content-Type": request.headers["content-type"]}
    answer = await still_org.client.post(action, content=body(), headers=headers)
    assert answer.status_code == 410
    assert await rows_of(still_org) == []


async def test_the_recipient_of_an_expired_link_is_erased(
    still_org: Tenant, still_clock: FrozenClock
) -> None:
    org, offsets = still_org, {still_org.org_id: timedelta()}
    await invite(org, recipientEmail="ada@example.com")
    count = "select count(*) as n from kyc_links where org_id = $1 and sealed_details is not null"
    await org.container.kyc_links.sweep(offsets)
    assert (await org.container.database.rows(count, org.org_id))[0]["n"] == 1
    still_clock.at += timedelta(days=5, seconds=1)
    await org.container.kyc_links.sweep(offsets)
    assert (await org.container.database.rows(count, org.org_id))[0]["n"] == 0


async def test_erasing_a_user_ends_their_links(org: Tenant) -> None:
    user = await make_user(org)
    person = await invite(org, userId=user, rails=["USD"], recipientEmail="ada@example.com")
    await person.open()
    assert person.last.status_code == 200
    await org.post(f"/v2/users/{user}/freeze", {})
    await org.send("DELETE", f"/v2/users/{user}/personal-data")
    await person.open()
    assert person.last.status_code == 410
    key = await org.container.database.rows(
        "select count(*) as n from data_keys d join kyc_links l"
        " on l.org_id = d.org_id and l.id = d.id where d.org_id = $1",
        org.org_id,
    )
    assert key[0]["n"] == 0


@pytest.mark.parametrize("session", ["", "x", "\u00e9", "a" * 5000, "<script>"])
async def test_an_incomplete_link_is_not_found(org: Tenant, session: str) -> None:
    person = await invite(org)
    path = person.url.partition("?")[0]
    for answer in (
        await org.client.get(path, params={"session": session}),
        await org.client.post(f"{path}/terms", data={"session": session}),
        await org.client.post(f"{path}/submit", data={"session": session}),
    ):
        assert answer.status_code == 404
        assert "no longer valid" in answer.text
        assert "<script" not in answer.text


async def test_a_token_opens_no_other_link(org: Tenant, other_org: Tenant) -> None:
    mine, theirs = await invite(org), await invite(other_org)
    token = theirs.url.partition("?")[2]
    await mine.open(f"{mine.url.partition('?')[0]}?{token}")
    assert mine.last.status_code == 404


async def test_a_sandbox_sends_no_email(org: Tenant) -> None:
    async with listening(MailServer()) as server:
        settings = msgspec.structs.replace(
            SETTINGS, smtp_url=f"smtp+plain://127.0.0.1:{server.port}", mail_from="a@example.com"
        )
        container = wire(settings, org.container.database, org.container.clock)
        async with served(container) as client:
            tenant = await make_tenant(container, client)
            await invite(tenant, recipientEmail="ada@example.com")
            await container.outbox.run_once([tenant.org_id])
    assert not server.commands


async def test_in_production_the_link_is_mailed(
    database: Database, logged: Callable[[], str]
) -> None:
    async with listening(MailServer()) as server:
        container = await _production(
            database, smtp_url=f"smtp+plain://127.0.0.1:{server.port}", mail_from="a@example.com"
        )
        async with served(container) as client:
            tenant = await make_tenant(container, client)
            person = await invite(tenant, recipientEmail="ada@example.com", rails=["USD"])
            await container.outbox.run_once([tenant.org_id])
    (message,) = server.messages
    flat = message.replace(b"=\r\n", b"").replace(b"=3D", b"=")
    assert person.url.encode() in flat
    assert b"To: ada@example.com" in message
    for secret in ("ada@", person.url.partition("session=")[2]):
        assert secret not in logged()


async def test_without_a_mail_server_a_recipient_is_refused(database: Database) -> None:
    container = await _production(database)
    async with served(container) as client:
        tenant = await make_tenant(container, client)
        answer = await tenant.send("POST", LINK, {**NEW, "recipientEmail": "ada@example.com"})
        assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
        assert sentence(answer).startswith("recipientEmail")
        await tenant.post(LINK, NEW)


async def _production(database: Database, **settings: str) -> Container:
    created = msgspec.structs.replace(SETTINGS, mode=Mode.PRODUCTION, **settings)
    return wire(created, database, Clock(await take_node(database)))
