"""A counterparty wallet and a message of the travel rule, for the tests of all routes."""

from coincurve import PrivateKey

from landbridge.customers.travel_rule import store
from landbridge.customers.travel_rule.jurisdictions import Jurisdiction
from landbridge.customers.travel_rule.service import message_context
from landbridge.platform.core.ids import as_uuid, new_id
from landbridge.platform.db.pool import Tx
from tests.customers.travel_rule.travel_world import (
    HOSTED,
    SELF_HOSTED,
    address_of,
    prove,
    state,
)
from tests.tenants import Tenant

_EXCHANGE = "/v2/travel-rule/exchanges/{exchangeId}"
VASP_HOST = "vasp.example.com"
EXCHANGE_SETTING = {
    "isOn": True,
    "assets": [{"chain": "POLYGON", "currency": "usdc", "identifier": "4H95J0R2X"}],
    "counterparties": [
        {"host": VASP_HOST, "name": "Example VASP", "amountUnit": "WHOLE", "policy": "REVIEW"}
    ],
}
_WALLET = "/v2/users/{userId}/travel-rule-wallets/{walletAddress}"
TRAVEL_RULE_BODIES = {
    "PUT /v2/organization/travel-rule": {"jurisdiction": "EU"},
    "PUT /v2/organization/travel-rule-exchange": EXCHANGE_SETTING,
    f"POST {_EXCHANGE}/approve": {},
    f"POST {_EXCHANGE}/reject": {"comment": "no such beneficiary"},
    f"PUT {_WALLET}": HOSTED,
    f"POST {_WALLET}/challenge": {},
    f"POST {_WALLET}/prove": {"signature": "0x"},
}
_PERSON = {"nameIdentifier": [{"primaryIdentifier": "Example", "nameIdentifierType": "LEGL"}]}
_MESSAGE = {"beneficiary": {"beneficiaryPersons": [{"naturalPerson": {"name": _PERSON}}]}}


async def make_travel_rule(org: Tenant, user: str, address: str) -> dict[str, str]:
    """State what a wallet of a user is, and store a message and an inquiry; return ids by kind."""
    await state(org, user, SELF_HOSTED, address)
    user_id, message_id = as_uuid(user), new_id()
    assert user_id is not None

    async def work(tx: Tx) -> None:
        key = await org.container.vault.make(tx, org.org_id, user_id)
        await store.put_message(
            tx,
            org.org_id,
            message_id,
            user_id,
            jurisdiction=Jurisdiction.EU,
            sealed=key.seal(_MESSAGE, context=message_context(message_id)),
            at=org.container.clock.now(),
        )

    await org.container.database.transact(work)
    return {"travel rule message": str(message_id), "exchange": await make_inquiry(org, address)}


async def make_inquiry(org: Tenant, address: str) -> str:
    """Send the inquiry of another provider; return the id of its exchange."""
    await org.send("PUT", "/v2/organization/travel-rule-exchange", EXCHANGE_SETTING)
    body = {
        "asset": {"dti": "4H95J0R2X"},
        "amount": 5,
        "callback": f"https://{VASP_HOST}/trp/answers/1",
        "IVMS101": {**_MESSAGE, "beneficiary": {"accountNumber": [address]}},
    }
    key = str(new_id())
    headers = {"api-version": "3.2.1", "request-identifier": key}
    path = f"/trp/{org.org_id}/inquiries?t=i"
    replied = await org.client.post(path, json=body, headers=headers)
    assert replied.status_code == 200, replied.text
    found = (await org.get("/v2/travel-rule/exchanges"))["exchanges"]
    return next(each["id"] for each in found if each["requestIdentifier"] == key)


async def send_travel_rule_requests(org: Tenant, user: str, wallet: str) -> None:
    """State what a wallet is, and prove who controls it."""
    key = PrivateKey(b"\x01" * 32)
    await state(org, user, SELF_HOSTED, address_of(key))
    await prove(org, user, key)
    await state(org, user, HOSTED, "0x70997970C51812dc3A010C7d01b50e0d17dc79C8")
    exchange = await make_inquiry(org, wallet)
    await org.post(f"/v2/travel-rule/exchanges/{exchange}/approve", {})
    exchange = await make_inquiry(org, wallet)
    await org.post(f"/v2/travel-rule/exchanges/{exchange}/reject", {"comment": "no such customer"})
