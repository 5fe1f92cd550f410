"""Recipients and fees in the list of transactions."""

from typing import Any
from uuid import uuid4

from tests.payouts import make_account, make_offramp, make_payee
from tests.tenants import (
    Tenant,
    make_batch,
    make_bridge,
    make_swap,
    make_tenant,
    make_transfer,
    make_user,
)

PATH = "/v2/transactions"
OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


async def _line(org: Tenant, payment: dict[str, Any]) -> Any:
    page = await org.get(PATH, id=payment["id"], expand="parties")
    (line,) = page["data"]
    assert line["id"] == payment["id"]
    return line


async def test_payout_shows_the_bank_and_a_masked_number(org: Tenant) -> None:
    ada = await make_payee(org)
    account = await make_account(org, ada)
    own = {"fees": [{"type": "FLAT", "value": "1.5", "walletAddress": OUTSIDE}]}
    line = await _line(org, await make_offramp(org, ada, account, 100, developerFee=own))
    to = line["recipient"]
    assert (to["userId"], to["accountId"], to["count"], to["address"]) == (ada, account, 1, None)
    assert to["userName"] == line["userName"]
    assert to["bankName"]
    assert to["accountNumber"].startswith("****")
    assert line["fee"] == {"amount": "1.5", "currency": "usdc", "chain": "POLYGON"}


async def test_other_kinds_show_users_and_addresses(org: Tenant) -> None:
    ada = await make_user(org, funds="100", chains=["POLYGON", "BASE"])
    bob = await make_user(org, firstName="Bob")
    transfer = await _line(org, await make_transfer(org, ada, bob, 1))
    assert (transfer["recipient"]["userId"], transfer["fee"]) == (bob, None)
    assert transfer["recipient"]["userName"] == "Bob Example"
    assert transfer["failedReason"] is None
    swap = await _line(org, await make_swap(org, ada, "5"))
    assert (swap["recipient"]["userId"], swap["fee"]["amount"]) == (ada, "0.005")
    bridge = await _line(org, await make_bridge(org, ada, ada, 2))
    assert bridge["fee"] is None
    batch = await _line(
        org, await make_batch(org, ada, *({"userId": bob, "amount": each} for each in ("1", "2")))
    )
    assert batch["recipient"] == {
        "userId": None,
        "userName": None,
        "address": None,
        "accountId": None,
        "bankName": None,
        "accountNumber": None,
        "count": 2,
    }


async def test_list_takes_ids_of_the_organisation(org: Tenant) -> None:
    ada = await make_user(org, funds="100")
    swaps = [await make_swap(org, ada, "5") for _ in range(3)]
    ids = [each["id"] for each in swaps]
    page = await org.get(PATH, id=f"{ids[0]},{ids[2]},{uuid4()}")
    assert [each["id"] for each in page["data"]] == [ids[2], ids[0]]
    assert "recipient" not in page["data"][0]
    assert "nextCursor" not in page
    other = await make_tenant(org.container, org.client, name="Other")
    assert (await other.get(PATH, id=",".join(ids)))["data"] == []
    assert await org.refused("GET", PATH, id="x") == "400 FIELD_VALIDATION_ERROR"
    too_many = ",".join([str(uuid4())] * 101)
    assert await org.refused("GET", PATH, id=too_many) == "400 FIELD_VALIDATION_ERROR"
    assert await org.refused("GET", PATH, expand="x") == "400 FIELD_VALIDATION_ERROR"
