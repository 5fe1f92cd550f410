"""Review pages: the index, payment reviews, deposits, statement lines."""

from datetime import timedelta
from uuid import UUID, uuid4

from landbridge.payments.incoming_payments.service import forget
from landbridge.platform.core.ids import new_id
from landbridge.platform.http.caller import MemberRole
from tests.dashboard.browsing import visit
from tests.onramps import make_onramp, make_payer
from tests.payments.bank_files.inbound_files import make_bank_line
from tests.payments.incoming_payments.incoming_payment_setup import make_held
from tests.payments.virtual_accounts.virtual_account_setup import make_account, make_receiver
from tests.tenants import Tenant

REVIEWS = "/dashboard/reviews"
PAYMENTS, DEPOSITS, LINES = (
    f"{REVIEWS}/transfers",
    f"{REVIEWS}/deposits",
    f"{REVIEWS}/bank-lines",
)
# Sent by browsers if no file was chosen.
NO_FILE = {"file": ("", b"", "application/octet-stream")}
PDF = b"%PDF-1.4\n%" + b"x" * 12_000 + b"\n%%EOF"


async def make_reviewable_onramp(org: Tenant) -> str:
    """Create an onramp that can be reviewed, and return its ID."""
    user = await make_payer(org, firstName="Ada")
    return str((await make_onramp(org, user))["id"])


async def test_index_counts_waiting_reviews(org: Tenant) -> None:
    await make_held(org)
    await make_held(org, "5")
    await make_bank_line(org)
    admin = await visit(org)
    page = await admin.load(REVIEWS)
    rows = {
        " ".join(each.xpath("string(./th)").split()): each.xpath("string(./td[1])").strip()
        for each in page.tree.xpath("//tbody/tr")
    }
    assert rows == {
        "Verifications": "0",
        "Bank accounts": "0",
        "Requests for information": "0",
        "Unmatched deposits": "2",
        "Held deposits": "0",
        "Held payments": "0",
        "Bank statement lines": "1",
        "Receivables": "0",
        "Stuck payment resolutions": "0",
    }
    for role in (MemberRole.MEMBER, MemberRole.ANALYST):
        other = await visit(org, role)
        assert "Unmatched deposits" in (await other.load(REVIEWS)).text


async def test_information_request_is_opened_answered_and_closed(org: Tenant) -> None:
    payment, admin = await make_reviewable_onramp(org), await visit(org, name="Grace Admin")
    assert "You're all caught up" in (await admin.load(PAYMENTS)).text
    page = await admin.load(f"{PAYMENTS}/{payment}")
    assert "No questions about this payment" in page.text
    assert "Ada Approval" in page.text
    await admin.submit(f"{PAYMENTS}/{payment}", {"do": "ask", "question": "Why <b>so</b> 100 %?"})
    analyst = await visit(org, MemberRole.ANALYST)
    shown = await analyst.load(f"{PAYMENTS}/{payment}")
    assert "Why <b>so</b> 100 %?" in shown.text
    assert "Grace Admin" in shown.text
    assert 'title="IN_REVIEW"' in shown.response.text
    assert not shown.tree.xpath("//textarea")
    assert "Why <b>so</b> 100 %?" in (await analyst.load(PAYMENTS)).text
    # The one who may answer begins to type at once.
    asked = await admin.load(f"{PAYMENTS}/{payment}")
    assert asked.tree.xpath("//*[@autofocus]/@name") == ["answer"]
    twice = await admin.send(f"{PAYMENTS}/{payment}", {"do": "ask", "question": "Again?"})
    assert twice.status == 409
    answer = {"do": "answer", "answer": "Rent\nof May"}
    await admin.submit(f"{PAYMENTS}/{payment}/answer", answer, files=NO_FILE)
    assert "of May" in (await admin.load(f"{PAYMENTS}/{payment}")).text
    assert 'title="ANSWERED"' in (await admin.load(PAYMENTS, show="answered")).response.text
    await admin.submit(f"{PAYMENTS}/{payment}", {"do": "close", "comment": "It is plausible."})
    after = await admin.load(f"{PAYMENTS}/{payment}")
    assert 'title="CLOSED"' in after.response.text
    assert "It is plausible." in after.text
    assert "Request information" in after.text
    assert 'title="CLOSED"' in (await admin.load(PAYMENTS, show="closed")).response.text


async def test_answer_keeps_files_uploaded_one_by_one(org: Tenant) -> None:
    payment, admin = await make_reviewable_onramp(org), await visit(org)
    await admin.submit(f"{PAYMENTS}/{payment}", {"do": "ask", "question": "Why?"})
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
    await admin.submit(path, fields, files={"file": ("second.pdf", PDF, "application/pdf")})
    page = await admin.load(f"{PAYMENTS}/{payment}")
    assert len([each for each in page.links() if each.startswith("/dashboard/files/")]) == 2
    review = await org.get(f"/v2/reviews/transfers/{payment}")
    assert len(review["rfi"]["fileIds"]) == 2


async def test_invalid_question_is_shown_again_with_its_error(org: Tenant) -> None:
    payment, admin = await make_reviewable_onramp(org), await visit(org)
    path = f"{PAYMENTS}/{payment}"
    empty = await admin.send(path, {"do": "ask", "question": " "})
    assert empty.status == 422
    assert empty.tree.xpath("//textarea/@aria-invalid") == ["true"]
    assert (await admin.send(path, {"do": "close", "comment": "kept"})).status == 409
    none = await admin.send(f"{path}/answer", {"do": "answer", "answer": "kept"}, files=NO_FILE)
    assert none.status in {409, 422}
    await admin.submit(path, {"do": "ask", "question": "Why?"})
    blank = await admin.send(f"{path}/answer", {"do": "answer", "answer": ""}, files=NO_FILE)
    assert blank.status == 422
    unknown = {"do": "answer", "answer": "kept", "fileId": f"file_{uuid4().hex}"}
    page = await admin.send(f"{path}/answer", unknown, files=NO_FILE)
    assert page.status in {404, 422}
    assert page.tree.xpath("string(//textarea[@name='answer'])") == "kept"


async def test_deposit_is_matched_to_a_payment(org: Tenant) -> None:
    user = await make_payer(org)
    payment = str((await make_onramp(org, user))["id"])
    deposit, admin = await make_held(org), await visit(org)
    page = await admin.load(DEPOSITS)
    assert "Ada Approval" in page.text
    assert "100.00 USD" in page.text
    path = f"{DEPOSITS}/{deposit.id}"
    fields = {"do": "match", "with": "transfer", "pays": "nonsense", "comment": "They called."}
    wrong = await admin.send(path, fields)
    assert wrong.status == 422
    assert wrong.value("pays") == "nonsense"
    unknown = await admin.send(path, {**fields, "pays": str(new_id())})
    assert unknown.status == 404
    uncommented = await admin.send(path, {**fields, "pays": payment, "comment": ""})
    assert uncommented.status == 422
    await admin.submit(path, {**fields, "pays": payment})
    after = await admin.load(path)
    assert 'title="MATCHED"' in after.response.text
    assert "They called." in after.text
    assert f"/dashboard/transactions/{payment}" in after.links()
    assert not after.tree.xpath("//textarea")
    late = await admin.send(path, {"do": "return", "returnComment": "too late"})
    assert late.status == 409


async def test_deposit_is_matched_to_a_virtual_account(org: Tenant) -> None:
    user = await make_receiver(org)
    account = await make_account(org, user)
    deposit, admin = await make_held(org), await visit(org)
    fields = {"do": "match", "with": "account", "pays": account["id"], "comment": "Wrong number."}
    await admin.submit(f"{DEPOSITS}/{deposit.id}", fields)
    assert 'title="MATCHED"' in (await admin.load(f"{DEPOSITS}/{deposit.id}")).response.text
    now = org.container.clock.now()
    await org.container.database.transact(lambda tx: forget(tx, org.org_id, UUID(user), now))
    erased = await admin.load(f"{DEPOSITS}/{deposit.id}")
    assert "Ada Approval" not in erased.text
    assert erased.title.startswith("Deposit")


async def test_deposit_is_returned(org: Tenant) -> None:
    deposit, admin = await make_held(org), await visit(org)
    path = f"{DEPOSITS}/{deposit.id}"
    blank = await admin.send(path, {"do": "return", "returnComment": ""})
    assert blank.status == 422
    assert "Nobody knows" not in blank.text
    await admin.submit(path, {"do": "return", "returnComment": "Nobody knows whose it is."})
    after = await admin.load(path)
    assert 'title="RETURNING"' in after.response.text
    assert "Nobody knows whose it is." in after.text
    assert "You're all caught up" in (await admin.load(DEPOSITS)).text


async def test_statement_line_is_resolved(org: Tenant) -> None:
    line, admin = await make_bank_line(org), await visit(org)
    page = await admin.load(LINES)
    assert "The file is neither" in page.text
    path = f"{LINES}/{line}"
    assert "bad" in (await admin.load(path)).text
    fields = {"resolution": "HANDLED", "comment": "Asked the <bank>."}
    blank = await admin.send(path, {**fields, "comment": ""})
    assert blank.status == 422
    assert blank.tree.xpath("//option[@selected]/@value") == ["HANDLED"]
    unknown = await admin.send(path, {**fields, "resolution": "BURN"})
    assert unknown.status == 422
    refused = await admin.send(path, {**fields, "resolution": "DEPOSIT"})
    assert refused.status == 409
    await admin.submit(path, fields)
    after = await admin.load(path)
    assert 'title="RESOLVED"' in after.response.text
    assert "Asked the <bank>." in after.text
    assert "You're all caught up" in (await admin.load(LINES)).text
    assert 'title="RESOLVED"' in (await admin.load(LINES, show="resolved")).response.text
    for shown in ("matched", "new"):
        assert "No lines have this status." in (await admin.load(LINES, show=shown)).text
    clock, reviews = org.container.clock, org.container.statement_line_reviews
    await reviews.sweep({org.org_id: clock.now(timedelta(days=91))})
    assert "The statement data is no longer stored." in (await admin.load(path)).text


async def test_an_unmatched_deposit_leads_to_the_onramps_that_await_its_amount(
    org: Tenant,
) -> None:
    payer = await make_payer(org)
    awaited, _other = [await make_onramp(org, payer, each) for each in (1000.5, 100)]
    path = f"{DEPOSITS}/{(await make_held(org, '1000.5')).id}"
    for language in ("en", "es"):
        admin = await visit(org, language=language)
        (link,) = [each for each in (await admin.load(path)).links() if "AWAITING_FUNDS" in each]
        rows = (await admin.load(link)).tree.xpath("//tbody//th//a/@href")
        assert rows == [f"/dashboard/transactions/{awaited['id']}"]


async def test_members_see_reviews_and_only_admins_decide(org: Tenant) -> None:
    payment, deposit, line = (
        await make_reviewable_onramp(org),
        await make_held(org),
        await make_bank_line(org),
    )
    forms = {
        f"{PAYMENTS}/{payment}": {"do": "ask", "question": "Why?"},
        f"{DEPOSITS}/{deposit.id}": {"do": "return", "returnComment": "No."},
        f"{LINES}/{line}": {"resolution": "HANDLED", "comment": "No."},
    }
    for role in (MemberRole.MEMBER, MemberRole.ANALYST):
        visitor = await visit(org, role)
        for path in (PAYMENTS, DEPOSITS, LINES):
            await visitor.load(path)
        for path, fields in forms.items():
            page = await visitor.load(path)
            assert not page.tree.xpath("//main//textarea")
            assert (await visitor.send(path, fields)).status == 403
        submitted = {"answer": "No."}
        response = await visitor.send(f"{PAYMENTS}/{payment}/answer", submitted, files=NO_FILE)
        assert response.status == 403
    assert (await org.get(f"/v2/reviews/transfers/{payment}"))["rfis"] == []
    assert (await org.get(f"/v2/reviews/deposits/{deposit.id}"))["status"] == "UNMATCHED"
    assert (await org.get(f"/v2/reviews/bank-lines/{line}"))["status"] == "UNMATCHED"


async def test_reviews_of_other_organisations_are_not_found(org: Tenant, other_org: Tenant) -> None:
    payment, deposit, line = (
        await make_reviewable_onramp(org),
        await make_held(org),
        await make_bank_line(org),
    )
    outsider = await visit(other_org)
    for path in (f"{PAYMENTS}/{payment}", f"{DEPOSITS}/{deposit.id}", f"{LINES}/{line}"):
        assert (await outsider.open(path)).status == 404
        assert (await outsider.send(path, {"question": "Why?", "comment": "x"})).status in {
            404,
            422,
        }
    for path in (PAYMENTS, DEPOSITS, LINES):
        assert (await outsider.open(f"{path}/nonsense")).status == 404
        assert "You're all caught up" in (await outsider.load(path)).text
        assert (await outsider.open(path, cursor="nonsense")).status == 422


async def test_long_queues_are_paged(org: Tenant) -> None:
    for _ in range(26):
        await make_held(org)
    admin = await visit(org)
    first = await admin.load(DEPOSITS)
    (older,) = first.tree.xpath('//a[@rel="next"]/@href')
    second = await admin.load(older)
    on = [
        {each for each in page.links() if each.startswith(f"{DEPOSITS}/")}
        for page in (first, second)
    ]
    assert [len(each) for each in on] == [25, 1]
    assert not on[0] & on[1]
    assert "Newest" in second.text
