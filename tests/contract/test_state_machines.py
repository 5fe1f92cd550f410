"""The published state machines agree with the contract, and with the tables that run the flows.

Source: contract, lifecycles 2 to 8; users 3.3. `!` follows statuses that it calls terminal.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest

from landbridge.app.container import Container, registry
from landbridge.payments.engine.state_machines import StateMachines
from landbridge.payments.engine.wait_states import WaitState
from tests.contract.openapi_document import Document
from tests.tenants import Tenant, make_tenant

PATH = "/v2/state-machines"
_TRANSFER = (
    "NOT_INITIATED! PENDING_APPROVAL CREATED INITIATED PENDING COMPLETED! FAILED! REJECTED!"
    " UNKNOWN!"
)
STATUSES = {
    "WALLET.TRANSFER": _TRANSFER,
    "WALLET.TRANSFER.BATCH": _TRANSFER,
    "WALLET.SWAP": "OPEN_QUOTE CREATED PENDING COMPLETED! FAILED! QUOTE_FAILED!",
    # Which of them are terminal follows from their meanings and from the flow.
    "WALLET.BRIDGE": "NOT_INITIATED! OPEN_QUOTE CREATED SOURCE_INITIATED SOURCE_PENDING"
    " SOURCE_PROCESSED SOURCE_FAILED! DESTINATION_INITIATED DESTINATION_PENDING COMPLETED!"
    " DESTINATION_FAILED! QUOTE_FAILED! UNKNOWN PENDING_APPROVAL REJECTED!",
    "ONRAMP": "CREATED NOT_INITIATED! OPEN_QUOTE QUOTE_FAILED! AWAITING_FUNDS IN_REVIEW"
    " FIAT_INITIATED FIAT_PENDING FIAT_PROCESSED FIAT_FAILED FIAT_RETURNED! CRYPTO_INITIATED"
    " CRYPTO_PENDING CRYPTO_FAILED! COMPLETED! EXPIRED! UNKNOWN!",
    "OFFRAMP": "CREATED PENDING_APPROVAL NOT_INITIATED! OPEN_QUOTE QUOTE_FAILED! IN_REVIEW"
    " AWAITING_FUNDS CRYPTO_INITIATED CRYPTO_PENDING CRYPTO_PROCESSED CRYPTO_FAILED!"
    " FIAT_INITIATED FIAT_PENDING FIAT_FAILED CRYPTO_RETURNED! COMPLETED! REJECTED!",
    "APPROVAL": "PENDING APPROVED! REJECTED! EXPIRED!",
    "KYC.STATUS": "INACTIVE CREATED PENDING MANUAL_REVIEW RFI_PENDING INCOMPLETE ACTIVE REJECTED!"
    " CONTACT_SUPPORT",
}
# Ours beyond the contract: an approval that expires (lifecycles 2 leaves its status open).
OURS: Mapping[str, frozenset[str]] = dict.fromkeys(
    ("WALLET.TRANSFER", "WALLET.TRANSFER.BATCH", "WALLET.BRIDGE", "OFFRAMP"), frozenset({"EXPIRED"})
)
# Only an enumeration has it: an onramp that expires is QUOTE_FAILED (decision 0010).
UNREACHABLE: Mapping[str, set[str]] = {"ONRAMP": {"EXPIRED"}}
# The worker goes on where the contract ends: it polls, or returns the fiat (decision 0010).
CONTINUED: Mapping[str, set[str]] = {
    "WALLET.TRANSFER": {"UNKNOWN"},
    "WALLET.TRANSFER.BATCH": {"UNKNOWN"},
    "ONRAMP": {"CRYPTO_FAILED", "UNKNOWN"},
}
_BRIDGE = (
    "OPEN_QUOTE CREATED SOURCE_INITIATED SOURCE_PENDING SOURCE_PROCESSED DESTINATION_INITIATED"
    " DESTINATION_PENDING COMPLETED"
)
_ONRAMP = (
    "OPEN_QUOTE AWAITING_FUNDS FIAT_INITIATED FIAT_PENDING FIAT_PROCESSED CRYPTO_INITIATED"
    " CRYPTO_PENDING COMPLETED"
)
_OFFRAMP = (
    "CREATED OPEN_QUOTE CRYPTO_INITIATED CRYPTO_PENDING CRYPTO_PROCESSED FIAT_INITIATED"
    " FIAT_PENDING COMPLETED"
)
FLOWS = {
    "WALLET.TRANSFER": ["CREATED INITIATED PENDING COMPLETED", "PENDING_APPROVAL CREATED"],
    "WALLET.TRANSFER.BATCH": ["CREATED INITIATED PENDING COMPLETED", "PENDING_APPROVAL REJECTED"],
    "WALLET.SWAP": ["OPEN_QUOTE CREATED PENDING COMPLETED", "OPEN_QUOTE QUOTE_FAILED"],
    "WALLET.BRIDGE": [
        _BRIDGE,
        "PENDING_APPROVAL OPEN_QUOTE",
    ],
    "ONRAMP": [
        _ONRAMP,
        "FIAT_FAILED FIAT_RETURNED",
    ],
    "OFFRAMP": [
        _OFFRAMP,
        "PENDING_APPROVAL OPEN_QUOTE AWAITING_FUNDS",
        "FIAT_FAILED CRYPTO_RETURNED",
    ],
    "APPROVAL": ["PENDING APPROVED", "PENDING REJECTED", "PENDING EXPIRED"],
    "KYC.STATUS": [
        "INACTIVE CREATED PENDING ACTIVE",
        "PENDING INCOMPLETE PENDING RFI_PENDING PENDING MANUAL_REVIEW ACTIVE",
        "PENDING REJECTED",
    ],
}


@pytest.fixture
async def machines(container: Container, client: Any) -> dict[str, dict[str, Any]]:
    org: Tenant = await make_tenant(container, client)
    reply = await org.get(PATH)
    return {
        machine["type"]: {each["status"]: each for each in machine["statuses"]}
        for machine in reply["stateMachines"]
    }


@pytest.mark.parametrize("kind", STATUSES)
async def test_statuses_are_those_of_the_contract(
    machines: dict[str, dict[str, Any]], kind: str
) -> None:
    published = {each.rstrip("!") for each in STATUSES[kind].split()}
    expected = published - UNREACHABLE.get(kind, set()) | OURS.get(kind, frozenset())
    assert set(machines[kind]) == expected
    terminal = {each.rstrip("!") for each in STATUSES[kind].split() if each.endswith("!")}
    ends = terminal & expected - CONTINUED.get(kind, set()) | OURS.get(kind, frozenset())
    assert {name for name, each in machines[kind].items() if each["isTerminal"]} == ends


@pytest.mark.parametrize("kind", STATUSES)
async def test_flows_of_the_contract_are_possible(
    machines: dict[str, dict[str, Any]], kind: str
) -> None:
    for flow in FLOWS[kind]:
        for before, after in pairwise(flow.split()):
            assert after in machines[kind][before]["next"], (before, after)


async def test_every_edge_and_wait_is_that_of_the_running_tables(
    machines: dict[str, dict[str, Any]],
) -> None:
    running = registry.STATE_MACHINES
    assert set(machines) == set(running.transitions)
    assert set(registry.TRANSITIONS) < set(machines)
    assert set(registry.WAITS) < set(running.waits)
    for kind, transitions in running.transitions.items():
        found = machines[kind]
        edges = {
            (name, after)
            for name, each in found.items()
            for after in [*each["next"], *each["reopensTo"]]
        }
        assert edges == {(str(before), str(after)) for before, after in transitions.edges()}
        assert {name for name, each in found.items() if each["isStart"]} == set(transitions.start)
        waits: Mapping[str, WaitState] = running.waits[kind].table if kind in running.waits else {}
        parties = {name: each["waitsFor"] for name, each in found.items() if each["waitsFor"]}
        assert parties == {name: str(wait.party) for name, wait in waits.items()}
        for name, wait in waits.items():
            within = None if wait.within is None else wait.within.total_seconds()
            assert found[name]["stuckAfterSeconds"] == within


async def test_document_has_the_same_machines(
    machines: dict[str, dict[str, Any]], document: Document
) -> None:
    extension = document.whole["x-state-machines"]
    by_kind = {each["type"]: {one["status"]: one for one in each["statuses"]} for each in extension}
    assert by_kind == machines


def test_machine_without_waits_waits_for_nobody() -> None:
    (machine,) = (
        StateMachines({"WALLET.DEPOSIT": registry.TRANSITIONS["WALLET.DEPOSIT"]}, {})
        .list()
        .state_machines
    )
    assert not [each for each in machine.statuses if each.waits_for]
