"""The Python library against the application: payments, pages, retries and errors."""

from collections.abc import AsyncIterator
from datetime import datetime
from decimal import Decimal
from typing import Any, cast
from uuid import UUID, uuid4

import httpx
import pytest

from landbridge.payments.onramps.model import KIND as ONRAMP
from landbridge.platform.http.telemetry import with_telemetry
from landbridge_sdk import (
    AsyncLandbridge,
    Conflict,
    InvalidRequest,
    Landbridge,
    LandbridgeError,
    NotAuthenticated,
    NotFound,
    NotReached,
    ServerError,
    requests,
)
from landbridge_sdk.requests import NewWebhook
from tests.applications import app_of
from tests.change_log import placed
from tests.reporting.metrics.record_history import Paid, fold, put
from tests.tenants import URL, Tenant, make_user


class Network(httpx.AsyncBaseTransport):
    """Carries requests to the application; loses answers, or refuses, as told."""

    def __init__(self, org: Tenant) -> None:
        self._app = httpx.ASGITransport(
            cast("Any", with_telemetry(cast("Any", app_of(org.container))))
        )
        self.sent: list[httpx.Request] = []
        self.lose = 0
        self.refuse = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        if self.refuse:
            self.refuse -= 1
            return httpx.Response(503, headers={"Retry-After": "0"})
        response = await self._app.handle_async_request(request)
        await response.aread()
        if self.lose:
            self.lose -= 1
            raise httpx.ReadError("the connection was lost")
        return response


@pytest.fixture
def network(org: Tenant) -> Network:
    return Network(org)


@pytest.fixture
async def lb(org: Tenant, network: Network) -> AsyncIterator[AsyncLandbridge]:
    async with AsyncLandbridge(org.key, base_url=URL, transport=network) as client:
        yield client


def a_swap(user: str, amount: str = "10") -> requests.NewSwap:
    return {
        "source": {"userId": user, "chain": "POLYGON", "currency": "usdc", "amount": amount},
        "destination": {"chain": "POLYGON", "currency": "usdt"},
    }


async def test_a_swap_from_quote_to_completion(org: Tenant, lb: AsyncLandbridge) -> None:
    user = await make_user(org, funds="100")
    swap = await lb.swaps.create(a_swap(user))
    assert swap.transfer_details.status == "OPEN_QUOTE"
    assert swap.transfer_details.source.amount == Decimal(10)
    accepted = await lb.swaps.accept(swap.transfer_details.id)
    assert accepted.transfer_details.status == "COMPLETED"
    assert accepted.transfer_details.created_at.tzinfo is not None


async def test_lost_answers_create_one_swap(
    org: Tenant, lb: AsyncLandbridge, network: Network
) -> None:
    user = await make_user(org, funds="100")
    network.lose = 2
    swap = await lb.swaps.create(a_swap(user))
    tries = [each for each in network.sent if each.method == "POST"]
    assert len({each.content for each in tries}) == 1
    assert len(tries) == 3
    found = [each.transfer_details.id async for each in lb.swaps.list_all(user_id=user)]
    assert found == [swap.transfer_details.id]


async def test_a_payment_without_an_answer_is_sent_again_under_the_id_of_its_error(
    org: Tenant, lb: AsyncLandbridge, network: Network
) -> None:
    user = await make_user(org, funds="100")

    def again_as(error: LandbridgeError) -> requests.NewSwap:
        assert error.idempotency_key is not None
        return {**a_swap(user), "requestId": error.idempotency_key}

    network.lose = 3
    with pytest.raises(NotReached) as lost:
        await lb.swaps.create(a_swap(user))
    network.refuse = 3
    with pytest.raises(ServerError) as busy:
        await lb.swaps.create(again_as(lost.value))
    assert busy.value.idempotency_key == lost.value.idempotency_key
    swap = await lb.swaps.create(again_as(busy.value))
    found = [each.transfer_details.id async for each in lb.swaps.list_all(user_id=user)]
    assert found == [swap.transfer_details.id]


async def test_write_without_an_id_is_done_once_under_one_key(
    lb: AsyncLandbridge, network: Network
) -> None:
    network.lose = 2
    body: NewWebhook = {"url": "http://127.0.0.1:9/x", "eventTypes": ["*"]}
    created = await lb.webhooks.create(body)
    assert len({each.headers["Idempotency-Key"] for each in network.sent}) == 1
    assert len(network.sent) == 3
    assert [each.id for each in (await lb.webhooks.list()).webhooks] == [created.id]
    key = network.sent[0].headers["Idempotency-Key"]
    assert (await lb.webhooks.create(body, idempotency_key=key)).id == created.id


@pytest.mark.parametrize("id_", ["", ".", "..", "x/freeze"])
async def test_ids_lead_to_no_other_operation(
    lb: AsyncLandbridge, network: Network, id_: str
) -> None:
    with pytest.raises(LandbridgeError, match="can't be part of"):
        await lb.users.retrieve(id_)
    assert not network.sent


async def test_busy_server_is_asked_again(lb: AsyncLandbridge, network: Network) -> None:
    network.refuse = 2
    assert (await lb.service.ping()).message == "pong"
    assert len(network.sent) == 3


async def test_pages_are_followed_to_the_end(org: Tenant, lb: AsyncLandbridge) -> None:
    user = await make_user(org, funds="100")
    made = [(await lb.swaps.create(a_swap(user, "1"))).transfer_details.id for _ in range(5)]
    found = [each.transfer_details.id async for each in lb.swaps.list_all(user_id=user, limit=2)]
    assert found == made[::-1]


async def test_log_of_events_is_followed_to_its_end(org: Tenant, lb: AsyncLandbridge) -> None:
    user = await make_user(org)
    await placed(org.container.database)
    types = [each.event_type async for each in lb.events.list_all(object_id=user, limit=1)]
    assert types[0] == "USER.CREATE"


async def test_dry_run_writes_nothing(org: Tenant, lb: AsyncLandbridge) -> None:
    user = await make_user(org, funds="100")
    assert await lb.swaps.create(a_swap(user), dry_run=True)
    assert [each async for each in lb.swaps.list_all(user_id=user)] == []


async def test_errors_have_a_class_and_say_what_is_wrong(
    org: Tenant, lb: AsyncLandbridge, network: Network
) -> None:
    user = await make_user(org, funds="100")
    with pytest.raises(InvalidRequest, match="FIELD_VALIDATION_ERROR") as invalid:
        await lb.swaps.create(a_swap(user, "1.1234567"))
    assert invalid.value.request_id
    assert "amount" in invalid.value.message
    with pytest.raises(NotFound):
        await lb.swaps.retrieve(str(uuid4()))
    request_id = str(uuid4())
    await lb.swaps.create({**a_swap(user), "requestId": request_id})
    with pytest.raises(Conflict):
        await lb.swaps.create({**a_swap(user, "11"), "requestId": request_id})
    async with AsyncLandbridge("x" * 40, base_url=URL, transport=network) as stranger:
        with pytest.raises(NotAuthenticated):
            await stranger.users.list()


async def test_files_are_uploaded_and_downloaded(lb: AsyncLandbridge) -> None:
    content = b"%PDF-1.4\n%%EOF\n"
    stored = await lb.files.create("a.pdf", content)
    assert await lb.files.download(stored.id) == content


async def test_reporting_errors_have_their_name(lb: AsyncLandbridge) -> None:
    with pytest.raises(NotFound) as missing:
        await lb.metrics.retrieve(str(uuid4()))
    assert missing.value.name


async def test_rows_of_reports_have_exact_values(org: Tenant, lb: AsyncLandbridge) -> None:
    paid_at = datetime.fromisoformat("2025-11-03T12:00Z")
    await put(org, [Paid(paid_at, ONRAMP, "COMPLETED", UUID(await make_user(org)), 1001)])
    await fold(org)
    volume = await lb.metrics.preview(
        {
            "template": "GROSS_VOLUME",
            "params": {
                "createdAfter": "2025-11-03",
                "createdBefore": "2025-11-04",
                "calculationInterval": "day",
                "breakdowns": ["transactionType"],
            },
        }
    )
    (row,) = [each for each in volume.data if each["grossVolumeUsd"]]
    assert row["transactionType"] == "onramp"
    assert row["grossVolumeUsd"] == Decimal("10.01")


async def test_statements_are_objects_and_files(org: Tenant, lb: AsyncLandbridge) -> None:
    user = await make_user(org, funds="100")
    statement = await lb.statements.download(
        user_id=user, created_after="2026-01-01", created_before="2026-02-01"
    )
    assert statement.data.user.id == user
    printed = await lb.statements.download_file(
        user_id=user, created_after="2026-01-01", created_before="2026-02-01", format="pdf"
    )
    assert printed.startswith(b"%PDF-")


def test_client_needs_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LANDBRIDGE_API_KEY", raising=False)
    with pytest.raises(LandbridgeError, match="LANDBRIDGE_API_KEY"):
        Landbridge()


def test_lost_answer_names_the_address_without_its_password() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("connection refused", request=request)

    address, transport = "http://ada:secret@127.0.0.1:9", httpx.MockTransport(refuse)
    lb = Landbridge("key", base_url=address, retries=0, transport=transport)
    with lb, pytest.raises(NotReached) as lost:
        lb.service.ping()
    assert str(lost.value) == "no answer to GET http://127.0.0.1:9/v2/ping: connection refused"
