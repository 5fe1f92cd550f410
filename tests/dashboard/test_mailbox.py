"""The mailbox of the sandbox: read by admins, with links to our own pages only."""

from uuid import uuid4

import pytest

from landbridge.core.ids import new_id
from landbridge.dashboard.team.mailbox_pages import linked
from landbridge.db.pool import Tx
from landbridge.mail.outbox import Letter
from landbridge.web.caller import Role
from tests.dashboard.browsing import visit
from tests.dashboard.payment_forms import make
from tests.members.people import first_admin, token_of
from tests.tenants import URL, Tenant, fund, make_user

BOX = "/dashboard/mailbox"
HOSTILE = "<script>alert(1)</script>"


async def _arrives(org: Tenant, letter: Letter) -> None:
    owner = new_id()

    async def work(tx: Tx) -> None:
        key = await org.house.vault.make(tx, org.org_id, owner)
        await org.house.outbox.put(tx, org_id=org.org_id, owner_id=owner, key=key, letter=letter)

    await org.house.database.transact(work)
    await org.house.outbox.run_once([org.org_id])


async def test_an_empty_one_says_what_arrives(org: Tenant) -> None:
    assert "No mail yet" in (await (await visit(org)).see(BOX)).text


async def test_a_mail_is_read_as_text(org: Tenant) -> None:
    admin = await visit(org)
    text = f"Hello {HOSTILE},\n\n{URL}/kyc/1?session=a&b=c.\nhttps://evil.example/x\n"
    await _arrives(org, Letter("ada@example.com", HOSTILE, text))
    listed = await admin.see(BOX)
    assert "ada@example.com" in listed.text
    assert HOSTILE not in listed.answer.text
    (path,) = [each for each in listed.links() if each.startswith(f"{BOX}/")]
    page = await admin.see(path)
    assert HOSTILE in page.text
    assert HOSTILE not in page.answer.text
    assert f"{URL}/kyc/1?session=a&b=c" in page.links()
    assert not [each for each in page.links() if "evil" in each]


async def test_invitations_and_new_passwords_arrive(org: Tenant) -> None:
    admin = await first_admin(org)
    await org.house.members.invite(
        admin.signed.caller, email=f"g-{org.org_id}@x.test", name="Grace", role=Role.MEMBER
    )
    await org.house.sign_in.ask_reset(admin.email, ip_address="203.0.113.9")
    await org.house.outbox.run_once([org.org_id])
    reader = await visit(org)
    listed = await reader.see(BOX)
    assert "You are invited to Landbridge" in listed.text
    assert "A new password for Landbridge" in listed.text
    links = [
        link
        for path in listed.links()
        if path.startswith(f"{BOX}/")
        for link in (await reader.see(path)).links()
        if link.startswith(URL)
    ]
    (reset,) = [each for each in links if "/reset/" in each]
    await org.house.sign_in.reset_of(token_of(reset))
    (invitation,) = [each for each in links if "/invitations/" in each]
    assert (await org.house.sign_in.invitation(token_of(invitation))).name == "Grace"


async def test_a_kyc_link_arrives(org: Tenant) -> None:
    reader = await visit(org)
    body = {"recipientEmail": "ada@example.com", "userType": "INDIVIDUAL", "rails": ["USD"]}
    sent = await org.client.post("/v2/kyc-link", json=body, headers=org.headers)
    assert sent.status_code < 300, sent.text
    await org.house.outbox.run_once([org.org_id])
    listed = await reader.see(BOX)
    assert "ada@example.com" in listed.text


async def test_what_waits_for_an_admin_arrives(org: Tenant) -> None:
    ada, grace = await make_user(org), await make_user(org)
    await fund(org, ada, "50")
    reader, member = await visit(org), await visit(org, Role.MEMBER)
    await make(member, "transfer", ada, to="user", toUser=grace, amount="10")
    await org.house.outbox.run_once([org.org_id])
    listed = await reader.see(BOX)
    assert "Waiting for approval" in listed.text
    assert f"{reader.member_id}@example.com" in listed.text


@pytest.mark.parametrize("role", [Role.MEMBER, Role.ANALYST])
async def test_nobody_but_admins_reads_it(org: Tenant, role: Role) -> None:
    await _arrives(org, Letter("ada@example.com", "Your form", "x"))
    (mail,) = await org.house.mailbox.newest(org.caller)
    somebody = await visit(org, role)
    for path in (BOX, f"{BOX}/{mail.id}"):
        page = await somebody.open(path)
        assert page.status == 403
        assert "ada@example.com" not in page.answer.text


async def test_others_mails_are_not_there(org: Tenant, other_org: Tenant) -> None:
    await _arrives(org, Letter("ada@example.com", "Your form", "x"))
    (mail,) = await org.house.mailbox.newest(org.caller)
    stranger = await visit(other_org)
    assert "ada@example.com" not in (await stranger.see(BOX)).answer.text
    for mail_id in (str(mail.id), str(uuid4()), "nonsense"):
        assert (await stranger.open(f"{BOX}/{mail_id}")).status == 404


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
def test_only_our_own_pages_are_linked(text: str, html: str) -> None:
    assert str(linked(text, "http://a.test")) == html
