"""Endpoints on their pages: made, changed, paused, tested, rotated, ended."""

import json
from typing import Any
from uuid import uuid4

import jwt
import pytest

from landbridge.dashboard.developers.event_groups import GROUPS
from landbridge.events.names import CATALOGUE
from landbridge.web.caller import Role
from tests.dashboard.browsing import Opened, visit
from tests.settled import settled
from tests.tenants import Tenant
from tests.webhooks.endpoints import make_webhook, sign
from tests.webhooks.rows import URL

HOME = "/dashboard/webhooks"
HOSTILE = '"><script>alert(1)</script>'
FIELDS = {"url": URL, "which": "all", "createEventSpelling": "CREATE"}


def code(page: Opened) -> list[str]:
    """What stands in the boxes of a page."""
    return [str(each.text_content()) for each in page.tree.xpath("//pre")]


def test_each_event_is_in_one_group() -> None:
    grouped = [name.type for group in GROUPS for name in group.names]
    wanted = [each.type for each in CATALOGUE if each.category != "WEBHOOK"]
    assert sorted(grouped) == sorted(wanted)


async def test_without_endpoints_it_says_what_to_do(org: Tenant) -> None:
    assert f"{HOME}/new" in (await (await visit(org)).see(HOME)).links()
    page = await (await visit(org, Role.MEMBER)).see(HOME)
    assert "An admin can register one" in page.text
    assert f"{HOME}/new" not in page.links()


@pytest.mark.parametrize("role", list(Role))
async def test_everybody_looks_at_endpoints(org: Tenant, role: Role) -> None:
    webhook = await make_webhook(org, url=URL, description=HOSTILE)
    somebody = await visit(org, role)
    for path in (HOME, f"{HOME}/{webhook['id']}", f"{HOME}/{webhook['id']}/keys"):
        page = await somebody.see(path)
        assert HOSTILE in page.text
        assert HOSTILE not in page.answer.text
    page = await somebody.see(f"{HOME}/{webhook['id']}")
    actions = page.tree.xpath("//main//form/@action")
    assert (f"{HOME}/{webhook['id']}/pause" in actions) is (role is Role.ADMIN)
    assert (f"{HOME}/{webhook['id']}/test" in actions) is (role is not Role.ANALYST)
    assert (f"{HOME}/{webhook['id']}/edit" in page.links()) is (role is Role.ADMIN)


async def test_an_endpoint_is_made_for_chosen_events(org: Tenant) -> None:
    admin = await visit(org)
    assert (await admin.see(f"{HOME}/new")).tree.xpath('//input[@value="ONRAMP.*"]')
    to = await admin.done(
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


async def test_a_secret_is_shown_once(org: Tenant) -> None:
    admin = await visit(org)
    made = await admin.send(f"{HOME}/new", {**FIELDS, "standardWebhooks": "yes"})
    assert made.status == 200
    (secret,) = code(made)
    assert secret.startswith("whsec_")
    (webhook,) = (await org.get("/v2/webhooks"))["webhooks"]
    at = f"{HOME}/{webhook['id']}"
    for path in (HOME, at, f"{at}/keys", f"{at}/edit"):
        assert secret not in (await admin.see(path)).answer.text
    rotated = await admin.send(f"{at}/rotate", {"overlapSeconds": "3600"})
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
        ({"which": "chosen", "eventTypes": ["ONRAMP.CREATE"]}, "eventTypes"),
        ({"createEventSpelling": "odd"}, "createEventSpelling"),
    ],
)
async def test_what_is_wrong_is_said_and_what_was_typed_stays(
    org: Tenant, changes: dict[str, Any], field: str
) -> None:
    told = {**FIELDS, "description": "Books", **changes}
    webhook = await make_webhook(org, url=URL)
    admin = await visit(org)
    for path in (f"{HOME}/new", f"{HOME}/{webhook['id']}/edit"):
        sent = await admin.send(path, told)
        assert sent.status == 422, sent.text
        assert f"#f-{field}" in sent.links()
        assert sent.value("url") == told["url"]
        assert sent.value("description") == told["description"]
    assert (await org.get("/v2/webhooks"))["webhooks"][0]["updatedAt"] == webhook["updatedAt"]


async def test_an_endpoint_is_changed_as_the_form_showed_it(org: Tenant) -> None:
    types = ["ONRAMP.*", "USER.CREATE", "*.RFI.OPEN"]
    webhook = await make_webhook(org, url=URL, description="Books", eventTypes=types)
    admin, path = await visit(org), f"{HOME}/{webhook['id']}/edit"
    form = await admin.see(path)
    ticked = form.tree.xpath('//input[@name="eventTypes"][@checked]/@value')
    assert sorted(ticked) == ["ONRAMP.*", "USER.CREATE"]
    patterns = str(form.tree.xpath('//textarea[@name="patterns"]')[0].text)
    fields = {**FIELDS, "which": "chosen", "eventTypes": ticked, "patterns": patterns}
    assert await admin.done(path, fields) == f"{HOME}/{webhook['id']}"
    changed = await org.get(f"/v2/webhooks/{webhook['id']}")
    assert sorted(changed["eventTypes"]) == sorted(types)
    assert changed["description"] is None


async def test_it_is_paused_and_resumed(org: Tenant) -> None:
    webhook = await make_webhook(org, url=URL)
    admin, at = await visit(org), f"{HOME}/{webhook['id']}"
    assert await admin.done(f"{at}/pause") == at
    page = await admin.see(at)
    assert "PAUSED" in page.text
    assert "PAUSED" in (await admin.see(HOME)).text
    refused = await admin.send(f"{at}/test")
    assert (refused.status, "resume it first" in refused.text) == (409, True)
    assert await admin.done(f"{at}/resume", {"skipMissed": "yes"}) == at
    assert (await org.get(f"/v2/webhooks/{webhook['id']}"))["status"] == "ACTIVE"


async def test_a_test_event_is_sent(org: Tenant) -> None:
    webhook = await make_webhook(org, url=URL)
    member, at = await visit(org, Role.MEMBER), f"{HOME}/{webhook['id']}"
    assert await member.done(f"{at}/test") == at
    await settled(org.house.database)
    (event,) = (await org.get("/v2/events", eventType="WEBHOOK.TEST"))["records"]
    assert event["objectId"] == webhook["id"]


async def test_a_key_follows_another(org: Tenant) -> None:
    webhook = await make_webhook(org, url=URL)
    admin, at = await visit(org), f"{HOME}/{webhook['id']}"
    assert await admin.done(f"{at}/rotate", {"overlapSeconds": "3600"}) == f"{at}/keys"
    keys = (await org.get(f"/v2/webhooks/{webhook['id']}"))["publicKeys"]
    page = await admin.see(f"{at}/keys")
    assert [each["publicKey"].strip() for each in keys] == [
        each.strip() for each in code(page)[1:3]
    ]
    assert "The next key" in page.text
    for overlap in ("", "soon", "-1", "9999999", "9" * 5_000):
        assert (await admin.send(f"{at}/rotate", {"overlapSeconds": overlap})).status == 422


async def test_a_public_key_is_downloaded(org: Tenant) -> None:
    webhook = await make_webhook(org, url=URL)
    analyst, at = await visit(org, Role.ANALYST), f"{HOME}/{webhook['id']}/keys"
    kid = webhook["publicKeys"][0]["kid"]
    file = (await analyst.see(f"{at}/{kid}")).answer
    assert file.text == webhook["publicKey"]
    assert file.headers["content-disposition"] == f'attachment; filename="landbridge-{kid}.pem"'
    assert (await analyst.open(f"{at}/{uuid4()}")).status == 404


async def test_the_lines_that_verify_do_so(org: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    webhook = await make_webhook(org, url=URL)
    answer = await org.client.get(f"/v2/webhooks/{webhook['id']}/jwks.json")
    keys = jwt.PyJWKSet.from_dict(answer.json()).keys
    page = await (await visit(org)).see(f"{HOME}/{webhook['id']}/keys")
    (lines,) = [each for each in code(page) if "is_genuine" in each]

    def known_keys(*_: object) -> object:
        return keys

    monkeypatch.setattr(jwt.PyJWKClient, "get_signing_keys", known_keys)
    known: dict[str, Any] = {}
    exec(lines, known)  # noqa: S102  what the page tells people to run
    body = json.dumps({"eventId": "evt_1"}).encode()
    token = (await sign(org, webhook["id"], body))["Authorization"]
    assert known["is_genuine"](token, body)
    assert not known["is_genuine"](token, body + b" ")
    assert not known["is_genuine"](f"{token}x", body)
    assert not known["is_genuine"]("", body)


async def test_an_endpoint_is_ended(org: Tenant) -> None:
    webhook = await make_webhook(org, url=URL)
    admin = await visit(org)
    assert await admin.done(f"{HOME}/{webhook['id']}/end") == HOME
    assert (await admin.open(f"{HOME}/{webhook['id']}")).status == 404
    assert (await admin.send(f"{HOME}/{webhook['id']}/end")).status == 404


@pytest.mark.parametrize("role", [Role.MEMBER, Role.ANALYST])
async def test_others_than_admins_change_no_endpoint(org: Tenant, role: Role) -> None:
    webhook = await make_webhook(org, url=URL)
    somebody, at = await visit(org, role), f"{HOME}/{webhook['id']}"
    posts = {
        f"{HOME}/new": FIELDS,
        f"{at}/edit": {**FIELDS, "description": "mine"},
        f"{at}/pause": {},
        f"{at}/rotate": {"overlapSeconds": "0"},
        f"{at}/end": {},
    }
    for path, fields in posts.items():
        assert (await somebody.send(path, fields)).status == 403, path
    if role is Role.ANALYST:
        assert (await somebody.send(f"{at}/test")).status == 403
    (left,) = (await org.get("/v2/webhooks"))["webhooks"]
    assert left["updatedAt"] == webhook["updatedAt"]


async def test_endpoints_of_others_are_not_there(org: Tenant, other_org: Tenant) -> None:
    webhook = await make_webhook(other_org, url=URL)
    admin = await visit(org)
    for each in (webhook["id"], str(uuid4()), "nonsense"):
        at = f"{HOME}/{each}"
        for path in (at, f"{at}/keys", f"{at}/edit", f"{at}/keys/{uuid4()}"):
            assert (await admin.open(path)).status == 404, path
        for verb in ("test", "pause", "resume", "rotate", "end", "edit", "resend"):
            fields = {**FIELDS, "overlapSeconds": "0", "since": "2026-01-01", "only": "all"}
            assert (await admin.send(f"{at}/{verb}", fields)).status == 404, verb
