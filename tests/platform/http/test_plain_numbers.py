"""A number may be a string, but only in plain notation."""

from typing import Any
from uuid import uuid4

import pytest

from tests.tenants import Tenant, make_user, refusal, sentence

TRANSFERS = "/v2/wallets/transfers"
LAX = [
    "1_0",
    "1__0",
    "_1",
    " 5",
    "5 ",
    "5\n",
    "\u00a05",
    "+5",
    "5.",
    ".5",
    "1e1",
    "٣",
    "\uff11\uff12",
    "NaN",
]


def _body(user: str, payee: str, amount: Any, fee: Any) -> dict[str, Any]:
    return {
        "requestId": str(uuid4()),
        "amount": amount,
        "currency": "usdc",
        "chain": "POLYGON",
        "source": {"userId": user},
        "destination": {"userId": payee},
        "fee": {"type": "FIX", "value": fee},
    }


@pytest.mark.parametrize("text", LAX)
async def test_number_that_only_python_accepts_is_refused(org: Tenant, text: str) -> None:
    user, payee = await make_user(org, funds="100"), await make_user(org)
    for amount, fee, field in ((text, "1", "amount"), ("1", text, "fee.value")):
        answer = await org.send("POST", TRANSFERS, _body(user, payee, amount, fee))
        assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
        assert field in sentence(answer)


@pytest.mark.parametrize("amount", ["10", "10.50", "0010", 10, 10.5])
async def test_plain_number_is_accepted(org: Tenant, amount: Any) -> None:
    user, payee = await make_user(org, funds="100"), await make_user(org)
    created = await org.post(TRANSFERS, _body(user, payee, amount, 0.5))
    assert created["transferDetails"]["amount"] == float(amount)


async def test_number_in_a_list_is_named_by_its_index(org: Tenant) -> None:
    rule = {"type": "FIXED", "calculationModel": "FIXED", "value": "1_0", "walletAddress": "x"}
    body = {"requestId": str(uuid4()), "chain": "POLYGON", "includeHIFIFee": False}
    path = "/v2/virtual-accounts/settlement-rules"
    answer = await org.send("POST", path, {**body, "rules": [rule]})
    assert refusal(answer) == "400 FIELD_VALIDATION_ERROR"
    assert "rules[0].value" in sentence(answer)
