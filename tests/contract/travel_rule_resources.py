"""A wallet outside and a message of the travel rule, for the tests of all routes."""

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

_WALLET = "/v2/users/{userId}/travel-rule-wallets/{walletAddress}"
TRAVEL_RULE_BODIES = {
    "PUT /v2/organization/travel-rule": {"jurisdiction": "EU"},
    f"PUT {_WALLET}": HOSTED,
    f"POST {_WALLET}/challenge": {},
    f"POST {_WALLET}/prove": {"signature": "0x"},
}
_PERSON = {"nameIdentifier": [{"primaryIdentifier": "Example", "nameIdentifierType": "LEGL"}]}
_MESSAGE = {"beneficiary": {"beneficiaryPersons": [{"naturalPerson": {"name": _PERSON}}]}}


async def make_travel_rule(org: Tenant, user: str, address: str) -> dict[str, str]:
    """State what a wallet of a user is, and store a message; return its id by its kind."""
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
    return {"travel rule message": str(message_id)}


async def send_travel_rule_requests(org: Tenant, user: str) -> None:
    """State what a wallet is, and prove who controls it."""
    key = PrivateKey(b"\x01" * 32)
    await state(org, user, SELF_HOSTED, address_of(key))
    await prove(org, user, key)
    await state(org, user, HOSTED, "0x70997970C51812dc3A010C7d01b50e0d17dc79C8")
