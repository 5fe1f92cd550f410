"""What the adapter sends and reads, compared with documented examples."""

import re

import msgspec
import pytest

from landbridge.providers.packages.interface import FailureCode
from landbridge_ebanx.messages import (
    DUPLICATE_CODE,
    REASONS,
    REFUSALS,
    STATES,
    EbanxAnswer,
    exact_amount,
)
from landbridge_ebanx.order import order_form
from tests.adapters.ebanx.kit import PIX, SPEI, ebanx_world, order
from tests.adapters.served import ROOT, recorded

RECORDED = ROOT / "tests/adapters/ebanx/recorded"


@pytest.mark.parametrize(("file", "payee"), [("create_pix.json", PIX), ("create_spei.json", SPEI)])
def test_an_order_has_documented_fields_only(file: str, payee: dict[str, object]) -> None:
    example, form = recorded("ebanx", file), dict(order_form(order(payee), "payees@example.com"))
    assert set(form) <= set(example["fields"])
    assert set(example["values"].items()) <= set(form.items())
    assert form["payee[document_type]"] in example["document_types"]
    assert 6 <= len(form["external_reference"]) <= 40


async def test_the_documented_payout_is_read() -> None:
    body = msgspec.json.encode(recorded("ebanx", "retrieve.json")["answer"])
    payout, reason = msgspec.json.decode(body, type=EbanxAnswer).read_payout()
    assert (payout.external_reference, payout.status) == ("PAYOUT_EBANX_01", "PA")
    assert (f"{exact_amount(payout)}", payout.request_currency) == ("100.00", "USD")
    assert re.fullmatch(r"[0-9a-f]{41}", payout.uid)
    assert reason is FailureCode.OTHER


def test_tables_have_documented_values_only() -> None:
    assert set(recorded("ebanx", "statuses.json")["statuses"]) == set(STATES)
    assert {DUPLICATE_CODE, *REFUSALS} <= set(recorded("ebanx", "error.json")["codes"])
    assert set(REASONS) <= set(recorded("ebanx", "cancelled.json")["codes"])


async def test_the_simulation_answers_with_documented_members() -> None:
    example = recorded("ebanx", "retrieve.json")["answer"]["payout"]
    async with ebanx_world() as world:
        await world.adapter().pay(order())
        answer = world.ebanx._retrieve({"uid": world.ebanx.only().uid})  # pyright: ignore[reportPrivateUsage]
    shown = msgspec.json.decode(str(answer.text))["payout"]
    assert set(shown) - {"paid_date"} <= set(example)


def test_each_example_names_its_page() -> None:
    for path in RECORDED.glob("*.json"):
        content = msgspec.json.decode(path.read_bytes())
        pages = content.get("sources") or [content["source"]]
        assert all(page.startswith("https://docs.ebanx.com/docs/payout/") for page in pages)
