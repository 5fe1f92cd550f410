"""A user's wallets over HTTP: additional chains, balances, registered addresses."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from landbridge.providers.chains.tokens import Chain
from tests.tenants import Tenant, fund, make_user, refusal, sentence

OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"
SOLANA = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"


def _external(**changes: Any) -> dict[str, Any]:
    return {
        "address": OUTSIDE,
        "chain": "POLYGON",
        "name": "Bank",
        "referenceId": "r1",
        **changes,
    }


async def test_more_chains_keep_the_wallets_that_are_there(org: Tenant) -> None:
    user = await make_user(org, funds="5")
    before = await org.get(f"/v2/users/{user}")
    body = {"chains": ["SOLANA", "POLYGON", "BASE"]}
    after = await org.post(f"/v2/users/{user}/wallets/add", body)
    was, now = before["wallets"]["INDIVIDUAL"], after["wallets"]["INDIVIDUAL"]
    assert set(now) == {"POLYGON", "ETHEREUM", "SOLANA", "BASE"}
    assert {chain: now[chain] for chain in was} == was
    assert now["BASE"] == now["POLYGON"]
    assert await org.post(f"/v2/users/{user}/wallets/add", body) == after
    path = f"/v2/users/{user}/wallets/balance"
    assert (await org.get(path, chain="POLYGON", currency="usdc"))["displayBalance"] == "5"
    assert (await org.get(path, chain="SOLANA", currency="usdg"))["displayBalance"] == "0"


async def test_more_wallets_are_an_update_of_the_user_and_no_more_are_none(org: Tenant) -> None:
    user = await make_user(org)

    async def list_changes() -> list[tuple[str, int]]:
        rows = await org.container.database.rows(
            "select change_type, seq from changes where org_id = $1 and object_id = $2"
            " order by seq",
            *(org.org_id, UUID(user)),
        )
        return [(row["change_type"], row["seq"]) for row in rows]

    await org.post(f"/v2/users/{user}/wallets/add", {"chains": ["POLYGON", "ETHEREUM"]})
    assert await list_changes() == [("create", 1)]
    for _ in range(2):
        await org.post(f"/v2/users/{user}/wallets/add", {"chains": ["POLYGON", "BASE"]})
        assert await list_changes() == [("create", 1), ("update", 2)]
    await org.post(f"/v2/users/{user}", {"firstName": "Bea"})
    assert await list_changes() == [("create", 1), ("update", 2), ("update", 3)]


@pytest.mark.parametrize("chains", [[], ["TRON"], "BASE", None, [1]])
async def test_chains_that_we_do_not_serve_are_refused(org: Tenant, chains: Any) -> None:
    user = await make_user(org)
    answer = await org.send("POST", f"/v2/users/{user}/wallets/add", {"chains": chains})
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert "chains" in sentence(answer)


async def test_a_balance_shows_units_coins_and_token(org: Tenant) -> None:
    user = await make_user(org, funds="10.5")
    path = f"/v2/users/{user}/wallets/balance"
    assert await org.get(path, chain="POLYGON", currency="usdc") == {
        "balance": "10500000",
        "displayBalance": "10.5",
        "availableBalance": "10500000",
        "tokenInfo": {
            "tokenAddress": "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
            "standard": "ERC20",
            "name": "USD Coin",
            "symbol": "USDC",
            "decimals": 6,
        },
    }
    await fund(org, user, "1", currency="usdHifi")
    test_coin = await org.get(path, chain="POLYGON", currency="usdHifi")
    assert test_coin["displayBalance"] == "1"


@pytest.mark.parametrize(
    ("query", "name", "says"),
    [
        ({}, "400 FIELD_VALIDATION_ERROR", "currency"),
        ({"chain": "POLYGON"}, "400 FIELD_VALIDATION_ERROR", "currency"),
        ({"currency": "usdc"}, "400 FIELD_VALIDATION_ERROR", "chain"),
        ({"chain": "TRON", "currency": "usdc"}, "400 FIELD_VALIDATION_ERROR", "chain"),
        ({"chain": "POLYGON", "currency": "dai"}, "400 FIELD_VALIDATION_ERROR", "currency"),
        ({"chain": "POLYGON", "currency": "usdg"}, "400 FIELD_VALIDATION_ERROR", "currency"),
        ({"chain": "SOLANA", "currency": "usdc"}, "404 WALLET_NOT_FOUND", "SOLANA"),
    ],
)
async def test_a_balance_of_an_unknown_asset_is_refused(
    org: Tenant, query: dict[str, str], name: str, says: str
) -> None:
    user = await make_user(org)
    answer = await org.send("GET", f"/v2/users/{user}/wallets/balance", **query)
    assert refusal(answer) == name
    assert says in sentence(answer)


async def test_an_address_is_registered_in_its_one_spelling(org: Tenant) -> None:
    user = await make_user(org)
    path = f"/v2/users/{user}/wallets/external"
    created = await org.post(path, _external(address=OUTSIDE.lower(), name=" Bank "))
    assert created == {
        "id": created["id"],
        "userId": user,
        "chain": "POLYGON",
        "name": "Bank",
        "address": OUTSIDE,
        "referenceId": "r1",
        "active": True,
        "createdAt": created["createdAt"],
        "updatedAt": None,
    }
    assert await org.get(f"{path}/{created['id']}") == created


async def test_an_address_is_registered_once_per_user_and_chain(org: Tenant) -> None:
    ada, bob = await make_user(org), await make_user(org)
    path = f"/v2/users/{ada}/wallets/external"
    await org.post(path, _external())
    answer = await org.send("POST", path, _external(address=OUTSIDE.lower(), name="Other"))
    assert refusal(answer) == "409 WALLET_ALREADY_EXISTS"
    assert answer.json()["code"] == 600001
    await org.post(path, _external(chain="ETHEREUM"))
    await org.post(path, _external(chain="SOLANA", address=SOLANA))
    await org.post(f"/v2/users/{bob}/wallets/external", _external())


async def test_an_address_of_the_platform_is_no_external_one(org: Tenant) -> None:
    ada, bob = await make_user(org), await make_user(org)
    of_bob = (await org.get(f"/v2/users/{bob}"))["wallets"]["INDIVIDUAL"]["POLYGON"]["address"]
    path = f"/v2/users/{ada}/wallets/external"
    answer = await org.send("POST", path, _external(address=of_bob))
    assert refusal(answer) == "400 INVALID_WALLET_CONFIG"


@pytest.mark.parametrize(
    ("field", "change"),
    [
        ("address", {"address": "0x12"}),
        ("address", {"address": ""}),
        ("address", {"address": "0x" + "0" * 40}),
        ("address", {"address": OUTSIDE.replace("bD", "Bd")}),
        ("address", {"address": SOLANA}),
        ("address", {"chain": "SOLANA"}),
        ("chain", {"chain": "TRON"}),
        ("chain", {"chain": None}),
        ("name", {"name": " "}),
        ("name", {"name": "x" * 201}),
        ("referenceId", {"referenceId": ""}),
        ("referenceId", {"referenceId": 1}),
    ],
)
async def test_a_wrong_registration_is_refused_and_named(
    org: Tenant, field: str, change: dict[str, Any]
) -> None:
    user = await make_user(org)
    path = f"/v2/users/{user}/wallets/external"
    answer = await org.send("POST", path, _external(**change))
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert field in sentence(answer)
    assert (await org.get(path))["count"] == 0


async def test_registered_addresses_are_listed_newest_first(org: Tenant) -> None:
    ada, bob = await make_user(org), await make_user(org)
    path = f"/v2/users/{ada}/wallets/external"
    created = [
        (await org.post(path, _external(address="0x" + f"{each:040x}")))["id"]
        for each in range(1, 6)
    ]
    await org.post(f"/v2/users/{bob}/wallets/external", _external())
    ids: list[str] = []
    query: dict[str, str | int] = {"limit": 2}
    while (page := await org.get(path, **query))["externalWallets"]:
        assert len(ids) < len(created), "a page came twice"
        assert list(page) == ["count", "externalWallets", "nextCursor"]
        ids += [each["id"] for each in page["externalWallets"]]
        query["createdBefore"] = page["nextCursor"]
    assert ids == created[::-1]


async def test_another_users_registered_address_is_not_there(org: Tenant) -> None:
    ada, bob = await make_user(org), await make_user(org)
    created = await org.post(f"/v2/users/{ada}/wallets/external", _external())
    for path in (
        f"/v2/users/{bob}/wallets/external/{created['id']}",
        f"/v2/users/{ada}/wallets/external/{uuid4()}",
        f"/v2/users/{ada}/wallets/external/x",
    ):
        assert await org.refused("GET", path) == "404 WALLET_NOT_FOUND"


async def test_the_organisations_own_address_is_no_customers(
    org: Tenant, other_org: Tenant
) -> None:
    user = await make_user(org)
    wallets = org.container.wallets
    for chain, currency in ((Chain.POLYGON, "POLYGON"), (Chain.SOLANA, "SOLANA")):
        treasury = await wallets.treasury_address(org.org_id, chain)
        assert treasury == await wallets.treasury_address(org.org_id, chain)
        assert treasury != await wallets.treasury_address(other_org.org_id, chain)
        body = _external(address=treasury, chain=currency)
        answer = await org.send("POST", f"/v2/users/{user}/wallets/external", body)
        assert refusal(answer) == "400 INVALID_WALLET_CONFIG"
    assert await wallets.treasury_address(org.org_id, Chain.BASE) == (
        await wallets.treasury_address(org.org_id, Chain.ETHEREUM)
    )


async def test_an_address_is_found_as_its_own_user_registered_it(org: Tenant) -> None:
    user, other = await make_user(org), await make_user(org)
    created = await org.post(f"/v2/users/{user}/wallets/external", _external())
    wallets = org.container.wallets

    async def found(user_id: str, chain: Chain, address: str = OUTSIDE) -> str | None:
        external = await wallets.find_external(org.org_id, UUID(user_id), chain, address)
        return external and str(external.id)

    assert await found(user, Chain.POLYGON) == created["id"]
    assert await found(other, Chain.POLYGON) is None
    assert await found(user, Chain.BASE) is None
    await org.container.database.rows(
        "update external_wallets set is_active = false where id = $1", UUID(created["id"])
    )
    assert await found(user, Chain.POLYGON) is None
