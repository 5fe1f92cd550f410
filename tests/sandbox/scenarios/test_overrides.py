"""Overrides of a scenario's requests: by resource and member, in the type of what they replace."""

from typing import Any

import pytest

from landbridge.sandbox.scenarios import trigger as triggering
from landbridge.sandbox.scenarios.client import ScenarioClient
from landbridge.sandbox.scenarios.overrides import OverrideInvalid, read_overrides
from tests.sandbox.scenarios.in_process_client import client_of
from tests.tenants import Tenant

SWAP = {"source": {"amount": "10", "chain": "POLYGON"}, "count": 1}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("swaps:source.amount=25", {"source": {"amount": "25", "chain": "POLYGON"}, "count": 1}),
        ("swaps:count=2", {"source": SWAP["source"], "count": 2}),
        ("swaps:count=two", {"source": SWAP["source"], "count": "two"}),
        ("swaps:metadata.invoice=A=1", {**SWAP, "metadata": {"invoice": "A=1"}}),
        ("swaps:count.deep=true", {**SWAP, "count": {"deep": True}}),
        ("users:count=2", SWAP),
    ],
)
def test_members_are_replaced(text: str, expected: Any) -> None:
    assert read_overrides([text]).apply("/v2/wallets/swaps", SWAP) == expected
    assert SWAP == {"source": {"amount": "10", "chain": "POLYGON"}, "count": 1}


@pytest.mark.parametrize("text", ["", "swaps", "swaps:amount", "amount=1", ":a=1", "s:a..b=1"])
def test_malformed_overrides_are_refused(text: str) -> None:
    with pytest.raises(OverrideInvalid, match="is no override"):
        read_overrides([text])


def test_override_that_changed_nothing_is_reported() -> None:
    overrides = read_overrides(["swaps:count=2", "offramps:purpose=x"])
    overrides.apply("/v2/wallets/swaps", SWAP)
    with pytest.raises(OverrideInvalid, match="no offramps"):
        overrides.check_used()


async def test_scenario_sends_what_is_overridden(org: Tenant) -> None:
    overrides = read_overrides(["swaps:source.amount=7.5"])
    client = ScenarioClient(client_of(org).send, overrides)
    result, _ = await triggering.trigger(client, "WALLET.SWAP.STATUS.COMPLETED")
    overrides.check_used()
    swap = await org.get(f"/v2/wallets/swaps/{result.subject_id}")
    assert str(swap["transferDetails"]["source"]["amount"]) == "7.5"
