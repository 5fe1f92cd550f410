"""A listed bank account is recognised, whoever registers it and in whatever form."""

import asyncio
from typing import Any

from landbridge.customers.kyc.model import Rail
from landbridge.payments.limits.document import encoded as stored_rules
from landbridge.payments.limits.service import Limits
from tests.customers.bank_accounts.bodies import having, whole, without
from tests.payments.limits.limit_setup import rule, rules_of, set_rules
from tests.payouts import (
    OFFRAMPS,
    accept,
    make_account,
    make_offramp,
    make_payee,
    offramp_body,
    way,
)
from tests.tenants import Tenant, refusal
from tests.waiting import holding, waiting

OVER = "403 LIMIT_EXCEEDED"
BODY = without(whole(way("us", "ach")), "us.swiftCode")


async def register(org: Tenant, user: str, body: dict[str, Any] = BODY, **bank: Any) -> str:
    """Register a bank account with these members of the bank object; return its id."""
    for name, value in bank.items():
        body = having(body, f"us.{name}", value)
    return str((await org.post(f"/v2/users/{user}/accounts", body))["id"])


async def request_payout(org: Tenant, user: str, account: str) -> str:
    """Request a payout to an account; return its refusal or status."""
    answer = await org.send("POST", OFFRAMPS, offramp_body(user, account, 10))
    return refusal(answer) if answer.is_error else str(answer.json()["transferDetails"]["status"])


async def hashes(org: Tenant) -> dict[str, Any]:
    """Return the stored hashes by account id."""
    rows = await org.container.database.rows(
        "select id, coordinate_hashes from bank_accounts where org_id = $1", org.org_id
    )
    return {str(row["id"]): row["coordinate_hashes"] for row in rows}


async def erase(org: Tenant, user: str) -> None:
    """Erase a user."""
    await org.post(f"/v2/users/{user}/freeze", {})
    answer = await org.send("DELETE", f"/v2/users/{user}/personal-data")
    assert answer.status_code == 200, answer.text


async def test_a_blocked_account_is_blocked_under_any_id_user_and_spelling(org: Tenant) -> None:
    ada, bob = await make_payee(org), await make_payee(org)
    blocked = await register(org, ada)
    await set_rules(org, block={"destinations": [blocked]})
    number = BODY["us"]["accountNumber"]
    twins = [
        await register(org, ada),
        await register(org, bob),
        await register(
            org, bob, routingNumber="0210 0002-1", accountNumber=f" {number[:5]}-{number[5:]}"
        ),
        await register(org, bob, accountNumber=number.lstrip("0"), transferType="wire"),
    ]
    assert [
        await request_payout(org, bob if each in twins[1:] else ada, each) for each in twins
    ] == [OVER] * 4
    assert await request_payout(org, ada, blocked) == OVER


async def test_other_accounts_are_not_blocked(org: Tenant) -> None:
    ada = await make_payee(org)
    await set_rules(org, block={"destinations": [await register(org, ada)]})
    others = [
        await register(org, ada, accountNumber="000123456780"),
        await register(org, ada, routingNumber="011401533"),
    ]
    assert [await request_payout(org, ada, each) for each in others] == ["OPEN_QUOTE"] * 2


async def test_account_blocked_after_its_quote_is_not_paid(org: Tenant) -> None:
    ada, bob = await make_payee(org), await make_payee(org)
    offramp = await make_offramp(org, bob, await register(org, bob))
    await set_rules(org, block={"destinations": [await register(org, ada)]})
    answer = await org.send("POST", f"{OFFRAMPS}/{offramp['id']}/quote/accept")
    assert refusal(answer) == OVER
    await set_rules(org)
    await accept(org, offramp)


async def test_an_allowed_account_is_allowed_under_any_id(org: Tenant) -> None:
    ada, bob = await make_payee(org), await make_payee(org)
    await set_rules(org, allow={"destinations": [await register(org, ada)]})
    assert await request_payout(org, bob, await register(org, bob)) == "OPEN_QUOTE"
    # The details that block an account are not sufficient to allow one.
    number = BODY["us"]["accountNumber"].lstrip("0")
    assert await request_payout(org, bob, await register(org, bob, accountNumber=number)) == OVER
    # The routing number is listed, but not the receiving bank.
    elsewhere = having(whole(way("us", "swift")), "us.routingNumber", BODY["us"]["routingNumber"])
    assert await request_payout(org, bob, await register(org, bob, elsewhere)) == OVER


async def test_the_key_of_pix_is_blocked_across_types(org: Tenant) -> None:
    rails = (Rail.SOUTH_AMERICA_STANDARD, Rail.GLOBAL_NETWORK)
    ada, bob = await make_payee(org, *rails), await make_payee(org, *rails)
    blocked = await make_account(org, ada, way("brazil"))
    await set_rules(org, block={"destinations": [blocked]})
    twin = await make_account(org, bob, way("brazilGlobalNetwork"))
    other = having(whole(way("brazil")), "brazil.pixKey", "ada@example.com")
    free = str((await org.post(f"/v2/users/{bob}/accounts", other))["id"])
    answers = [
        await org.send(
            "POST",
            OFFRAMPS,
            offramp_body(bob, each, 10, destination={"currency": "brl"}),
        )
        for each in (twin, free)
    ]
    assert refusal(answers[0]) == OVER
    assert answers[1].status_code == 200, answers[1].text


async def test_organisations_share_no_hashes_and_no_lists(org: Tenant, other_org: Tenant) -> None:
    ada, bob = await make_payee(org), await make_payee(other_org)
    ours, theirs = await register(org, ada), await register(other_org, bob)
    found = (await hashes(org))[ours], (await hashes(other_org))[theirs]
    assert all(found)
    assert not set(found[0]) & set(found[1])
    # Neither our list nor one of our ids on their list matches their account.
    await set_rules(org, block={"destinations": [ours]})
    await set_rules(other_org, block={"destinations": [ours]})
    assert await request_payout(other_org, bob, theirs) == "OPEN_QUOTE"
    assert await request_payout(org, ada, ours) == OVER


async def test_accounts_without_stored_hashes_are_compared_all_the_same(org: Tenant) -> None:
    ada, bob = await make_payee(org), await make_payee(org)
    blocked, twin = await register(org, ada), await register(org, bob)
    await org.container.database.rows(
        "update bank_accounts set coordinate_hashes = null where org_id = $1", org.org_id
    )
    await set_rules(org, block={"destinations": [blocked]})
    assert await request_payout(org, bob, twin) == OVER
    # A payment writes no hashes; the account's next change does.
    assert set((await hashes(org)).values()) == {None}
    await org.send("DELETE", f"/v2/users/{ada}/accounts/{blocked}")
    encoded = await hashes(org)
    assert encoded[blocked]
    assert encoded[twin] is None
    assert await request_payout(org, bob, twin) == OVER


async def test_simulation_applies_blocked_accounts(org: Tenant) -> None:
    ada, bob = await make_payee(org), await make_payee(org)
    blocked, twin = await register(org, ada), await register(org, bob)
    other = await register(org, bob, accountNumber="000123456780")
    for each in (twin, other):
        await accept(org, await make_offramp(org, bob, each, 10))
    body = {"limits": {"block": {"destinations": [blocked]}}}
    reply = await org.post("/v2/limits/simulate", body)
    assert (reply["count"], reply["limits"]["refused"]) == (2, 1)


async def test_erasure_keeps_the_hashes_of_listed_accounts(org: Tenant) -> None:
    ada, bob = await make_payee(org, funds=None), await make_payee(org)
    blocked = await register(org, ada)
    unlisted = await register(org, ada, accountNumber="000123456780")
    await set_rules(org, block={"destinations": [blocked]})
    await erase(org, ada)
    encoded = await hashes(org)
    assert encoded[blocked]
    assert encoded[unlisted] is None
    twin = await register(org, bob)
    assert await request_payout(org, bob, twin) == OVER
    # The rules as a newly started process reads them.
    limits = Limits(org.container.database, org.container.vault)
    block = (await limits.rules(org.org_id)).rules.block
    assert block is not None
    assert block.hashes == set(encoded[blocked])
    # Off the list, the hashes are deleted; those of users who are not erased remain.
    await set_rules(org, rule())
    encoded = await hashes(org)
    assert encoded[blocked] is None
    assert encoded[twin]


async def test_erasure_waits_for_a_list_update_in_progress(org: Tenant) -> None:
    ada = await make_payee(org, funds=None)
    blocked = await register(org, ada)
    await set_rules(org, rule())
    await org.post(f"/v2/users/{ada}/freeze", {})
    document = stored_rules(rules_of(org, block={"destinations": [blocked]}))
    database = org.container.database
    statement = "update limit_rules set document = $2, version = version + 1 where org_id = $1"
    async with holding(database, statement, org.org_id, document):
        erasing = asyncio.create_task(org.send("DELETE", f"/v2/users/{ada}/personal-data"))
        await waiting(database, 1)
    assert (await erasing).status_code == 200
    assert (await hashes(org))[blocked]
