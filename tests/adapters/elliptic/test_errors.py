"""What Elliptic refuses or garbles decides nothing."""

from collections.abc import AsyncGenerator
from typing import Any

import pytest

from landbridge.providers.packages.http_client import NoAnswer
from landbridge.providers.packages.interface import (
    NotDone,
    ScreeningState,
)
from tests.adapters.elliptic.kit import (
    SENDER,
    EllipticWorld,
    deposit,
    elliptic_world,
    payment,
)
from tests.adapters.elliptic.simulation import DARK_MARKET

BOTH = pytest.mark.parametrize("make", [deposit, payment])


@pytest.fixture
async def world() -> AsyncGenerator[EllipticWorld]:
    async with elliptic_world() as found:
        yield found


@BOTH
@pytest.mark.parametrize("name", ["list", "get", "analyse"])
async def test_a_limit_of_requests_does_nothing(world: EllipticWorld, make: Any, name: str) -> None:
    request = make()
    if name == "get":
        await world.adapter().screen(request)
    world.elliptic.limited = {name}
    with pytest.raises(NotDone, match="429"):
        await world.adapter().screen(request)
    world.elliptic.limited = set()
    assert (await world.adapter().screen(request)).state is ScreeningState.CLEAR


@BOTH
@pytest.mark.parametrize("name", ["list", "get", "analyse"])
async def test_an_error_of_elliptic_decides_nothing(
    world: EllipticWorld, make: Any, name: str
) -> None:
    request = make()
    if name == "get":
        await world.adapter().screen(request)
    world.elliptic.broken = {name}
    with pytest.raises(NoAnswer, match="500"):
        await world.adapter(unknown_address="clear").screen(request)


@BOTH
@pytest.mark.parametrize(
    ("status", "name"), [(400, "BadRequestError"), (404, "NotFoundError"), (400, "NotInBlockchain")]
)
async def test_a_refusal_of_elliptic_decides_nothing(
    world: EllipticWorld, make: Any, status: int, name: str
) -> None:
    world.elliptic.error = (status, {"name": name, "message": "A text"})
    with pytest.raises(NoAnswer):
        await world.adapter(unknown_address="clear").screen(make())


@pytest.mark.parametrize("secrets", [{"api_key": "another-key"}, {"api_secret": "YW5vdGhlcg=="}])
async def test_a_wrong_key_or_secret_does_nothing(
    world: EllipticWorld, secrets: dict[str, str]
) -> None:
    with pytest.raises(NotDone, match="401"):
        await world.adapter(secrets).screen(deposit())
    assert not world.elliptic.analyses


@BOTH
@pytest.mark.parametrize(
    "lies",
    [
        {"process_status": "cancelled"},
        {"process_status": ...},
        {"risk_score": ...},
        {"risk_score": 11},
        {"risk_score": -1},
        {"risk_score": "low"},
        {"risk_score": None, "evaluation_detail": [{"rule_id": DARK_MARKET}]},
        {"customer": {"reference": "another"}},
        {"customer": ...},
        {"subject": {"hash": SENDER}},
        {"subject": ...},
        {"id": "no id"},
        {"asset_list": ["ETH/ethereum"]},
        {"asset_list": []},
    ],
)
async def test_an_answer_that_is_not_clear_decides_nothing(
    world: EllipticWorld, make: Any, lies: dict[str, Any]
) -> None:
    world.elliptic.lies = lies
    with pytest.raises(NoAnswer):
        await world.adapter().screen(make())


@pytest.mark.parametrize("garbled", [b"", b"null", b"{", b"[]", b'{"id": 1}', b"\xff"])
async def test_an_answer_that_is_no_analysis_decides_nothing(
    world: EllipticWorld, garbled: bytes
) -> None:
    world.elliptic.garbled = garbled
    with pytest.raises(NoAnswer):
        await world.adapter().screen(deposit())
