"""Webhook pages: create, edit, pause, test, rotate, delete."""

import json
from typing import Any
from uuid import uuid4

import jwt
import pytest

from landbridge.dashboard.developers.event_groups import GROUPS
from landbridge.developers.events.names import CATALOGUE
from landbridge.developers.webhooks.model import DeliveryStatus
from landbridge.platform.http.caller import MemberRole
from tests.change_log import placed
from tests.dashboard.browsing import DashboardPage, visit
from tests.developers.webhooks.endpoints import make_webhook, sign
from tests.developers.webhooks.rows import URL, add, make_endpoint, row, tried
from tests.tenants import Tenant

HOME = "/dashboard/webhooks"
HOSTILE = '"><script>alert(1)</script>'
FIELDS = {"url": URL, "which": "all", "createEventSpelling": "CREATE"}


def code(page: DashboardPage) -> list[str]:
    """Return the contents of the code blocks of a page."""
    return [str(each.text_content()) for each in page.tree.xpath("//pre")]


def test_each_event_is_in_one_group() -> None:
    grouped = [name.type for group in GROUPS for name in group.names]
    expected = [each.type for each in CATALOGUE if each.category != "WEBHOOK"]
    assert sorted(grouped) == sorted(expected)


async def test_empty_list_says_what_to_do(org: Tenant) -> None:
    assert f"{HOME}/new" in (await (await visit(org)).load(HOME)).links()
    page = await (await visit(org, MemberRole.MEMBER)).load(HOME)
    assert "Ask an admin to create one" in page.text
    assert f"{HOME}/new" not in page.links()


@pytest.mark.parametrize("role", list(MemberRole))
async def test_every_role_sees_endpoints(org: Tenant, role: MemberRole) -> None:
    webhook = await make_webhook(org, url=URL, description=HOSTILE)
    visitor = await visit(org, role)
    for path in (HOME, f"{HOME}/{webhook['id']}", f"{HOME}/{webhook['id']}/keys"):
        page = await visitor.load(path)
        assert HOSTILE in page.text
        assert HOSTILE not in page.response.text
    page = await visitor.load(f"{HOME}/{webhook['id']}")
    actions = page.tree.xpath("//main//form/@action")
    assert (f"{HOME}/{webhook['id']}/pause" in actions) is (role is MemberRole.ADMIN)
    assert (f"{HOME}/{webhook['id']}/test" in actions) is (role is not MemberRole.ANALYST)
    assert (f"{HOME}/{webhook['id']}/edit" in page.links()) is (role is MemberRole.ADMIN)


async def test_endpoint_is_created_for_selected_events(org: Tenant) -> None:
    admin = await visit(org)
    assert (await admin.load(f"{HOME}/new")).tree.xpath('//input[@value="ONRAMP.*"]')
    to = await admin.submit(
        f"{HOME}/new",
        {
            "url": URL,
            "description": "Books",
            "which": "chosen",
            "eventTypes": ["ONRAMP.*", "USER.CREATE"],
            "patterns": "*.RFI.OPEN, KYC.*\r\nREPORT.READY",
            "createEventSpelling": "CREATED",
        },
    )
    (webhook,) = (await org.get("/v2/webhooks"))["webhooks"]
    assert to == f"{HOME}/{webhook['id']}/keys"
    assert webhook["eventTypes"] == [
        *("ONRAMP.*", "USER.CREATE", "*.RFI.OPEN", "KYC.*", "REPORT.READY")
    ]
    assert (webhook["description"], webhook["createEventSpelling"]) == ("Books", "CREATED")


async def test_secret_is_shown_once(org: Tenant) -> None:
    admin = await visit(org)
    created = await admin.send(f"{HOME}/new", {**FIELDS, "standardWebhooks": "yes"})
    assert created.status == 200
    (secret,) = code(created)
    assert secret.startswith("whsec_")
    (webhook,) = (await org.get("/v2/webhooks"))["webhooks"]
    endpoint_path = f"{HOME}/{webhook['id']}"
    for path in (HOME, endpoint_path, f"{endpoint_path}/keys", f"{endpoint_path}/edit"):
        assert secret not in (await admin.load(path)).response.text
    rotated = await admin.send(f"{endpoint_path}/rotate", {"overlapSeconds": "3600"})
    assert (rotated.status, code(rotated) == [secret]) == (200, False)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"url": ""}, "url"),
        ({"url": "ftp://example.com"}, "url"),
        ({"url": "https://10.0.0.1/"}, "url"),
        ({"description": "x" * 201}, "description"),
        ({"which": "chosen"}, "eventTypes"),
        ({"which": "chosen", "patterns": "NO.SUCH"}, "eventTypes"),
        ({"which": "chosen", "eventTypes": ["SWAP.CREATE"]}, "eventTypes"),
        ({"createEventSpelling": "odd"}, "createEventSpelling"),
    ],
)
async def test_invalid_endpoint_shows_errors_and_keeps_values(
    org: Tenant, changes: dict[str, Any], field: str
) -> None:
    fields = {**FIELDS, "description": "Books", **changes}
    webhook = await make_webhook(org, url=URL)
    admin = await visit(org)
    for path in (f"{HOME}/new", f"{HOME}/{webhook['id']}/edit"):
        sent = await admin.send(path, fields)
        assert sent.status == 422, sent.text
        assert f"#f-{field}" in sent.links()
        assert sent.value("url") == fields["url"]
        assert sent.value("description") == fields["description"]
    assert (await org.get("/v2/webhooks"))["webhooks"][0]["updatedAt"] == webhook["updatedAt"]


async def test_endpoint_is_edited_from_the_shown_version(org: Tenant) -> None:
    types = ["ONRAMP.*", "USER.CREATE", "*.RFI.OPEN", "OFFRAMP.UPDATE"]
    webhook = await make_webhook(org, url=URL, description="Books", eventTypes=types)
    admin, path = await visit(org), f"{HOME}/{webhook['id']}/edit"
    form = await admin.load(path)
    ticked = form.tree.xpath('//input[@name="eventTypes"][@checked]/@value')
    assert sorted(ticked) == ["ONRAMP.*", "USER.CREATE"]
    patterns = str(form.tree.xpath('//textarea[@name="patterns"]')[0].text)
    fields = {**FIELDS, "which": "chosen", "eventTypes": ticked, "patterns": patterns}
    assert await admin.submit(path, fields) == f"{HOME}/{webhook['id']}"
    changed = await org.get(f"/v2/webhooks/{webhook['id']}")
    assert sorted(changed["eventTypes"]) == sorted(types)
    assert changed["description"] is None


async def test_endpoint_is_paused_and_resumed(org: Tenant) -> None:
    webhook = await make_webhook(org, url=URL)
    admin, path = await visit(org), f"{HOME}/{webhook['id']}"
    assert await admin.submit(f"{path}/pause") == path
    page = await admin.load(path)
    assert 'title="PAUSED"' in page.response.text
    assert 'title="PAUSED"' in (await admin.load(HOME)).response.text
    refused = await admin.send(f"{path}/test")
    assert (refused.status, "resume it first" in refused.text) == (409, True)
    assert await admin.submit(f"{path}/resume", {"skipMissed": "yes"}) == path
    assert (await org.get(f"/v2/webhooks/{webhook['id']}"))["status"] == "ACTIVE"


async def test_failing_endpoint_is_shown_as_failing_on_every_page(org: Tenant) -> None:
    endpoint = await make_endpoint(org)
    at = org.container.clock.now()
    refused = row(
        org, endpoint, status=DeliveryStatus.REFUSED, attempts=(tried(at, status=404, answer=""),)
    )
    await add(org, endpoint, [refused])
    visitor = await visit(org)
    for path in (HOME, f"{HOME}/{endpoint}"):
        page = await visitor.load(path)
        assert page.tree.xpath('//*[@class="status bad" and text()="Failing with 4xx"]'), path


async def test_test_event_is_sent(org: Tenant) -> None:
    webhook = await make_webhook(org, url=URL)
    member, path = await visit(org, MemberRole.MEMBER), f"{HOME}/{webhook['id']}"
    assert await member.submit(f"{path}/test") == path
    await placed(org.container.database)
    (event,) = (await org.get("/v2/events", eventType="WEBHOOK.TEST"))["records"]
    assert event["objectId"] == webhook["id"]


async def test_signing_key_is_rotated(org: Tenant) -> None:
    webhook = await make_webhook(org, url=URL)
    admin, path = await visit(org), f"{HOME}/{webhook['id']}"
    assert await admin.submit(f"{path}/rotate", {"overlapSeconds": "3600"}) == f"{path}/keys"
    keys = (await org.get(f"/v2/webhooks/{webhook['id']}"))["publicKeys"]
    page = await admin.load(f"{path}/keys")
    # What an operator does here comes before what a developer reads once.
    assert page.text.index("Rotate key") < page.text.index("How to verify deliveries")
    assert [each["publicKey"].strip() for each in keys] == [
        each.strip() for each in code(page)[1:3]
    ]
    assert "Next key" in page.text
    for overlap in ("", "soon", "-1", "9999999", "9" * 5_000):
        assert (await admin.send(f"{path}/rotate", {"overlapSeconds": overlap})).status == 422


async def test_public_key_is_downloaded(org: Tenant) -> None:
    webhook = await make_webhook(org, url=URL)
    analyst, path = await visit(org, MemberRole.ANALYST), f"{HOME}/{webhook['id']}/keys"
    kid = webhook["publicKeys"][0]["kid"]
    file = (await analyst.load(f"{path}/{kid}")).response
    assert file.text == webhook["publicKey"]
    assert file.headers["content-disposition"] == f'attachment; filename="landbridge-{kid}.pem"'
    assert (await analyst.open(f"{path}/{uuid4()}")).status == 404


async def test_shown_verification_code_verifies(
    org: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    webhook = await make_webhook(org, url=URL)
    response = await org.client.get(f"/v2/webhooks/{webhook['id']}/jwks.json")
    keys = jwt.PyJWKSet.from_dict(response.json()).keys
    page = await (await visit(org)).load(f"{HOME}/{webhook['id']}/keys")
    (lines,) = [each for each in code(page) if "is_genuine" in each]

    def known_keys(*_: object) -> object:
        return keys

    monkeypatch.setattr(jwt.PyJWKClient, "get_signing_keys", known_keys)
    known: dict[str, Any] = {}
    exec(lines, known)  # noqa: S102  code that the page shows
    body = json.dumps({"eventId": "evt_1"}).encode()
    token = (await sign(org, webhook["id"], body))["Authorization"]
    assert known["is_genuine"](token, body)
    assert not known["is_genuine"](token, body + b" ")
    assert not known["is_genuine"](f"{token}x", body)
    assert not known["is_genuine"]("", body)


async def test_endpoint_is_deleted(org: Tenant) -> None:
    webhook = await make_webhook(org, url=URL)
    admin = await visit(org)
    assert await admin.submit(f"{HOME}/{webhook['id']}/end") == HOME
    assert (await admin.open(f"{HOME}/{webhook['id']}")).status == 404
    assert (await admin.send(f"{HOME}/{webhook['id']}/end")).status == 404


@pytest.mark.parametrize("role", [MemberRole.MEMBER, MemberRole.ANALYST])
async def test_only_admins_change_endpoints(org: Tenant, role: MemberRole) -> None:
    webhook = await make_webhook(org, url=URL)
    visitor, endpoint_path = await visit(org, role), f"{HOME}/{webhook['id']}"
    posts = {
        f"{HOME}/new": FIELDS,
        f"{endpoint_path}/edit": {**FIELDS, "description": "mine"},
        f"{endpoint_path}/pause": {},
        f"{endpoint_path}/rotate": {"overlapSeconds": "0"},
        f"{endpoint_path}/end": {},
    }
    for path, fields in posts.items():
        assert (await visitor.send(path, fields)).status == 403, path
    if role is MemberRole.ANALYST:
        assert (await visitor.send(f"{endpoint_path}/test")).status == 403
    (remaining,) = (await org.get("/v2/webhooks"))["webhooks"]
    assert remaining["updatedAt"] == webhook["updatedAt"]


async def test_endpoints_of_other_organisations_are_not_found(
    org: Tenant, other_org: Tenant
) -> None:
    webhook = await make_webhook(other_org, url=URL)
    admin = await visit(org)
    for each in (webhook["id"], str(uuid4()), "nonsense"):
        endpoint_path = f"{HOME}/{each}"
        for path in (
            endpoint_path,
            f"{endpoint_path}/keys",
            f"{endpoint_path}/edit",
            f"{endpoint_path}/keys/{uuid4()}",
        ):
            assert (await admin.open(path)).status == 404, path
        for verb in ("test", "pause", "resume", "rotate", "end", "edit", "resend"):
            fields = {**FIELDS, "overlapSeconds": "0", "since": "2026-01-01", "only": "all"}
            assert (await admin.send(f"{endpoint_path}/{verb}", fields)).status == 404, verb
