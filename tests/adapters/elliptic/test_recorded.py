"""What the adapter sends and reads, compared with documented examples."""

import base64
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import msgspec
import pytest

from landbridge.providers.packages.http_client import NoAnswer, ProviderAnswer
from landbridge.providers.packages.interface import NotDone, RiskCategory, ScreeningState
from landbridge_elliptic.client import TRANSACTIONS, WALLETS, sign_request
from landbridge_elliptic.messages import (
    WAITS_S,
    EllipticAnalysis,
    risk_categories,
    screening_state,
)
from landbridge_elliptic.settings import EllipticOptions
from landbridge_elliptic.subject import analysis_order
from tests.adapters.elliptic.kit import deposit, elliptic_world, package_settings, payment
from tests.adapters.served import ROOT, recorded

RECORDED = ROOT / "tests/adapters/elliptic/recorded"
OPTIONS = msgspec.convert(dict(package_settings("https://example.com").options), EllipticOptions)
CATEGORY = UUID("0a52f7a2-5da8-4256-b230-df0da6f8449b")
PAGES = (
    "https://developers.elliptic.co/docs/",
    "https://raw.githubusercontent.com/api-evangelist/elliptic/",
)


def test_the_documented_signatures_are_made() -> None:
    example = recorded("elliptic", "signature.json")
    secret, at_ms = base64.b64decode(example["secret"]), example["time_of_request_in_ms"]
    for each in example["examples"]:
        body = None if each["payload"] is None else each["payload"].encode()
        made = sign_request(secret, at_ms, each["method"], each["path"], body)
        assert made == each["signature"]
        upper = each["path"].upper()
        assert sign_request(secret, at_ms, each["method"], upper, body) == made


@pytest.mark.parametrize(
    ("file", "make", "service"),
    [("transaction.json", deposit, TRANSACTIONS), ("wallet.json", payment, WALLETS)],
)
def test_an_analysis_has_the_documented_request(file: str, make: Any, service: Any) -> None:
    example, order = recorded("elliptic", file), analysis_order(make(), OPTIONS)
    assert order.service == service
    assert f"{service.path.removeprefix('/v2')}/synchronous" == example["path"]
    assert set(order.body) == set(example["request"])
    assert set(order.body["subject"]) == set(example["request"]["subject"])
    for name in ("asset", "blockchain", "type", "output_type"):
        assert order.body["subject"].get(name) == example["request"]["subject"].get(name)
    assert order.body["type"] in example["types"]


@pytest.mark.parametrize(
    ("file", "reference"), [("transaction.json", "sa-rerouting-BTC"), ("wallet.json", "foobar")]
)
def test_a_documented_analysis_is_read(file: str, reference: str) -> None:
    body = msgspec.json.encode(recorded("elliptic", file)["answer"])
    analysis = ProviderAnswer(200, body, {}).read(EllipticAnalysis)
    assert analysis.customer.reference == reference
    assert screening_state(analysis, OPTIONS) is ScreeningState.HIT
    assert risk_categories(analysis, {}) == (RiskCategory.SANCTIONS,)
    assert risk_categories(analysis, {CATEGORY: RiskCategory.DARKNET}) == (
        RiskCategory.SANCTIONS,
        RiskCategory.DARKNET,
    )


def test_a_transaction_of_other_assets_is_not_clear() -> None:
    answer = {**recorded("elliptic", "transaction.json")["answer"], "risk_score": 0}
    analysis = msgspec.convert(answer, EllipticAnalysis)
    with pytest.raises(NoAnswer, match="none of the assets"):
        screening_state(analysis, OPTIONS)
    ours = msgspec.structs.replace(OPTIONS, assets={"usdt/TRON": "USDT/tron"})
    assert screening_state(analysis, ours) is ScreeningState.CLEAR


def test_tables_have_documented_values_only() -> None:
    assert set(recorded("elliptic", "statuses.json")["process_status"]) == set(WAITS_S)


def test_lists_are_asked_as_documented() -> None:
    example = recorded("elliptic", "lists.json")
    for service in (WALLETS, TRANSACTIONS):
        assert service.sort in example["sorts"][service.path.removeprefix("/v2")]


async def test_documented_errors_decide_nothing() -> None:
    for each in recorded("elliptic", "errors.json")["errors"]:
        async with elliptic_world() as world:
            world.elliptic.error = (each["status"], each["body"])
            if each["body"] == "Unauthorized" or each["status"] in {403, 429}:
                with pytest.raises(NotDone):
                    await world.adapter().screen(deposit())
            elif each["status"] == 404 and each["body"]["name"] == "NotInBlockchain":
                answer = await world.adapter().screen(deposit())
                assert answer.state is ScreeningState.PENDING
            else:
                with pytest.raises(NoAnswer):
                    await world.adapter().screen(deposit())


async def test_the_simulation_answers_with_documented_members() -> None:
    lists = recorded("elliptic", "lists.json")
    async with elliptic_world() as world:
        await world.adapter().screen(deposit())
        await world.adapter().screen(payment())
        elliptic = world.elliptic
        for analysis in elliptic.analyses:
            file = "wallet.json" if analysis.service == "wallet" else "transaction.json"
            example = recorded("elliptic", file)["answer"]
            shown = msgspec.json.decode(str(elliptic._get(analysis.service, analysis.id).text))  # pyright: ignore[reportPrivateUsage]
            assert set(shown) <= set(example)
            service = WALLETS if analysis.service == "wallet" else TRANSACTIONS
            query = {"customer_reference_contains": "", "per_page": "20", "sort": service.sort}
            page = msgspec.json.decode(str(elliptic._list(analysis.service, query).text))  # pyright: ignore[reportPrivateUsage]
            assert set(page) == set(lists["page"])
            path = f"/{analysis.service}"
            assert set(page["items"][0]) <= set(lists["items"][path])
            assert set(query) == set(lists["queries"][path])


def test_requests_are_signed_with_the_time_in_milliseconds() -> None:
    example = recorded("elliptic", "signature.json")["time_of_request_in_ms"]
    assert datetime.fromtimestamp(example / 1_000, UTC).year == 2016


def test_each_example_names_its_page() -> None:
    for path in RECORDED.glob("*.json"):
        content = msgspec.json.decode(path.read_bytes())
        assert all(page.startswith(PAGES) for page in content["sources"])
