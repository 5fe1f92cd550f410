"""Payments that come back after they were settled, and deposits that the bank takes back.

The rails are files in a folder, the bank is the sandbox's own; a person resolves its lines.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from landbridge.bank_files.answering import Outcome
from landbridge.db.pool import Database
from landbridge.ledger.model import Role
from tests.onramps import check_books, house_units
from tests.payouts import shown
from tests.tenants import Tenant, held

from .bank_story import DAY_S, Story, paying, paying_by_files

CAME_BACK = "the payment came back after it was settled"


@pytest.fixture
async def story(database: Database, tmp_path: Path) -> AsyncIterator[Story]:
    async with paying_by_files(database, tmp_path) as story:
        yield story


async def settled_wire(story: Story) -> tuple[str, str]:
    """A user, and their payout of a hundred dollars, which its bank has paid a day ago."""
    user, made = await paying(story, "us", "wire")
    await story.write()
    await story.answer(Outcome.SETTLE)
    assert (await shown(story.org, made))["status"] == "COMPLETED"
    await story.pass_time(DAY_S)
    return user, made["id"]


async def house(org: Tenant, role: Role, asset: str = "usd:BANK") -> int:
    return await house_units(org, role, asset)


async def test_a_wire_that_comes_back_a_day_later_gives_the_coins_back(story: Story) -> None:
    org = story.org
    user, offramp = await settled_wire(story)
    before = await house(org, Role.LIQUIDITY)
    line = await story.give_back(offramp)
    assert (line["kind"], line["reason"], line["amount"]) == ("CREDIT", CAME_BACK, "100")
    resolved = await story.resolve(line, "RETURN")
    assert (resolved["status"], resolved["resolution"]) == ("RESOLVED", "RETURN")
    assert resolved["transferId"] == offramp
    await story.pass_time(1)
    found = await shown(org, {"id": offramp})
    assert found["status"] == "CRYPTO_RETURNED"
    assert found["failedReason"] == "the bank returned it: AC04, the account is closed"
    assert await held(org, user) == "1000"
    assert await house(org, Role.LIQUIDITY) - before == 10_000
    await check_books(org)
