"""Sandbox mailbox: read by admins, with links to own pages only."""

from datetime import datetime
from uuid import uuid4

import pytest

from landbridge.dashboard.team.team_pages import linked
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Tx
from landbridge.platform.http.caller import MemberRole
from landbridge.platform.mail.outbox import SealedEmailContent
from tests.customers.team.people import first_admin, token_of
from tests.dashboard.browsing import visit
from tests.dashboard.payment_forms import create_payment
from tests.payouts import make_account, make_payee
from tests.tenants import URL, Tenant, fund, make_user

BOX = "/dashboard/mailbox"
HOSTILE = "<script>alert(1)</script>"


async def deliver_email(org: Tenant, email: SealedEmailContent) -> None:
    owner = new_id()

    async def work(tx: Tx) -> None:
        key = await org.container.vault.make(tx, org.org_id, owner)
        await org.container.outbox.put(tx, org_id=org.org_id, owner_id=owner, key=key, email=email)

    await org.container.database.transact(work)
    await org.container.outbox.run_once([org.org_id])


async def test_empty_mailbox_says_what_arrives(org: Tenant) -> None:
    assert "No e-mails yet" in (await (await visit(org)).load(BOX)).text


async def test_email_is_shown_as_text(org: Tenant) -> None:
    admin = await visit(org)
    text = f"Hello {HOSTILE},\n\n{URL}/kyc/1?session=a&b=c.\nhttps://evil.example/x\n"
    await deliver_email(org, SealedEmailContent("ada@example.com", HOSTILE, text))
    listed = await admin.load(BOX)
    assert "ada@example.com" in listed.text
    assert HOSTILE not in listed.response.text
    (path,) = [each for each in listed.links() if each.startswith(f"{BOX}/")]
    page = await admin.load(path)
    assert HOSTILE in page.text
    assert HOSTILE not in page.response.text
    assert f"{URL}/kyc/1?session=a&b=c" in page.links()
    assert not [each for each in page.links() if "evil" in each]


async def test_invitations_and_password_resets_arrive(org: Tenant) -> None:
    admin = await first_admin(org)
    await org.container.team.invite(
        admin.signed.caller, email=f"g-{org.org_id}@x.test", name="Grace", role=MemberRole.MEMBER
    )
    await org.container.sign_in.request_reset(admin.email, ip_address="203.0.113.9")
    await org.container.outbox.run_once([org.org_id])
    reader = await visit(org)
    listed = await reader.load(BOX)
    assert "Invitation to Landbridge" in listed.text
    assert "Reset your Landbridge password" in listed.text
    links = [
        link
        for path in listed.links()
        if path.startswith(f"{BOX}/")
        for link in (await reader.load(path)).links()
        if link.startswith(URL)
    ]
    (reset,) = [each for each in links if "/reset/" in each]
    await org.container.sign_in.reset_of(token_of(reset))
    (invitation,) = [each for each in links if "/invitations/" in each]
    assert (await org.container.sign_in.invitation(token_of(invitation))).name == "Grace"


async def test_kyc_link_arrives(org: Tenant) -> None:
    reader = await visit(org)
    body = {"recipientEmail": "ada@example.com", "userType": "INDIVIDUAL", "rails": ["USD"]}
    sent = await org.client.post("/v2/kyc-link", json=body, headers=org.headers)
    assert sent.status_code < 300, sent.text
    await org.container.outbox.run_once([org.org_id])
    listed = await reader.load(BOX)
    assert "ada@example.com" in listed.text


async def test_pending_approval_arrives(org: Tenant) -> None:
    ada, grace = await make_user(org), await make_user(org)
    await fund(org, ada, "50")
    reader, member = await visit(org), await visit(org, MemberRole.MEMBER)
    await create_payment(member, "transfer", ada, to="user", toUser=grace, amount="10")
    await org.container.outbox.run_once([org.org_id])
    listed = await reader.load(BOX)
    assert "Awaiting approval" in listed.text
    assert f"{reader.member_id}@example.com" in listed.text


async def test_mail_of_an_approved_payout_has_the_deadline_of_its_quote(org: Tenant) -> None:
    user = await make_payee(org)
    account = await make_account(org, user)
    admin, member = await visit(org), await visit(org, MemberRole.MEMBER)
    fields = {"wallet": "POLYGON:usdc", "account": f"{account}:usd", "amount": "10"}
    payment = await create_payment(member, "offramp", user, **fields)
    details = (await org.get(f"/v2/offramps/{payment}"))["transferDetails"]
    path = f"/dashboard/approvals/{details['approval']['id']}"
    await admin.submit(path, {"vote": "approve", "comment": ""})
    await org.container.outbox.run_once([org.org_id])
    (mail,) = [
        each
        for each in await org.container.mailbox.newest(org.caller)
        if each.email.subject.startswith("Approved: ")
    ]
    page = await admin.load(f"{BOX}/{mail.id}")
    quoted = (await org.get(f"/v2/offramps/{payment}"))["transferDetails"]["quoteInformation"]
    until = datetime.fromisoformat(quoted["expiresAt"]).strftime("%d %B %Y, %H:%M UTC")
    assert f"Accept its quote before {until}: " in page.text
    assert f"{URL}/dashboard/transactions/{payment}" in page.links()


@pytest.mark.parametrize("role", [MemberRole.MEMBER, MemberRole.ANALYST])
async def test_only_admins_read_the_mailbox(org: Tenant, role: MemberRole) -> None:
    await deliver_email(org, SealedEmailContent("ada@example.com", "Your form", "x"))
    (mail,) = await org.container.mailbox.newest(org.caller)
    visitor = await visit(org, role)
    for path in (BOX, f"{BOX}/{mail.id}"):
        page = await visitor.open(path)
        assert page.status == 403
        assert "ada@example.com" not in page.response.text


async def test_emails_of_other_organisations_are_not_found(org: Tenant, other_org: Tenant) -> None:
    await deliver_email(org, SealedEmailContent("ada@example.com", "Your form", "x"))
    (mail,) = await org.container.mailbox.newest(org.caller)
    outsider = await visit(other_org)
    assert "ada@example.com" not in (await outsider.load(BOX)).response.text
    for mail_id in (str(mail.id), str(uuid4()), "nonsense"):
        assert (await outsider.open(f"{BOX}/{mail_id}")).status == 404


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("see http://a.test/x.", 'see <a href="http://a.test/x">http://a.test/x</a>.'),
        ("http://a.test.evil.example/x", "http://a.test.evil.example/x"),
        ("http://a.test@evil.example/x", "http://a.test@evil.example/x"),
        ("http://evil.example/?u=http://a.test/x", "http://evil.example/?u=http://a.test/x"),
        (
            'http://a.test/"onclick="x',
            '<a href="http://a.test/&#34;onclick=&#34;x">http://a.test/&#34;onclick=&#34;x</a>',
        ),
        ("<b>", "&lt;b&gt;"),
        ("", ""),
    ],
)
def test_only_own_pages_are_linked(text: str, html: str) -> None:
    assert str(linked(text, "http://a.test")) == html
