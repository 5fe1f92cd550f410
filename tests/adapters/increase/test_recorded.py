"""What the adapter sends and reads, compared with documented examples and lists."""

from typing import Any

import msgspec
import pytest

from landbridge.providers.packages.interface import PayoutState
from landbridge_increase.client import (
    INVALID_OPERATION,
    INVALID_PARAMETERS,
    KEY_USED,
    NOT_FOUND,
    NOT_TAKEN,
    IncreaseError,
)
from landbridge_increase.inbound import CREDITS, REVERSALS, IncreaseAccountNumber
from landbridge_increase.messages import (
    NETWORKS,
    REJECT_REASONS,
    RETURN_REASONS,
    IncreaseTransfer,
    transfer_state,
)
from landbridge_increase.notification import IncreaseEvent
from landbridge_increase.order import order_body
from landbridge_increase.settings import read_settings
from tests.adapters.increase.kit import increase_world, order, package_settings
from tests.adapters.increase.simulation import FIRST_STATUS, REQUIRED
from tests.adapters.served import ROOT, recorded

RECORDED = ROOT / "tests/adapters/increase/recorded"
OPTIONS = read_settings(package_settings("https://sandbox.increase.com")).options
RAILS = {"ach": "ach", "wire": "wire", "rtp": "rtp", "fednow": "fednow"}


def page(network: str) -> Any:
    return recorded("increase", f"{network}_transfer.json")


@pytest.mark.parametrize("network", NETWORKS)
def test_an_order_has_documented_fields_only(network: str) -> None:
    texts = {"achReference": "INV 29", "wireMessage": "one", "paymentReference": "two"}
    body = order_body(order(RAILS[network], texts=texts), network, OPTIONS)
    fields = page(network)["request"]
    assert set(body) <= set(fields)
    path = NETWORKS[network].path.removeprefix("/")
    assert REQUIRED[path] <= set(body) & set(fields)


@pytest.mark.parametrize("network", NETWORKS)
def test_each_documented_status_is_in_a_table(network: str) -> None:
    statuses = page(network)["statuses"]
    assert set(NETWORKS[network].states) == set(statuses)
    assert FIRST_STATUS[NETWORKS[network].path.removeprefix("/")] in statuses


def test_reasons_are_documented() -> None:
    assert set(RETURN_REASONS) <= set(page("ach")["reasons"])
    assert set(REJECT_REASONS) <= {*page("rtp")["reasons"], *page("fednow")["reasons"]}


def test_the_documented_transfer_is_read() -> None:
    example = page("ach")["answer"]
    shown = {**example, "status": "submitted", "type": "ach_transfer"}
    transfer = msgspec.convert(shown, IncreaseTransfer)
    assert (transfer.id, transfer.amount) == ("ach_transfer_uoxatyh3lt5evrsdvo7q", 100)
    assert transfer_state(transfer) is PayoutState.PENDING
    settled = {**shown, "settlement": {"settled_at": "2020-01-31T23:59:59Z"}}
    assert transfer_state(msgspec.convert(settled, IncreaseTransfer)) is PayoutState.SETTLED


def test_errors_are_documented() -> None:
    example = recorded("increase", "errors.json")
    known = {INVALID_OPERATION, INVALID_PARAMETERS, KEY_USED, NOT_FOUND, *NOT_TAKEN}
    assert known | {"internal_server_error"} == set(example["types"])
    assert msgspec.convert(example["answer"], IncreaseError).type == INVALID_OPERATION


def test_inbound_tables_are_documented() -> None:
    example = recorded("increase", "inbound.json")
    assert {*CREDITS, *REVERSALS} <= set(example["categories"])
    for network in CREDITS.values():
        statuses = example["statuses"][network.path]
        assert network.accepted in statuses
        if network.returned is not None:
            assert network.returned in statuses
            assert network.reason in example["return_reasons"][network.path]


def test_the_documented_event_is_read() -> None:
    example = recorded("increase", "event.json")["answer"]
    event = msgspec.convert(example, IncreaseEvent)
    assert (event.associated_object_type, event.associated_object_id) == (
        "transaction",
        "transaction_abc123",
    )


def test_account_numbers_have_documented_members() -> None:
    example = recorded("increase", "account_number.json")
    assert set(IncreaseAccountNumber.__struct_fields__) <= set(example["members"])


@pytest.mark.parametrize("network", NETWORKS)
async def test_the_simulation_answers_with_documented_members(network: str) -> None:
    example = page(network)
    members = set(example.get("members") or {*example["answer"], *example["members_beside"]})
    async with increase_world() as world:
        await world.adapter().pay(order(RAILS[network]))
        transfer = world.increase.only()
        world.increase.complete(transfer)
    shown = {name for name, value in transfer.items() if value is not None}
    assert shown <= members


def test_each_example_names_its_page() -> None:
    for path in RECORDED.glob("*.json"):
        content = msgspec.json.decode(path.read_bytes())
        pages = content.get("sources") or [content["source"]]
        begins = ("https://increase.com/documentation/", "https://github.com/Increase/")
        assert all(page.startswith(begins) for page in pages)
