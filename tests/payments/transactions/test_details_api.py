"""One payment with its history and its journals."""

from collections import defaultdict
from decimal import Decimal
from typing import Any
from uuid import uuid4

from landbridge.payments.swaps.model import SwapStatus
from tests.onramps import make_onramp
from tests.payouts import make_account, make_offramp, make_payee
from tests.tenants import (
    Tenant,
    make_batch,
    make_bridge,
    make_swap,
    make_tenant,
    make_transfer,
    make_user,
    run_due,
)

PATH = "/v2/transactions"


def _check_sums(journals: list[dict[str, Any]]) -> None:
    for each in journals:
        sums: defaultdict[tuple[str, str], Decimal] = defaultdict(Decimal)
        for entry in each["entries"]:
            asset = (entry["currency"], entry["chain"])
            sums[asset] += Decimal(entry["available"]) + Decimal(entry["held"])
        assert not any(sums.values())


async def test_swap_shows_its_effects(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    created = await make_swap(org, ada, "5", status=SwapStatus.COMPLETED)
    found = await org.get(f"{PATH}/{created['id']}")
    assert found["resource"] == f"/v2/wallets/swaps/{created['id']}"
    assert found["payees"] is None
    stations = [each["statusAfter"] for each in found["history"]]
    assert stations == ["OPEN_QUOTE", "CREATED", "PENDING", "COMPLETED"]
    assert found["history"][0]["actor"] == org.caller.actor
    (journal,) = found["journals"]
    _check_sums(found["journals"])
    sold = journal["entries"][0]
    assert (sold["userId"], sold["userName"], sold["role"]) == (ada, "Ada Example", None)
    roles = {each["role"] for each in journal["entries"]} - {None}
    assert roles == {"liquidity", "fees"}


async def test_every_kind_has_details(org: Tenant) -> None:
    ada = await make_user(org, funds="100", chains=["POLYGON", "BASE"])
    bob = await make_user(org, firstName="Bob")
    batch = await make_batch(
        org, ada, {"userId": bob, "amount": "3"}, {"userId": bob, "amount": "0.5"}
    )
    created = {
        "/v2/wallets/transfers": await make_transfer(org, ada, bob, 2),
        "/v2/wallets/transfers/batches": batch,
        "/v2/wallets/bridges": await make_bridge(org, ada, ada),
    }
    await run_due(org)
    for path, each in created.items():
        found = await org.get(f"{PATH}/{each['id']}")
        assert found["resource"] == f"{path}/{each['id']}"
        assert (await org.get(found["resource"]))["transferDetails"]["id"] == each["id"]
        _check_sums(found["journals"])
        assert found["status"] == found["history"][-1]["statusAfter"]
    found = await org.get(f"{PATH}/{batch['id']}")
    assert [(each["userName"], each["amount"]) for each in found["payees"]] == [
        ("Bob Example", "3"),
        ("Bob Example", "0.5"),
    ]
    facts = [name for each in found["history"] for name in each["facts"]]
    assert "transactionHash" in facts
    assert not [name for name in facts if "ccount" in name or "nits" in name]


async def test_fiat_has_no_chain(org: Tenant) -> None:
    user = await make_payee(org)
    account = await make_account(org, user)
    onramp, offramp = await make_onramp(org, user), await make_offramp(org, user, account)
    found = await org.get(f"{PATH}/{onramp['id']}")
    assert (found["resource"], found["source"]["chain"]) == (f"/v2/onramps/{onramp['id']}", None)
    found = await org.get(f"{PATH}/{offramp['id']}")
    assert found["destination"]["chain"] is None
    _check_sums(found["journals"])


async def test_unknown_record_is_not_found(org: Tenant) -> None:
    ada = await make_user(org, funds="10")
    created = await make_swap(org, ada, "5")
    other = await make_tenant(org.container, org.client, name="Other")
    path = f"{PATH}/{created['id']}"
    assert await other.refused("GET", path) == "404 TRANSACTION_NOT_FOUND"
    for each in (uuid4(), "x", ada):
        assert await org.refused("GET", f"{PATH}/{each}") == "404 TRANSACTION_NOT_FOUND"
