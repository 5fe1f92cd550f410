import asyncio
import re
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.payments.virtual_accounts.model import KIND
from tests.payments.virtual_accounts.virtual_account_setup import (
    OUTSIDE,
    account_body,
    apply,
    at,
    make_account,
    make_receiver,
    make_rule,
)
from tests.tenants import Tenant, make_user, refusal, sentence
from tests.waiting import holding


async def make_external(org: Tenant, user: str, chain: str = "BASE") -> str:
    body = {"address": OUTSIDE, "chain": chain, "name": "a", "referenceId": "b"}
    created = await org.post(f"/v2/users/{user}/wallets/external", body)
    return str(created["id"])


async def test_an_account_is_created_retrieved_and_listed(org: Tenant) -> None:
    user = await make_receiver(org)
    created = await org.post(at(user), account_body())
    info = created["accountInfo"]
    wallets = (await org.get(f"/v2/users/{user}"))["wallets"]["INDIVIDUAL"]
    assert created["message"] == "The virtual account was created."
    assert info["userId"] == user
    assert info["status"] == "activated"
    assert info["source"] == {"paymentRail": ["ach", "wire", "rtp"], "currency": "usd"}
    assert info["destination"] == {
        "chain": "POLYGON",
        "currency": "usdc",
        "walletAddress": wallets["POLYGON"]["address"],
        "externalWalletId": None,
    }
    assert info["settlementRuleId"] is None
    assert info["createdAt"] == info["updatedAt"]
    instructions = info["depositInstructions"]
    assert instructions["beneficiary"]["name"] == "Ada Approval"
    assert instructions["ach"] == instructions["wire"] == instructions["rtp"]
    assert "Ada Approval" in instructions["instruction"]
    assert "microDeposits" not in info
    one = await org.get(at(user, info["id"]))
    assert one == {**info, "microDeposits": {"count": 0, "data": []}}
    listed = await org.get(at(user))
    assert listed == {"count": 1, "data": [info], "nextCursor": info["createdAt"]}


async def test_each_call_opens_another_account(org: Tenant) -> None:
    user = await make_receiver(org)
    one, other = await make_account(org, user), await make_account(org, user)
    assert one["id"] != other["id"]
    numbers = {each["depositInstructions"]["ach"]["accountNumber"] for each in (one, other)}
    assert len(numbers) == 2


async def test_external_wallet_names_the_chain(org: Tenant) -> None:
    user = await make_receiver(org)
    external = await make_external(org, user)
    info = await make_account(org, user, chain=None, externalWalletId=external)
    assert info["destination"] == {
        "chain": "BASE",
        "currency": "usdc",
        "walletAddress": OUTSIDE,
        "externalWalletId": external,
    }


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"sourceCurrency": "eur"}, "sourceCurrency"),
        ({"sourceCurrency": None}, "sourceCurrency"),
        ({"destinationCurrency": "usdg"}, "destinationCurrency"),
        ({"destinationCurrency": None}, "destinationCurrency"),
        ({"chain": "TRON"}, "destinationChain"),
        ({"chain": None}, "destinationChain"),
        ({"externalWalletId": "00000000-0000-0000-0000-000000000001"}, "destinationChain"),
        ({"chain": None, "externalWalletId": "nonsense"}, "externalWalletId"),
    ],
)
async def test_invalid_field_is_named(org: Tenant, changes: dict[str, Any], field: str) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    for path in (at(user), at(user, account, "update")):
        answer = await org.send("POST", path, account_body(**changes))
        assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
        assert field in sentence(answer)


async def test_usdt_goes_to_ethereum_only(org: Tenant) -> None:
    user = await make_receiver(org)
    info = await make_account(org, user, chain="ETHEREUM", destinationCurrency="usdt")
    assert info["destination"]["currency"] == "usdt"
    body = account_body(destinationCurrency="usdt")
    assert await org.refused("POST", at(user), body) == "400 INVALID_TRANSACTION_ROUTE"


async def test_the_wallet_must_be_there_and_the_users(org: Tenant) -> None:
    user, other = await make_receiver(org), await make_receiver(org)
    theirs = await make_external(org, other)
    for body in (
        account_body("SOLANA"),
        account_body(None, externalWalletId=theirs),
        account_body(None, externalWalletId=str(uuid4())),
    ):
        assert await org.refused("POST", at(user), body) == "404 WALLET_NOT_FOUND"


async def test_the_user_must_be_verified_and_not_frozen(org: Tenant) -> None:
    outsider = await make_user(org)
    refused = "403 USER_COMPLIANCE_VERIFICATION_FAILED"
    assert await org.refused("POST", at(outsider), account_body()) == refused
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    await org.post(f"/v2/users/{user}/freeze", {})
    for path in (at(user), at(user, account, "update")):
        assert await org.refused("POST", path, account_body()) == "403 USER_FROZEN"
    # Restrictions are still possible, grants are not.
    info = (await org.post(at(user, account, "deactivate")))["accountInfo"]
    assert info["status"] == "deactivated"
    assert await org.refused("POST", at(user, account, "reactivate")) == "403 USER_FROZEN"


async def test_unknown_account_and_account_of_another_user_look_alike(org: Tenant) -> None:
    user, other = await make_receiver(org), await make_receiver(org)
    account = (await make_account(org, user))["id"]
    rule = (await make_rule(org))["id"]
    for someone, account_id in ((other, account), (user, str(uuid4())), (user, "nonsense")):
        for method, verb, body in (
            ("GET", None, None),
            ("POST", "update", account_body()),
            ("POST", "deactivate", None),
            ("POST", "reactivate", None),
            ("POST", f"settlement-rules/{rule}", None),
            ("DELETE", "settlement-rules", None),
        ):
            found = await org.refused(method, at(someone, account_id, verb), body)
            assert found == "404 ACCOUNT_NOT_FOUND", (verb, account_id)
    assert await org.refused("GET", at(str(uuid4()))) == "404 USER_NOT_FOUND"
    assert await org.refused("POST", at(str(uuid4())), account_body()) == "404 USER_NOT_FOUND"


async def test_update_keeps_the_number_and_changes_the_destination(org: Tenant) -> None:
    user = await make_receiver(org)
    before = await make_account(org, user)
    body = account_body("ETHEREUM", destinationCurrency="usdt")
    answer = await org.post(at(user, before["id"], "update"), body)
    after = answer["accountInfo"]
    assert answer["message"] == "The virtual account was updated."
    assert after["destination"]["chain"] == "ETHEREUM"
    assert after["destination"]["currency"] == "usdt"
    numbers = [each["depositInstructions"]["ach"] for each in (before, after)]
    assert numbers[0] == numbers[1]
    assert after["createdAt"] == before["createdAt"]
    assert after["updatedAt"] > before["updatedAt"]
    again = (await org.post(at(user, before["id"], "update"), body))["accountInfo"]
    assert again == after


async def test_rule_keeps_the_account_on_its_chain(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    rule = (await make_rule(org))["id"]
    await apply(org, user, account, rule)
    assert (await org.get(at(user, account)))["settlementRuleId"] == rule
    path = at(user, account, "update")
    assert await org.refused("POST", path, account_body("ETHEREUM")) == "409 RESOURCE_CONFLICT"
    # The same chain is no conflict.
    await org.post(path, account_body())
    removed = await org.send("DELETE", at(user, account, "settlement-rules"))
    assert removed.status_code == 200
    assert set(removed.json()) == {"message"}
    moved = (await org.post(path, account_body("ETHEREUM")))["accountInfo"]
    assert moved["settlementRuleId"] is None
    wrong = at(user, account, f"settlement-rules/{rule}")
    assert await org.refused("POST", wrong) == "409 RESOURCE_CONFLICT"


async def test_repeated_deactivation_and_reactivation_change_nothing(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    for verb, status in (("deactivate", "deactivated"), ("reactivate", "activated")):
        first = await org.post(at(user, account, verb))
        assert first["accountInfo"]["status"] == status
        assert first["message"] == f"The virtual account was {verb}d."
        assert await org.post(at(user, account, verb)) == first
    assert await _list_changes(org, account) == ["create", "update", "update"]


async def _list_changes(org: Tenant, account: str) -> list[str]:
    rows = await org.container.database.rows(
        "select seq, change_type, kind, facts::text as facts from changes"
        " where org_id = $1 and object_id = $2 order by seq",
        org.org_id,
        UUID(account),
    )
    assert [row["seq"] for row in rows] == list(range(1, len(rows) + 1))
    assert {row["kind"] for row in rows} == {KIND}
    assert not any(re.search(r"\bAda\b", row["facts"]) for row in rows)
    return [row["change_type"] for row in rows]


async def test_lists_are_narrowed_and_paged(org: Tenant) -> None:
    user = await make_receiver(org)
    polygon = [(await make_account(org, user))["id"] for _ in range(3)]
    tether = (await make_account(org, user, chain="ETHEREUM", destinationCurrency="usdt"))["id"]
    newest_first = [tether, *polygon[::-1]]
    ids: list[str] = []
    cursor: dict[str, str] = {}
    while page := (found := await org.get(at(user), limit=2, **cursor))["data"]:
        assert found["count"] == len(page)
        assert found["nextCursor"] == page[-1]["createdAt"]
        ids += [each["id"] for each in page]
        cursor = {"createdBefore": found["nextCursor"]}
    assert found == {"count": 0, "data": []}
    assert ids == newest_first
    for query, expected in (
        ({"destinationCurrency": "usdt"}, [tether]),
        ({"destinationChain": "POLYGON"}, polygon[::-1]),
        ({"destinationChain": "BASE"}, []),
        ({"sourceCurrency": "usd"}, newest_first),
    ):
        assert [each["id"] for each in (await org.get(at(user), **query))["data"]] == expected
    for query in ({"sourceCurrency": "eur"}, {"destinationChain": "x"}, {"limit": "0"}):
        assert await org.refused("GET", at(user), **query) == "400 FIELD_VALIDATION_ERROR"


async def test_erasing_the_user_deactivates_the_accounts(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    await org.post(f"/v2/users/{user}/freeze", {})
    erased = await org.send("DELETE", f"/v2/users/{user}/personal-data")
    assert erased.status_code == 200, erased.text
    info = await org.get(at(user, account))
    assert info["status"] == "deactivated"
    assert info["depositInstructions"]["beneficiary"]["name"] == ""
    # As a whole word: an address may contain it.
    assert not re.search(r"\bAda\b", str(info))
    assert await org.refused("POST", at(user, account, "reactivate")) == "403 USER_FROZEN"
    # Applying or removing a rule does not reactivate the account.
    await org.send("DELETE", at(user, account, "settlement-rules"))
    assert await _list_changes(org, account) == ["create", "update"]


async def test_concurrent_creation_and_erasure_leave_no_active_account(org: Tenant) -> None:
    user = await make_receiver(org)
    await make_account(org, user)
    await org.post(f"/v2/users/{user}/freeze", {})
    account = (await org.get(at(user)))["data"][0]["id"]
    await org.post(at(user, account, "deactivate"))
    await org.post(f"/v2/users/{user}/unfreeze", {})
    reactivated, _, erased = await asyncio.gather(
        org.send("POST", at(user, account, "reactivate")),
        org.send("POST", f"/v2/users/{user}/freeze", {}),
        org.send("DELETE", f"/v2/users/{user}/personal-data"),
    )
    if erased.status_code != 200:
        erased = await org.send("DELETE", f"/v2/users/{user}/personal-data")
    assert erased.status_code == 200, (reactivated.text, erased.text)
    assert (await org.get(at(user, account)))["status"] == "deactivated"


async def test_erasure_waits_for_a_reactivation_in_progress(org: Tenant) -> None:
    user = await make_receiver(org)
    account = (await make_account(org, user))["id"]
    await org.post(at(user, account, "deactivate"))
    await org.post(f"/v2/users/{user}/freeze", {})
    wake = "update virtual_accounts set status = 'activated' where org_id = $1 and id = $2"
    async with holding(org.container.database, wake, org.org_id, UUID(account)):
        erasing = asyncio.create_task(org.send("DELETE", f"/v2/users/{user}/personal-data"))
        await asyncio.wait([erasing], timeout=0.5)
    assert (await erasing).status_code == 200
    assert (await org.get(at(user, account)))["status"] == "deactivated"
