"""Search for users, wallets and payments."""

from typing import Any

from tests.tenants import (
    Tenant,
    business,
    make_agreement,
    make_tenant,
    make_transfer,
    make_user,
    register,
    run_due,
)

PATH = "/v2/search"
OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


async def _found(org: Tenant, text: str) -> list[tuple[str, str]]:
    answer: dict[str, Any] = await org.get(PATH, q=text)
    assert answer["count"] == len(answer["results"])
    return [(each["type"], each["id"]) for each in answer["results"]]


async def test_users_are_found_by_id_email_and_name(org: Tenant) -> None:
    ada = await make_user(org, firstName="Ada", lastName="Lovelace", email="ada.l@example.com")
    bob = await make_user(org, firstName="Bob", lastName="Mac Adam", email="bob@example.com")
    shop = (await org.post("/v2/users", business(await make_agreement(org))))["id"]
    assert await _found(org, f" {ada} ") == [("user", ada)]
    assert await _found(org, "ADA.L@example.com") == [("user", ada)]
    assert await _found(org, "Bob Mac Adam") == [("user", bob)]
    assert await _found(org, "ada") == [("user", bob), ("user", ada)]
    assert await _found(org, "xample l") == [("user", shop)]
    assert await _found(org, "lo") == [("user", ada)]
    assert await _found(org, "nobody") == []
    other = await make_tenant(org.container, org.client, name="Other")
    assert await _found(other, "ada") == []
    assert await _found(other, ada) == []


async def test_wallets_are_found_by_address(org: Tenant) -> None:
    ada = await make_user(org, chains=["POLYGON", "SOLANA"])
    wallets = (await org.get(f"/v2/users/{ada}"))["wallets"]["INDIVIDUAL"]
    address = wallets["POLYGON"]["address"]
    (result,) = (await org.get(PATH, q=address.lower()))["results"]
    assert (result["type"], result["userId"], result["detail"]) == ("wallet", ada, address)
    assert result["label"] == "Ada Example · POLYGON"
    external = await register(org, ada, OUTSIDE)
    assert await _found(org, OUTSIDE) == [("externalWallet", external)]
    assert await _found(org, OUTSIDE.lower()) == [("externalWallet", external)]
    assert await _found(org, "0x" + "12" * 20) == []


async def test_payments_are_found_by_id_request_id_and_hash(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    bob = await make_user(org, firstName="Bob")
    created = await make_transfer(org, ada, bob, 2)
    await run_due(org)
    done = (await org.get(f"/v2/wallets/transfers/{created['id']}"))["transferDetails"]
    changes = (await org.get(f"/v2/transactions/{created['id']}"))["history"]
    (chain_hash,) = [each["facts"]["transactionHash"] for each in changes if each["facts"]]
    assert done["id"] == created["id"]
    for text in (
        created["id"],
        created["requestId"],
        chain_hash,
        chain_hash.upper().replace("X", "x"),
    ):
        assert await _found(org, text) == [("transaction", created["id"])]
    (result,) = (await org.get(PATH, q=created["id"]))["results"]
    assert result["label"] == "WALLET.TRANSFER · 2 usdc · POLYGON"
    other = await make_tenant(org.container, org.client, name="Other")
    assert await _found(other, chain_hash) == []
    assert await _found(other, created["requestId"]) == []


async def test_invalid_search_is_refused(org: Tenant) -> None:
    assert await org.refused("GET", PATH) == "400 FIELD_VALIDATION_ERROR"
    assert await org.refused("GET", PATH, q="  ") == "400 FIELD_VALIDATION_ERROR"
    assert await org.refused("GET", PATH, q="x" * 201) == "400 FIELD_VALIDATION_ERROR"
    assert await _found(org, "%' or 1=1 --") == []
