"""Notes of the team on payments: added with their author, never changed."""

import asyncio
from uuid import uuid4

import pytest

from landbridge.payments.transactions.notes import NOTES_MAX
from tests.tenants import Tenant, make_swap, make_transfer, make_user, run_due

TRANSACTIONS = "/v2/transactions"


async def _swap(org: Tenant) -> str:
    """Return the path of the notes on a swap."""
    user = await make_user(org, funds="10")
    return f"{TRANSACTIONS}/{(await make_swap(org, user))['id']}/notes"


async def test_notes_are_listed_in_order_with_their_author(org: Tenant) -> None:
    path = await _swap(org)
    assert await org.get(path) == {"count": 0, "notes": []}
    added = [await org.post(path, {"text": text}) for text in (" Called the bank.\r\n", "a\nb")]
    assert [each["text"] for each in added] == ["Called the bank.", "a\nb"]
    found = await org.get(path)
    assert found == {"count": 2, "notes": added}
    assert {each["authorId"] for each in added} == {str(org.caller.id)}


async def test_note_changes_nothing_of_the_payment_and_is_in_the_log_without_its_text(
    org: Tenant,
) -> None:
    path = await _swap(org)
    payment = path.removesuffix("/notes")
    before = await org.get(payment)
    note = await org.post(path, {"text": "secret words"})
    assert await org.get(payment) == before
    (change,) = await org.container.database.rows(
        "select kind, change_type, actor, facts::text as facts from changes"
        " where org_id = $1 and object_id = $2::text::uuid",
        *(org.org_id, note["id"]),
    )
    assert (change["kind"], change["change_type"]) == ("TRANSACTION.NOTE", "create")
    assert change["actor"] == org.caller.actor
    assert payment.rpartition("/")[2] in change["facts"]
    stored = await org.container.database.rows(
        "select n::text as row from transaction_notes n where org_id = $1", org.org_id
    )
    assert "secret" not in change["facts"] + stored[0]["row"]


async def test_erasure_of_the_user_blanks_the_notes(org: Tenant) -> None:
    user, bob = await make_user(org, funds="5"), await make_user(org)
    path = f"{TRANSACTIONS}/{(await make_transfer(org, user, bob, '5'))['id']}/notes"
    await run_due(org)
    await org.post(path, {"text": "Ada moved to Porto."})
    await org.post(f"/v2/users/{user}/freeze", {"reason": "left"})
    assert (await org.send("DELETE", f"/v2/users/{user}/personal-data")).status_code == 200
    (found,) = (await org.get(path))["notes"]
    assert found["text"] is None
    assert await org.refused("POST", path, {"text": "b"}) == "403 USER_FROZEN"
    (row,) = await org.container.database.rows(
        "select sealed_text from transaction_notes where org_id = $1", org.org_id
    )
    assert row["sealed_text"] is None


@pytest.mark.parametrize("text", ["", " \n", "a" * 1001, "a\x00b"])
async def test_invalid_texts_are_refused(org: Tenant, text: str) -> None:
    path = await _swap(org)
    answer = await org.send("POST", path, {"text": text})
    assert answer.status_code == 400
    assert "text" in answer.json()["errorDetails"]
    assert (await org.get(path))["count"] == 0


async def test_a_payment_has_a_bounded_number_of_notes(org: Tenant) -> None:
    path = await _swap(org)
    for _ in range(0, NOTES_MAX - 2, 7):
        await asyncio.gather(*(org.post(path, {"text": "a"}) for _ in range(7)))
    count = (await org.get(path))["count"]
    sent = await asyncio.gather(
        *(org.send("POST", path, {"text": "a"}) for _ in range(NOTES_MAX - count + 3))
    )
    assert sorted(each.status_code for each in sent)[-3:] == [409, 409, 409]
    assert (await org.get(path))["count"] == NOTES_MAX


async def test_another_organisations_payment_has_no_notes(org: Tenant, other_org: Tenant) -> None:
    path = await _swap(org)
    for each in (path, f"{TRANSACTIONS}/{uuid4()}/notes"):
        assert await other_org.refused("GET", each) == "404 TRANSACTION_NOT_FOUND"
        assert await other_org.refused("POST", each, {"text": "a"}) == "404 TRANSACTION_NOT_FOUND"
