"""Pages of reviews: the index, questions about payments, deposits, lines of bank files."""

from uuid import uuid4

from landbridge.core.ids import new_id
from landbridge.web.caller import Role
from tests.bank_files.incoming import make_bank_line
from tests.dashboard.browsing import visit
from tests.onramps import make_onramp, make_payer
from tests.receipts.play import make_held
from tests.tenants import Tenant
from tests.virtual_accounts.made import make_account, make_receiver

REVIEWS = "/dashboard/reviews"
PAYMENTS, DEPOSITS, LINES = (
    f"{REVIEWS}/transfers",
    f"{REVIEWS}/deposits",
    f"{REVIEWS}/bank-lines",
)
# What a browser sends where no file was chosen.
NO_FILE = {"file": ("", b"", "application/octet-stream")}
PDF = b"%PDF-1.4\n%" + b"x" * 12_000 + b"\n%%EOF"


async def onramp(org: Tenant) -> str:
    """The id of an onramp that can be asked about."""
    user = await make_payer(org, firstName="Ada")
    return str((await make_onramp(org, user))["id"])


async def test_the_index_counts_what_waits(org: Tenant) -> None:
    await make_held(org)
    await make_held(org, "5")
    await make_bank_line(org)
    admin = await visit(org)
    page = await admin.see(REVIEWS)
    rows = {
        " ".join(each.xpath("string(./th)").split()): each.xpath("string(./td[1])").strip()
        for each in page.tree.xpath("//tbody/tr")
    }
    assert rows == {
        "Verifications": "0",
        "Bank accounts": "0",
        "Questions about payments": "0",
        "Deposits that nobody takes": "2",
        "Lines of bank files": "1",
        "Receivables": "0",
        "Resolutions of stuck payments": "0",
    }
    for role in (Role.MEMBER, Role.ANALYST):
        other = await visit(org, role)
        assert "Deposits that nobody takes" in (await other.see(REVIEWS)).text


async def test_a_payment_is_asked_about_answered_and_closed(org: Tenant) -> None:
    payment, admin = await onramp(org), await visit(org, name="Grace Admin")
    assert "Nothing waits" in (await admin.see(PAYMENTS)).text
    page = await admin.see(f"{PAYMENTS}/{payment}")
    assert "Nothing was asked about this payment." in page.text
    assert "Ada Approval" in page.text
    await admin.done(f"{PAYMENTS}/{payment}", {"do": "ask", "question": "Why <b>so</b> 100 %?"})
    analyst = await visit(org, Role.ANALYST)
    shown = await analyst.see(f"{PAYMENTS}/{payment}")
    assert "Why <b>so</b> 100 %?" in shown.text
    assert "Grace Admin" in shown.text
    assert "IN_REVIEW" in shown.text
    assert not shown.tree.xpath("//textarea")
    assert "Why <b>so</b> 100 %?" in (await analyst.see(PAYMENTS)).text
    twice = await admin.send(f"{PAYMENTS}/{payment}", {"do": "ask", "question": "Again?"})
    assert twice.status == 409
    answer = {"do": "answer", "answer": "Rent\nof May"}
    await admin.done(f"{PAYMENTS}/{payment}/answer", answer, files=NO_FILE)
    assert "of May" in (await admin.see(f"{PAYMENTS}/{payment}")).text
    assert "ANSWERED" in (await admin.see(PAYMENTS, show="answered")).text
    await admin.done(f"{PAYMENTS}/{payment}", {"do": "close", "comment": "It is plausible."})
    after = await admin.see(f"{PAYMENTS}/{payment}")
    assert "CLOSED" in after.text
    assert "It is plausible." in after.text
    assert "Ask about this payment" in after.text
    assert "CLOSED" in (await admin.see(PAYMENTS, show="closed")).text


async def test_an_answer_takes_files_one_after_another(org: Tenant) -> None:
    payment, admin = await onramp(org), await visit(org)
    await admin.done(f"{PAYMENTS}/{payment}", {"do": "ask", "question": "Why?"})
    path = f"{PAYMENTS}/{payment}/answer"
    file = ("bill.pdf", PDF, "application/pdf")
    page = await admin.send(path, {"do": "keep", "answer": "See file"}, files={"file": file})
    assert page.status == 200
    assert "bill.pdf" in page.text
    assert page.tree.xpath("string(//textarea[@name='answer'])") == "See file"
    wrong = ("bill.pdf", b"not a pdf", "application/pdf")
    fields = {"do": "answer", "answer": "See file", "fileId": page.value("fileId")}
    again = await admin.send(path, fields, files={"file": wrong})
    assert again.status == 422
    assert "bill.pdf" in again.text
    await admin.done(path, fields, files={"file": ("second.pdf", PDF, "application/pdf")})
    done = await admin.see(f"{PAYMENTS}/{payment}")
    assert len([each for each in done.links() if each.startswith("/dashboard/files/")]) == 2
    review = await org.get(f"/v2/reviews/transfers/{payment}")
    assert len(review["rfi"]["fileIds"]) == 2


async def test_what_is_asked_wrongly_is_shown_again(org: Tenant) -> None:
    payment, admin = await onramp(org), await visit(org)
    path = f"{PAYMENTS}/{payment}"
    empty = await admin.send(path, {"do": "ask", "question": " "})
    assert empty.status == 422
    assert empty.tree.xpath("//textarea/@aria-invalid") == ["true"]
    assert (await admin.send(path, {"do": "close", "comment": "kept"})).status == 409
    none = await admin.send(f"{path}/answer", {"do": "answer", "answer": "kept"}, files=NO_FILE)
    assert none.status in {409, 422}
    await admin.done(path, {"do": "ask", "question": "Why?"})
    blank = await admin.send(f"{path}/answer", {"do": "answer", "answer": ""}, files=NO_FILE)
    assert blank.status == 422
    unknown = {"do": "answer", "answer": "kept", "fileId": f"file_{uuid4().hex}"}
    page = await admin.send(f"{path}/answer", unknown, files=NO_FILE)
    assert page.status in {404, 422}
    assert page.tree.xpath("string(//textarea[@name='answer'])") == "kept"


async def test_a_deposit_is_matched(org: Tenant) -> None:
    user = await make_payer(org)
    payment = str((await make_onramp(org, user))["id"])
    deposit, admin = await make_held(org), await visit(org)
    page = await admin.see(DEPOSITS)
    assert "Ada Approval" in page.text
    assert "100.00 usd" in page.text
    path = f"{DEPOSITS}/{deposit.id}"
    fields = {"do": "match", "with": "transfer", "pays": "nonsense", "comment": "They called."}
    wrong = await admin.send(path, fields)
    assert wrong.status == 422
    assert wrong.value("pays") == "nonsense"
    unknown = await admin.send(path, {**fields, "pays": str(new_id())})
    assert unknown.status == 404
    uncommented = await admin.send(path, {**fields, "pays": payment, "comment": ""})
    assert uncommented.status == 422
    await admin.done(path, {**fields, "pays": payment})
    after = await admin.see(path)
    assert "MATCHED" in after.text
    assert "They called." in after.text
    assert f"/dashboard/transactions/{payment}" in after.links()
    assert not after.tree.xpath("//textarea")
    late = await admin.send(path, {"do": "return", "returnComment": "too late"})
    assert late.status == 409


async def test_a_deposit_belongs_to_a_virtual_account(org: Tenant) -> None:
    user = await make_receiver(org)
    account = await make_account(org, user)
    deposit, admin = await make_held(org), await visit(org)
    fields = {"do": "match", "with": "account", "pays": account["id"], "comment": "Wrong number."}
    await admin.done(f"{DEPOSITS}/{deposit.id}", fields)
    assert "MATCHED" in (await admin.see(f"{DEPOSITS}/{deposit.id}")).text


async def test_a_deposit_is_sent_back(org: Tenant) -> None:
    deposit, admin = await make_held(org), await visit(org)
    path = f"{DEPOSITS}/{deposit.id}"
    blank = await admin.send(path, {"do": "return", "returnComment": ""})
    assert blank.status == 422
    assert "Nobody knows" not in blank.text
    await admin.done(path, {"do": "return", "returnComment": "Nobody knows whose it is."})
    after = await admin.see(path)
    assert "RETURNING" in after.text
    assert "Nobody knows whose it is." in after.text
    assert "Nothing waits" in (await admin.see(DEPOSITS)).text


async def test_a_line_of_a_bank_file_is_resolved(org: Tenant) -> None:
    line, admin = await make_bank_line(org), await visit(org)
    page = await admin.see(LINES)
    assert "The file is neither" in page.text
    path = f"{LINES}/{line}"
    assert "bad" in (await admin.see(path)).text
    fields = {"resolution": "HANDLED", "comment": "Asked the <bank>."}
    blank = await admin.send(path, {**fields, "comment": ""})
    assert blank.status == 422
    assert blank.tree.xpath("//option[@selected]/@value") == ["HANDLED"]
    unknown = await admin.send(path, {**fields, "resolution": "BURN"})
    assert unknown.status == 422
    refused = await admin.send(path, {**fields, "resolution": "DEPOSIT"})
    assert refused.status == 409
    await admin.done(path, fields)
    after = await admin.see(path)
    assert "RESOLVED" in after.text
    assert "Asked the <bank>." in after.text
    assert "Nothing waits" in (await admin.see(LINES)).text
    assert "RESOLVED" in (await admin.see(LINES, show="resolved")).text
    for shown in ("matched", "new"):
        assert "No line is in this state." in (await admin.see(LINES, show=shown)).text


async def test_members_look_and_only_admins_decide(org: Tenant) -> None:
    payment, deposit, line = await onramp(org), await make_held(org), await make_bank_line(org)
    forms = {
        f"{PAYMENTS}/{payment}": {"do": "ask", "question": "Why?"},
        f"{DEPOSITS}/{deposit.id}": {"do": "return", "returnComment": "No."},
        f"{LINES}/{line}": {"resolution": "HANDLED", "comment": "No."},
    }
    for role in (Role.MEMBER, Role.ANALYST):
        somebody = await visit(org, role)
        for path in (PAYMENTS, DEPOSITS, LINES):
            await somebody.see(path)
        for path, fields in forms.items():
            page = await somebody.see(path)
            assert not page.tree.xpath("//main//textarea")
            assert (await somebody.send(path, fields)).status == 403
        told = {"answer": "No."}
        answer = await somebody.send(f"{PAYMENTS}/{payment}/answer", told, files=NO_FILE)
        assert answer.status == 403
    assert (await org.get(f"/v2/reviews/transfers/{payment}"))["rfis"] == []
    assert (await org.get(f"/v2/reviews/deposits/{deposit.id}"))["status"] == "UNMATCHED"
    assert (await org.get(f"/v2/reviews/bank-lines/{line}"))["status"] == "UNMATCHED"


async def test_strangers_find_nothing(org: Tenant, other_org: Tenant) -> None:
    payment, deposit, line = await onramp(org), await make_held(org), await make_bank_line(org)
    stranger = await visit(other_org)
    for path in (f"{PAYMENTS}/{payment}", f"{DEPOSITS}/{deposit.id}", f"{LINES}/{line}"):
        assert (await stranger.open(path)).status == 404
        assert (await stranger.send(path, {"question": "Why?", "comment": "x"})).status in {
            404,
            422,
        }
    for path in (PAYMENTS, DEPOSITS, LINES):
        assert (await stranger.open(f"{path}/nonsense")).status == 404
        assert "Nothing waits" in (await stranger.see(path)).text
        assert (await stranger.open(path, cursor="nonsense")).status == 422


async def test_long_queues_go_on(org: Tenant) -> None:
    for _ in range(26):
        await make_held(org)
    admin = await visit(org)
    first = await admin.see(DEPOSITS)
    (onward,) = first.tree.xpath('//a[@rel="next"]/@href')
    second = await admin.see(onward)
    on = [
        {each for each in page.links() if each.startswith(f"{DEPOSITS}/")}
        for page in (first, second)
    ]
    assert [len(each) for each in on] == [25, 1]
    assert not on[0] & on[1]
    assert "From the beginning" in second.text
