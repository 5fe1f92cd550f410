"""Replays, lookups and lists of transfers."""

from uuid import UUID, uuid4

from tests.tenants import (
    BATCHES,
    TRANSFERS,
    Tenant,
    held,
    make_batch,
    make_transfer,
    make_user,
    refusal,
    run_due,
    sentence,
    transfer_body,
)


async def test_repeated_request_returns_the_transfer_at_any_status(
    org: Tenant,
) -> None:
    ada, bob = await make_user(org, funds="1"), await make_user(org)
    body = transfer_body(ada, bob, 1)
    first = await org.post(TRANSFERS, body)
    assert await org.post(TRANSFERS, {**body, "unknown": 1}) == first
    assert await org.post(TRANSFERS, {**body, "amount": "1.00"}) == first
    await run_due(org)
    await org.container.users.freeze(org.caller, UUID(ada), reason=None)
    again = await org.post(TRANSFERS, body)
    assert again == await org.get(f"{TRANSFERS}/{first['transferDetails']['id']}")
    assert again["transferDetails"]["status"] == "COMPLETED"
    for changes, name in (
        ({"amount": 2}, "amount"),
        ({"currency": "usdt"}, "currency"),
        ({"destination": {"userId": ada}}, "destination.userId"),
        ({"requireApproval": True}, "requireApproval"),
    ):
        answer = await org.send("POST", TRANSFERS, body | changes)
        assert refusal(answer) == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"
        assert name in sentence(answer)
    assert await held(org, bob) == "1"


async def test_request_id_is_unique_across_kinds(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    created = await make_batch(org, ada, {"userId": bob, "amount": "1"})
    body = transfer_body(ada, bob, 1, request_id=created["requestId"])
    assert await org.refused("POST", TRANSFERS, body) == "409 TRANSACTION_REQUEST_ALREADY_EXISTS"


async def test_list_is_newest_first_and_by_sender(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org, funds="10")
    created = [await make_transfer(org, *ends) for ends in ((ada, bob), (bob, ada), (ada, bob))]
    await make_batch(org, ada, {"userId": bob, "amount": "1"})
    page = await org.get(TRANSFERS)
    assert list(page) == ["count", "records", "nextCursor"]
    assert [each["transferDetails"] for each in page["records"]] == created[::-1]
    assert (page["count"], page["nextCursor"]) == (3, created[0]["updatedAt"])
    ours = await org.get(TRANSFERS, userId=ada)
    assert [each["transferDetails"]["id"] for each in ours["records"]] == [
        created[2]["id"],
        created[0]["id"],
    ]
    first = await org.get(TRANSFERS, limit=2)
    rest = await org.get(TRANSFERS, limit=2, createdBefore=first["nextCursor"])
    assert [each["transferDetails"] for each in rest["records"]] == [created[0]]
    none = await org.get(TRANSFERS, createdAfter="2100-01-01")
    assert none == {"count": 0, "records": []}
    assert await org.refused("GET", TRANSFERS, userId="x") == "400 FIELD_VALIDATION_ERROR"


async def test_other_record_is_not_found_as_a_transfer(org: Tenant, other_org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    transfer = await make_transfer(org, ada, bob)
    batch = await make_batch(org, ada, {"userId": bob, "amount": "1"})
    for path in (
        f"{TRANSFERS}/{batch['id']}",
        f"{BATCHES}/{transfer['id']}",
        f"{TRANSFERS}/{uuid4()}",
        f"{TRANSFERS}/nonsense",
    ):
        assert await org.refused("GET", path) == "404 TRANSACTION_NOT_FOUND"
    path = f"{TRANSFERS}/{transfer['id']}"
    assert await other_org.refused("GET", path) == "404 TRANSACTION_NOT_FOUND"


async def test_erased_user_has_no_name(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="1"), await make_user(org)
    created = await make_transfer(org, ada, bob)
    await run_due(org)
    await org.container.users.freeze(org.caller, UUID(ada), reason=None)
    await org.container.users.erase(org.caller, UUID(ada))
    found = (await org.get(f"{TRANSFERS}/{created['id']}"))["transferDetails"]
    assert found["source"]["userId"] == ada
    assert set(found["source"]["user"].values()) <= {"", None}
