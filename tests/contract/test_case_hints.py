"""A value in the wrong case is refused with the right spelling, wherever it is sent."""

from typing import Any
from uuid import uuid4

import pytest

from landbridge.platform.core.choices import case_hint
from tests.tenants import SWAPS, Tenant, make_user, sentence, swap_body


def _offramp(user: str, currency: str) -> dict[str, Any]:
    return {
        "requestId": str(uuid4()),
        "source": {"userId": user, "currency": "usdc", "chain": "POLYGON"},
        "destination": {
            "userId": user,
            "currency": currency,
            "amount": "1",
            "accountId": str(uuid4()),
        },
    }


@pytest.mark.parametrize(
    ("path", "query", "hint"),
    [
        ("/v2/users", {"type": "Business"}, "(write business, not Business)"),
        ("/v2/users/{user}/kyc/requirements", {"rails": "usd"}, "(write USD, not usd)"),
        (
            "/v2/users/{user}/wallets/balance",
            {"chain": "polygon", "currency": "usdc"},
            "(write POLYGON, not polygon)",
        ),
        (
            "/v2/users/{user}/wallets/balance",
            {"chain": "POLYGON", "currency": "USDC"},
            "(write usdc, not USDC)",
        ),
    ],
)
async def test_a_parameter_in_the_wrong_case_is_hinted_at(
    org: Tenant, path: str, query: dict[str, str], hint: str
) -> None:
    answer = await org.send("GET", path.format(user=await make_user(org)), **query)
    assert answer.status_code == 400
    assert sentence(answer).endswith(hint)


@pytest.mark.parametrize(
    ("path", "body", "hint"),
    [
        ("/v2/users/{user}/kyc", {"gender": "m"}, "(write M, not m)"),
        (
            "/v2/users/{user}/kyc/documents",
            [{"type": "passport", "subType": "SINGLE_SIDE", "issuedCountry": "USA"}],
            "(write PASSPORT, not passport)",
        ),
        (
            "/v2/users/{user}/accounts",
            {"rail": "offramp", "type": "US"},
            "(write us, not US)",
        ),
    ],
)
async def test_a_member_in_the_wrong_case_is_hinted_at(
    org: Tenant, path: str, body: Any, hint: str
) -> None:
    answer = await org.send("POST", path.format(user=await make_user(org)), body)
    assert answer.status_code == 400
    assert sentence(answer).endswith(hint)


async def test_a_currency_in_the_wrong_case_is_hinted_at(org: Tenant) -> None:
    user = await make_user(org)
    swap = swap_body(user)
    swap["source"] = {**swap["source"], "currency": "USDC"}
    answer = await org.send("POST", SWAPS, swap)
    assert sentence(answer).endswith("USDC can't be swapped on POLYGON (write usdc, not USDC)")
    answer = await org.send("POST", "/v2/offramps", _offramp(user, "USD"))
    assert sentence(answer).endswith("not served in USD (write usd, not USD)")


def test_what_is_no_choice_in_any_case_has_no_hint() -> None:
    assert case_hint("dai", ["usdc"]) == ""
    assert case_hint(5, ["usdc"]) == ""
    assert case_hint(" UsdC ", ["usdt", "usdc"]) == " (write usdc, not UsdC)"


async def test_a_coin_that_a_chain_has_not_is_not_called_misspelled(org: Tenant) -> None:
    user = await make_user(org)
    path = f"/v2/users/{user}/wallets/balance?chain=POLYGON&currency=usdg"
    refused = await org.send("GET", path)
    assert refused.status_code == 400
    assert sentence(refused).endswith("there is no usdg on POLYGON")
