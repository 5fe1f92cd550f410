"""Messages of other VASPs that a provider has: those that can't be stored hold up no others."""

from pathlib import Path
from typing import Any

import pytest

from landbridge.platform.db.pool import Database
from landbridge.providers.sidecar.travel_protocol import INBOX_BYTES_MAX, INBOX_MAX
from tests.customers.travel_exchanges.exchange_world import ExchangeWorld
from tests.customers.travel_exchanges.test_provider import (
    address_of,
    inquiry_of,
    provider_world,
    read_inbox,
)


async def stored(world: ExchangeWorld) -> list[str]:
    """Return the ids of the inquiries that were stored."""
    found = await world.exchanges(direction="INCOMING")
    return [each["requestIdentifier"] for each in found]


@pytest.mark.parametrize(
    "changes",
    [
        {"token": "x"},
        {"counterparty": "A B"},
        {"orgId": "x"},
        {"ivms101": {"name": "cut within a character \ud83d"}},
        {"ivms101": {"name": "x" * (INBOX_BYTES_MAX // 3)}},
    ],
)
async def test_messages_that_fill_an_answer_hold_up_none(
    database: Database, tmp_path: Path, changes: dict[str, Any]
) -> None:
    async with provider_world(database, tmp_path) as (world, provider):
        messages = [inquiry_of(world) | {"id": f"in-{each}"} for each in range(INBOX_MAX + 1)]
        inbox = {"inquiries": [each | changes for each in messages[:-1]] + messages[-1:]}
        # Of long messages fewer fit into each further answer.
        for _ in range(INBOX_MAX.bit_length()):
            await read_inbox(world, provider, inbox)
        assert messages[-1]["id"] in await stored(world)


async def test_confirmations_that_wait_for_people_hold_up_none(
    database: Database, tmp_path: Path
) -> None:
    async with provider_world(database, tmp_path) as (world, provider):
        wallet = await address_of(world)
        inquiries = [
            inquiry_of(world) | {"id": f"in-{each}", "walletAddress": wallet}
            for each in range(INBOX_MAX + 1)
        ]
        await read_inbox(world, provider, {"inquiries": inquiries})
        (last,) = [
            each
            for each in await world.exchanges(direction="INCOMING")
            if each["requestIdentifier"] == inquiries[-1]["id"]
        ]
        path = f"/v2/travel-rule/exchanges/{last['id']}"
        await world.org.post(f"{path}/approve", {})
        confirmations = [
            {name: each[name] for name in ("id", "orgId", "counterparty")} for each in inquiries
        ]
        # As long as they leave room for others, they wait.
        await read_inbox(world, provider, {"confirmations": confirmations[: INBOX_MAX - 1]})
        assert len(provider.inbox["confirmations"]) == INBOX_MAX - 1
        await read_inbox(world, provider, {"confirmations": confirmations})
        assert (await world.org.get(path))["status"] == "CANCELLED"
