"""Frozen users may read, but neither move funds nor open anything."""

import asyncio
from typing import Any

import pytest

from tests.tenants import SWAPS, Tenant, held, make_swap, make_user, refusal, sentence, swap_body

USERS = "/v2/users"
FROZEN = "403 USER_FROZEN"
OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


async def _freeze(org: Tenant, user: str, **body: Any) -> dict[str, Any]:
    return await org.post(f"{USERS}/{user}/freeze", body)


async def test_freezing_shows_time_and_reason_and_is_idempotent(org: Tenant) -> None:
    user = await make_user(org)
    nothing = {"userId": user, "frozen": False, "frozenAt": None, "reason": None}
    assert await org.get(f"{USERS}/{user}/freeze") == nothing
    frozen = await _freeze(org, user, reason=" Court order 7 ")
    assert frozen == {
        "userId": user,
        "frozen": True,
        "frozenAt": frozen["frozenAt"],
        "reason": "Court order 7",
    }
    assert await _freeze(org, user, reason="another") == frozen
    assert await org.get(f"{USERS}/{user}/freeze") == frozen
    for _ in range(2):
        assert await org.post(f"{USERS}/{user}/unfreeze") == nothing


@pytest.mark.parametrize("reason", ["", " ", "x" * 201, "a\nb", 1])
async def test_a_reason_is_one_short_line(org: Tenant, reason: Any) -> None:
    user = await make_user(org)
    answer = await org.send("POST", f"{USERS}/{user}/freeze", {"reason": reason})
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert "reason" in sentence(answer)


async def test_a_frozen_user_opens_and_accepts_nothing(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    quote = await make_swap(org, user, "1")
    await _freeze(org, user)
    external = {"address": OUTSIDE, "chain": "POLYGON", "name": "a", "referenceId": "b"}
    for path, body in (
        (SWAPS, swap_body(user, "1")),
        (f"{SWAPS}/{quote['id']}/accept", None),
        (f"{USERS}/{user}/wallets/add", {"chains": ["BASE"]}),
        (f"{USERS}/{user}/wallets/external", external),
    ):
        assert await org.refused("POST", path, body) == FROZEN, path
    assert await held(org, user) == "10"
    await org.post(f"{USERS}/{user}/unfreeze")
    await org.post(f"{SWAPS}/{quote['id']}/accept")
    assert await held(org, user) == "9"


async def test_nothing_is_sent_to_a_frozen_user(org: Tenant) -> None:
    user, other = await make_user(org, funds="10"), await make_user(org)
    wallets = (await org.get(f"{USERS}/{other}"))["wallets"]["INDIVIDUAL"]
    ends = [{"userId": other}, {"walletAddress": wallets["POLYGON"]["address"]}]
    quotes = [
        (await org.post(SWAPS, swap_body(user, "1", destination=end)))["transferDetails"]["id"]
        for end in ends
    ]
    await _freeze(org, other)
    for quote, end in zip(quotes, ends, strict=True):
        assert await org.refused("POST", SWAPS, swap_body(user, "1", destination=end)) == FROZEN
        assert await org.refused("POST", f"{SWAPS}/{quote}/accept") == FROZEN
    assert await held(org, user) == "10"


async def test_a_frozen_user_may_read_and_be_corrected(org: Tenant) -> None:
    user = await make_user(org, funds="10")
    done = await make_swap(org, user, "1")
    await org.post(f"{SWAPS}/{done['id']}/accept")
    await _freeze(org, user)
    assert await held(org, user) == "9"
    # Payments accepted before are returned as before.
    accepted = await org.post(f"{SWAPS}/{done['id']}/accept")
    assert accepted["transferDetails"]["status"] == "COMPLETED"
    await org.get(f"{USERS}/{user}/wallets/external")
    await org.post(f"{USERS}/{user}", {"firstName": "Bea"})
    assert (await org.get(f"{USERS}/{user}"))["name"] == "Bea Example"
    assert (await org.get(f"{USERS}/{user}/freeze"))["frozen"] is True


async def test_thirty_updates_at_once_all_happen(org: Tenant) -> None:
    user = await make_user(org)
    answers = await asyncio.gather(
        *(org.send("POST", f"{USERS}/{user}", {"firstName": f"Ada{each}"}) for each in range(30))
    )
    assert {answer.status_code for answer in answers} == {200}
    rows = await org.container.database.rows(
        "select seq, change_type from changes where org_id = $1 and object_id = $2::uuid"
        " order by seq",
        *(org.org_id, user),
    )
    assert [row["seq"] for row in rows] == list(range(1, 32))
    last = (await org.get(f"{USERS}/{user}"))["name"]
    assert last in {answer.json()["name"] for answer in answers}


async def test_a_freeze_and_an_update_at_once_both_hold(org: Tenant) -> None:
    user = await make_user(org)
    await asyncio.gather(
        *(org.send("POST", f"{USERS}/{user}", {"firstName": "Bea"}) for _ in range(5)),
        _freeze(org, user, reason="r"),
    )
    assert (await org.get(f"{USERS}/{user}"))["name"] == "Bea Example"
    assert (await org.get(f"{USERS}/{user}/freeze"))["reason"] == "r"
