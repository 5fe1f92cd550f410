"""Invalid input in forms and links: pages answer with a sentence, never with a server error."""

from typing import Any, cast
from uuid import uuid4

import pytest

from landbridge.customers.users.schemas import UserReply
from landbridge.dashboard.number_formats import plain_number
from landbridge.dashboard.organisation import audit_pages
from landbridge.dashboard.page_request import Form
from landbridge.dashboard.reports.report_query import last_day
from landbridge.platform.core.errors import Busy, FieldInvalid, ResourceNotFound
from landbridge.platform.http.caller import MemberRole
from landbridge.platform.http.internal_client import InternalClient
from tests.applications import app_of
from tests.dashboard.browsing import visit
from tests.dashboard.payment_forms import NEW, begin, filled, review
from tests.tenants import URL, Tenant, make_transfer, make_user

LONG = "9" * 5000
EXPLORE = "/dashboard/reports/explore"
CLOCK = "/dashboard/sandbox/clock"
SAFE = ("content-security-policy", "x-content-type-options", "cache-control")


@pytest.mark.parametrize("text", [LONG, "0", "11", "-1", "1.0", "1e1", "\u0661", "x", "", "- 1"])
def test_invalid_whole_number_is_refused_by_field_name(text: str) -> None:
    with pytest.raises(FieldInvalid, match="parts must be a whole number from 1 to 10") as refused:
        Form({"parts": [text]}).integer("parts", minimum=1, maximum=10)
    assert refused.value.field == "parts"


def test_whole_numbers_are_read() -> None:
    form = Form({"parts": [" 7 "], "left": ["-3"]})
    assert form.integer("parts", minimum=1, maximum=10) == 7
    assert form.integer("left", minimum=-5, maximum=0) == -3
    assert form.integer("other", minimum=1, maximum=10, default=4) == 4


async def test_very_many_digits_are_refused(org: Tenant) -> None:
    admin = await visit(org)
    rules = "/dashboard/settlement-rules/new"
    sent = [
        await admin.send(rules, {"parts": LONG}),
        await admin.send(rules, {"tiers-0": LONG}),
        await admin.send(rules, {"do": f"tier:{LONG}"}),
        await admin.send("/dashboard/settings/approvals", {"threshold": LONG}),
        await admin.send("/dashboard/settings/limits/rows", {"do": "simulate", "days": LONG}),
        await admin.send(CLOCK, {"by": LONG, "unit": "days"}),
        await admin.open(EXPLORE, limit=LONG),
    ]
    assert [each.status for each in sent] == [422] * len(sent)
    more = await admin.send("/dashboard/users/new", {"owners": LONG, "do": "owner"})
    assert more.status == 200
    case = f"/dashboard/reviews/kyc/{uuid4()}"
    assert (await admin.send(case, {"decision": "approve", "version": LONG})).status == 404


async def test_parts_in_an_unknown_charset_are_refused(org: Tenant) -> None:
    part = b'Content-Disposition: form-data; name="email"\r\nContent-Type: text/plain; charset=nope'
    admin = await visit(org)
    signed_in = {"Cookie": f"landbridge={admin.cookie}", "X-CSRF-Token": admin.csrf}
    signed_out = {"Cookie": "landbridge-visit=abc", "X-CSRF-Token": "abc"}
    for path, headers, status in (
        (CLOCK, signed_in, 422),
        (CLOCK, {"Cookie": signed_in["Cookie"]}, 403),
        ("/dashboard/sign-in", signed_out, 401),
        ("/dashboard/forgot", signed_out, 200),
    ):
        sent = await org.client.post(
            path,
            content=b"--x\r\n" + part + b"\r\n\r\n\xff\r\n--x--\r\n",
            headers=headers | {"Origin": URL, "Content-Type": "multipart/form-data; boundary=x"},
        )
        assert sent.status_code == status, (path, sent.text)


@pytest.mark.parametrize("end", ["0001-01-01", "0001-01-01T00:00:00", "x"])
async def test_report_with_an_early_end_is_refused(org: Tenant, end: str) -> None:
    assert last_day({"createdBefore": end}) == end
    assert (await (await visit(org)).open(EXPLORE, createdBefore=end)).status == 422


async def test_empty_id_is_not_found(org: Tenant) -> None:
    inside = InternalClient(cast("Any", app_of(org.container)), org.caller)
    with pytest.raises(ResourceNotFound):
        await inside.read(UserReply, "/v2/users/")
    with pytest.raises(ResourceNotFound):
        inside.passing("/v2/users//x")


async def test_pages_omit_empty_ids(org: Tenant) -> None:
    ada = await make_user(org, funds="100")
    grace = await make_user(org, firstName="Grace", email="grace@example.com")
    created = await make_transfer(org, ada, grace, "10", requireApproval=True)
    admin, chosen = await visit(org), str(created["approval"]["id"])
    voted = await admin.send(
        "/dashboard/approvals", {"approval": [chosen, ""], "vote": "approve", "comment": ""}
    )
    assert voted.status == 200
    assert "Not recorded:" not in voted.text
    assert (await org.get(f"/v2/approvals/{chosen}"))["status"] == "APPROVED"
    nothing = {"approval": "", "vote": "approve", "comment": ""}
    assert (await admin.send("/dashboard/approvals", nothing)).status == 422
    assert (await admin.send("/dashboard/reports/save", {"name": "x"})).status == 404


@pytest.mark.parametrize("percent", ["1e9999999", "1e999999", "NaN", "-1", "1." + "0" * 19, LONG])
async def test_fee_must_be_digits_and_a_point(org: Tenant, percent: str) -> None:
    ada = await make_user(org, funds="100")
    grace = await make_user(org, firstName="Grace", email="grace@example.com")
    fee = {"feeType": "PERCENT", "feeValue": percent}
    fields = {"to": "user", "toUser": grace, "amount": "10", **fee}
    page = await review(await visit(org), "transfer", ada, **fields)
    assert page.status == 422
    assert "Enter" in page.tree.xpath("string(//*[@id='w-feeValue'])")
    assert len(page.response.text) < 100_000


@pytest.mark.parametrize("text", ["1e9999999999999", "1e999999", "NaN", "Infinity", "x"])
def test_invalid_amount_is_shown_unchanged(text: str) -> None:
    assert plain_number(text, "en") == text


async def test_link_does_not_choose_among_users_with_the_same_name(org: Tenant) -> None:
    ada = await make_user(org, funds="100")
    one = await make_user(org, firstName="Grace", email="grace@example.com")
    other = await make_user(org, firstName="Mallory", email="mallory@example.com")
    member = await visit(org, MemberRole.MEMBER)
    link = {"userId": ada, "to": "user", "toUser": "Grace", "toUserFor": "Grace", "toUserId": other}
    page = await member.load(
        f"{NEW}/transfer", **link, requestId="x", amount="5", **{"forced.transfer": "fail"}
    )
    main = page.tree.xpath("//main//form//@value")
    assert other not in main
    fields = filled(page)
    assert fields["requestId"] != ["x"]
    assert not [name for name in fields if name.startswith("forced.") and fields[name] == ["fail"]]
    assert fields["amount"] == ["5"]
    sent = await member.send(f"{NEW}/transfer", {**fields, "to": "user", "step": "review"})
    assert other not in sent.response.text
    assert one in sent.response.text
    assert (await begin(member, "transfer", ada))["userId"] == [ada]


async def test_incomplete_file_is_marked(org: Tenant, monkeypatch: pytest.MonkeyPatch) -> None:
    admin, log = await visit(org), "/dashboard/audit-log/csv"
    for name in ("A", "B", "C"):
        await admin.submit("/dashboard/settings", {"name": name})
    monkeypatch.setattr(audit_pages, "_FILE_PAGE_SIZE", 1)
    integer = (await admin.load(log)).response.text
    assert "INCOMPLETE" not in integer
    monkeypatch.setattr(audit_pages, "_FILE_ENTRIES_MAX", 2)
    cut = (await admin.load(log)).response.text.split("\r\n")
    assert (len(cut), cut[-2]) == (
        5,
        "INCOMPLETE. Older entries are missing: a file has at most 2.",
    )
    original_read = InternalClient.read

    for refusal, sentence in ((Busy(), "the service was busy"), (FieldInvalid("no"), "no")):

        async def refused(
            interface: InternalClient,
            reply: type[Any],
            path: str,
            /,
            refusal: Exception = refusal,
            **query: Any,
        ) -> Any:
            if query.get("cursor"):
                raise refusal
            return await original_read(interface, reply, path, **query)

        monkeypatch.setattr(InternalClient, "read", refused)
        last = (await admin.load(log)).response.text.split("\r\n")[-2]
        assert last.startswith(f"INCOMPLETE. Older entries are missing: {sentence}")


async def test_advancing_the_clock_leads_to_a_page(org: Tenant) -> None:
    member, some = await visit(org, MemberRole.MEMBER), uuid4()
    for back, page in (
        (f"/dashboard/transactions/{some}/accept", f"/dashboard/transactions/{some}"),
        (f"/dashboard/webhooks/{some}/rotate?x=1", f"/dashboard/webhooks/{some}"),
        ("/dashboard/users?q=a", "/dashboard/users?q=a"),
        ("/dashboard/sandbox/clock", "/dashboard/sandbox"),
        ("//[x", "/dashboard/sandbox"),
    ):
        assert await member.submit(CLOCK, {"seconds": "0", "back": back}) == page


async def test_files_and_refusals_have_security_headers(org: Tenant) -> None:
    admin = await visit(org)
    for path, status in (
        (f"{NEW}/batch/template.csv", 200),
        (f"/dashboard/reports/statements/file?userId={uuid4()}", 404),
        ("/dashboard/reports/download?createdAfter=x", 400),
        (f"/dashboard/reports/saved/{uuid4()}/download", 404),
    ):
        response = (await admin.open(path)).response
        assert response.status_code == status, path
        assert not [each for each in SAFE if each not in response.headers], path


async def test_oversized_form_is_refused_with_a_page(org: Tenant) -> None:
    page = await (await visit(org)).send("/dashboard/settings", {"name": "x" * 300_000})
    assert page.status == 413
    assert page.tree.xpath("//nav")
    assert "Go to overview" in page.text
