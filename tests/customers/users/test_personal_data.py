"""Personal data at rest, and its erasure."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.app.container import Container, policy
from landbridge.customers.users.service import Users
from landbridge.payments.swaps.model import SwapStatus
from landbridge.platform.core.clock import Clock
from landbridge.platform.orgs.clock_nodes import take_node
from tests.tenants import (
    SETTINGS,
    SWAPS,
    Tenant,
    business,
    fund,
    individual,
    make_agreement,
    make_swap,
    make_user,
    refusal,
    sentence,
    swap_body,
)

USERS = "/v2/users"
DOCUMENTATION = Path("docs/concepts/personal-data.md").read_text()
OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
CONFLICT, FROZEN = "409 RESOURCE_CONFLICT", "403 USER_FROZEN"
ADDRESS = {"stateProvinceRegion": "IL", "country": "USA"}

# Every table that a user's data passes through, as whole rows like in a dump.
DUMPS = [
    "select u::text as whole from users u where org_id = $1",
    "select a::text as whole from agreements a where org_id = $1",
    "select a::text as whole from user_agreements a where org_id = $1",
    "select e::text as whole from external_wallets e where org_id = $1",
    "select w::text as whole from wallets w where org_id = $1",
    "select d::text as whole from data_keys d where org_id = $1",
    "select s::text as whole from wallet_seeds s where org_id = $1",
    "select c::text as whole from changes c where org_id = $1",
    "select t::text as whole from transfers t where org_id = $1",
]


async def _dump(org: Tenant) -> str:
    found = [await org.container.database.rows(dump, org.org_id) for dump in DUMPS]
    assert all(found[:4]), "a table is empty: this proves nothing"
    return "\n".join(row["whole"] for rows in found for row in rows)


async def _frozen(org: Tenant, **changes: Any) -> str:
    user = await make_user(org, **changes)
    await org.post(f"{USERS}/{user}/freeze", {})
    return user


async def _erase(org: Tenant, user: str) -> dict[str, Any]:
    answer = await org.send("DELETE", f"{USERS}/{user}/personal-data")
    assert answer.status_code == 200, answer.text
    return answer.json()


async def test_a_dump_contains_no_submitted_data(org: Tenant) -> None:
    markers: list[str] = []

    def mark() -> str:
        markers.append(f"canary{uuid4().hex[:12]}")
        return markers[-1]

    redirect = f"https://{mark()}.example/{mark()}?{mark()}"
    agreement = await make_agreement(org, redirectUrl=redirect, is_signed=False)
    token = (await org.get(f"/v2/tos-link/{agreement}"))["sessionToken"]
    await org.client.post(f"/tos/{agreement}/accept", data={"session": token})
    lines = {name: mark() for name in ("addressLine1", "addressLine2", "city", "postalCode")}
    person = individual(
        agreement,
        firstName=mark(),
        lastName=mark(),
        email=f"{mark()}@{mark()}.com",
        ipAddress="198.51.100.77",
        dateOfBirth="1987-06-05",
        address={**ADDRESS, **lines},
        requestId=str(uuid4()),
    )
    user = (await org.post(USERS, person))["id"]
    await org.post(f"{USERS}/{user}", {"lastName": mark()})
    owner = {"firstName": mark(), "lastName": mark(), "dateOfBirth": "1986-05-04"}
    owners = [{**owner, "hasControl": True, "isSigner": True}]
    company = business(agreement, businessName=mark(), ultimateBeneficialOwners=owners)
    await org.post(USERS, company)
    label = {"name": mark(), "referenceId": mark()}
    external = {"address": OUTSIDE, "chain": "POLYGON", **label}
    await org.post(f"{USERS}/{user}/wallets/external", external)
    await org.post(f"{USERS}/{user}/freeze", {"reason": mark()})
    # A bytea is dumped as hexadecimal digits, so these are searched too.
    dump = (await _dump(org)).lower()
    more = ["198.51.100.77", "1987-06-05", "1986-05-04", "127.0.0.1"]
    for marker in markers + more:
        assert marker.lower() not in dump
        assert marker.encode().hex() not in dump
    text = (await org.send("GET", USERS)).text
    assert len([marker for marker in markers if marker in text]) >= 5


async def test_no_user_is_erased_before_it_is_safe(org: Tenant) -> None:
    user, other = await make_user(org, funds="10"), await make_user(org)
    erase = ("DELETE", f"{USERS}/{user}/personal-data")
    answer = await org.send(*erase)
    assert (refusal(answer), "freeze" in sentence(answer)) == (CONFLICT, True)
    await org.post(f"{USERS}/{user}/freeze", {})
    answer = await org.send(*erase)
    assert (refusal(answer), "still hold" in sentence(answer)) == (CONFLICT, True)
    await org.post(f"{USERS}/{user}/unfreeze")
    swap = await make_swap(org, user)
    away = swap_body(user, "10", destination={"userId": other, "currency": "usdt"})
    away_id = (await org.post(SWAPS, away))["transferDetails"]["id"]
    await org.post(f"{SWAPS}/{away_id}/accept")
    await org.post(f"{USERS}/{user}/freeze", {})
    answer = await org.send(*erase)
    assert (refusal(answer), "under way" in sentence(answer)) == (CONFLICT, True)
    await org.post("/v2/sandbox/clock/advance", {"seconds": 60})
    ended = (await org.get(f"{SWAPS}/{swap['id']}"))["transferDetails"]["status"]
    assert ended == SwapStatus.QUOTE_FAILED
    assert (await _erase(org, user))["userId"] == user


async def test_an_erased_user_is_an_id_and_wallets(org: Tenant) -> None:
    user = await make_user(org, firstName="Gone")
    external = f"{USERS}/{user}/wallets/external"
    label = {"name": "Her savings", "referenceId": "r1"}
    registered = await org.post(external, {"address": OUTSIDE, "chain": "POLYGON", **label})
    before = await org.get(f"{USERS}/{user}")
    await org.post(f"{USERS}/{user}/freeze", {"reason": "asked to be erased"})
    erased = await _erase(org, user)
    assert list(erased) == ["userId", "erasedAt"]
    assert await _erase(org, user) == erased
    assert await org.get(f"{USERS}/{user}") == {**before, "name": "", "email": ""}
    assert (await org.get(USERS))["users"] == [{**before, "name": "", "email": ""}]
    assert (await org.get(USERS, firstName="gone"))["count"] == 0
    assert (await org.get(USERS, firstName=""))["count"] == 0
    assert await org.get(f"{external}/{registered['id']}") == {
        **registered,
        "name": "",
        "referenceId": "",
    }
    freeze = await org.get(f"{USERS}/{user}/freeze")
    assert (freeze["frozen"], freeze["reason"]) == (True, None)
    stored = await org.container.users.get(org.org_id, UUID(user))
    assert stored.profile.date_of_birth is None
    keys = await org.container.database.rows(
        "select id from data_keys where org_id = $1 and id = $2", org.org_id, UUID(user)
    )
    assert not keys


CHANGES: list[tuple[str, str, dict[str, Any]]] = [
    ("POST", "", {"firstName": "Ada"}),
    ("POST", "/unfreeze", {}),
    ("POST", "/freeze", {}),
    ("POST", "/wallets/add", {"chains": ["BASE"]}),
    (
        *("POST", "/wallets/external"),
        {"address": OUTSIDE, "chain": "POLYGON", "name": "a", "referenceId": "b"},
    ),
]


@pytest.mark.parametrize(("method", "path", "body"), CHANGES)
async def test_an_erased_user_is_refused_every_change(
    org: Tenant, method: str, path: str, body: dict[str, Any]
) -> None:
    user = await _frozen(org)
    await _erase(org, user)
    assert await org.refused(method, f"{USERS}/{user}{path}", body) == FROZEN


async def test_the_ledger_is_unchanged(org: Tenant) -> None:
    user, other = await make_user(org, funds="5"), await make_user(org)
    away = swap_body(user, "5", destination={"userId": other, "currency": "usdt"})
    swap = (await org.post(SWAPS, away))["transferDetails"]["id"]
    await org.post(f"{SWAPS}/{swap}/accept")
    before = await org.get(f"{SWAPS}/{swap}")
    await org.post(f"{USERS}/{user}/freeze", {})
    await _erase(org, user)
    assert await org.get(f"{SWAPS}/{swap}") == before
    assert (await org.get(SWAPS, userId=user))["count"] == 1


async def test_a_replay_of_an_erased_creation_conflicts(org: Tenant) -> None:
    body = individual(await make_agreement(org), requestId=str(uuid4()))
    user = (await org.post(USERS, body))["id"]
    await org.post(f"{USERS}/{user}/freeze", {})
    await _erase(org, user)
    assert await org.refused("POST", USERS, body) == CONFLICT


async def test_an_agreement_is_erased_with_its_last_user(org: Tenant) -> None:
    agreement = await make_agreement(org, redirectUrl="https://a.example/b", is_signed=False)
    token = (await org.get(f"/v2/tos-link/{agreement}"))["sessionToken"]
    await org.client.post(f"/tos/{agreement}/accept", data={"session": token})
    users = [(await org.post(USERS, individual(agreement)))["id"] for _ in range(2)]
    await org.post(f"{USERS}/{users[0]}", {"signedAgreementId": await make_agreement(org)})
    for user, address in zip(users, ("127.0.0.1", None), strict=True):
        await org.post(f"{USERS}/{user}/freeze", {})
        await _erase(org, user)
        found = await org.get(f"/v2/tos-link/{agreement}")
        assert (found["signed"], found["signedFrom"]) == (True, address)


@pytest.mark.one_commit(reason="it counts how often transactions run")
async def test_hooks_of_a_user_run_in_the_users_transaction(org: Tenant) -> None:
    calls: list[str] = []

    async def joined(tx: Any, user: Any, key: Any, at: Any) -> None:
        calls.append(f"joined {user.name} {key} {at == user.created_at} {bool(tx)}")
        if user.first_name == "Broken":
            raise RuntimeError

    async def leaving(tx: Any, org_id: UUID, user_id: UUID, at: Any) -> None:
        key = await org.container.vault.find(tx, org_id, user_id)
        calls.append(f"leaving {user_id} {key} {bool(at)}")

    users = await _users(org.container, joined=[joined], leaving=[leaving])
    agreement = UUID(await make_agreement(org))
    user = await _create(users, org, agreement, "Ada")
    with pytest.raises(RuntimeError):
        await _create(users, org, agreement, "Broken")
    await users.freeze(org.caller, user, reason=None)
    for _ in range(2):
        await users.erase(org.caller, user)
    assert calls == [
        *("joined Ada Example <DataKey> True True", "joined Broken Example <DataKey> True True"),
        f"leaving {user} <DataKey> True",
    ]
    assert (await org.get(USERS))["count"] == 1


async def _users(
    container: Container,
    *,
    joined: list[Callable[..., Awaitable[None]]],
    leaving: list[Callable[..., Awaitable[None]]],
) -> Users:
    return Users(
        container.database,
        container.wallets,
        container.vault,
        Clock(await take_node(container.database)),
        policy=policy(SETTINGS),
        transitions={},
        joined=joined,
        leaving=leaving,
    )


async def _create(users: Users, org: Tenant, agreement: UUID, name: str) -> UUID:
    from landbridge.customers.users.model import UserType  # noqa: PLC0415  as above
    from landbridge.customers.users.validation import UserDetails  # noqa: PLC0415  used here alone

    details = UserDetails(
        UserType.INDIVIDUAL,
        "ada@example.com",
        first_name=name,
        last_name="Example",
        ip_address="203.0.113.7",
    )
    created = await users.create(
        org.caller, details, agreement_id=agreement, chains=[], request_id=None, request={}
    )
    return created.id


async def test_every_sealed_column_is_in_the_documentation(org: Tenant) -> None:
    rows = await org.container.database.rows(
        "select c.relname || '.' || a.attname as name from pg_attribute a"
        " join pg_class c on c.oid = a.attrelid"
        " where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p')"
        " and not c.relispartition and a.atttypid = 'bytea'::regtype and a.attname like 'sealed%'"
    )
    listed = re.findall(r"^\| `(\w+\.sealed_\w+)` \|", DOCUMENTATION, re.MULTILINE)
    assert sorted(listed) == sorted(row["name"] for row in rows)


async def test_erasure_is_recorded_without_personal_data(org: Tenant) -> None:
    user = await _frozen(org)
    await _erase(org, user)
    rows = await org.container.database.rows(
        "select kind, change_type, facts::text as facts from changes"
        " where org_id = $1 and object_id = $2 order by seq",
        *(org.org_id, UUID(user)),
    )
    assert [(row["kind"], row["change_type"], row["facts"]) for row in rows] == [
        ("USER", "create", None),
        ("USER", "update", '{"frozen": true}'),
        ("USER", "update", '{"erased": true}'),
    ]


async def test_erasing_and_changing_at_once_ends_erased(org: Tenant) -> None:
    user = await _frozen(org)
    answers = await asyncio.gather(
        *(org.send("POST", f"{USERS}/{user}", {"firstName": f"N{each}"}) for each in "abcdef"),
        org.send("DELETE", f"{USERS}/{user}/personal-data"),
        *(org.send("GET", f"{USERS}/{user}") for _ in range(6)),
        *(org.send("GET", USERS, firstName="example") for _ in range(3)),
    )
    assert {answer.status_code for answer in answers} <= {200, 403}
    assert answers[6].status_code == 200
    assert (await org.get(f"{USERS}/{user}"))["name"] == ""


async def test_coins_that_arrive_after_erasure_are_kept(org: Tenant) -> None:
    user = await _frozen(org)
    await _erase(org, user)
    await fund(org, user, "1")
    swap = swap_body(user, "1")
    assert await org.refused("POST", SWAPS, swap) == FROZEN
