"""Scenario of a payment that waits for data of the travel rule."""

from collections.abc import Mapping

from landbridge.platform.core.ids import new_id
from landbridge.sandbox.scenarios.client import ScenarioClient, ScenarioFailed
from landbridge.sandbox.scenarios.people import Scenario, ScenarioResult, sign_up

_SETTING = "/v2/organization/travel-rule"
_TRANSFERS = "/v2/wallets/transfers"
_OUTSIDE = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
# Of all transfers to and from outside, whatever their amount, it wants data.
_JURISDICTION = "CH"


async def _payment_lacks_data(client: ScenarioClient) -> ScenarioResult:
    """Pay to an address outside; the organisation has a jurisdiction until the payment waits."""
    setting = await client.get(_SETTING)
    if not setting["isEnforced"]:
        raise ScenarioFailed(
            "nothing waits for data of the travel rule on this server: restart it with "
            "LANDBRIDGE_TRAVEL_RULE=on"
        )
    user = await sign_up(client, funds="100")
    wallet = {"address": _OUTSIDE, "chain": "POLYGON", "name": "Bank", "referenceId": "scenario"}
    await client.post(f"/v2/users/{user}/wallets/external", wallet)
    await client.put(_SETTING, {"jurisdiction": setting["jurisdiction"] or _JURISDICTION})
    try:
        body = {
            "requestId": str(new_id()),
            "source": {"userId": user},
            "destination": {"walletAddress": _OUTSIDE},
            "amount": 10,
            "currency": "usdc",
            "chain": "POLYGON",
        }
        payment = str((await client.post(_TRANSFERS, body))["transferDetails"]["id"])
        await client.pass_time()
    finally:
        await client.put(_SETTING, {"jurisdiction": setting["jurisdiction"]})
    return ScenarioResult(f"{_TRANSFERS}/{payment}", payment)


# By the event that each produces.
SCENARIOS: Mapping[str, Scenario] = {"TRAVEL_RULE.DATA.MISSING": _payment_lacks_data}
