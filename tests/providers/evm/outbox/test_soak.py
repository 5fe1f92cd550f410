"""The soak, and the control that shows that it can fail.

`make test-long` pays 1,000 orders in minutes, `make test-soak` 60 in about one.
"""

import os
import random
from collections.abc import AsyncGenerator, Generator
from pathlib import Path

import pytest

from landbridge.platform.db.embedded.server import EmbeddedPostgres
from landbridge.platform.db.migrate import migrate
from landbridge.platform.db.pool import Database
from tests.chain_world import chain_world
from tests.platform.db.embedded_servers import serving, short_directory
from tests.providers.evm.outbox.chain_orders import COIN, new_address, new_order
from tests.providers.evm.outbox.soak import (
    CONFIRMATIONS,
    FINALITY,
    Soak,
    check_recipients,
    create_orders,
    pay_naively,
)

pytestmark = pytest.mark.long

_IS_LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"
_ORDERS, _SECONDS, _DEEP = (1_000, 300.0, 20) if _IS_LONG else (60, 15.0, 2)


def _chance() -> random.Random:
    return random.Random(23)  # noqa: S311  the same run each time


@pytest.fixture
def server() -> Generator[EmbeddedPostgres]:
    """A PostgreSQL of this test's own, which it may kill."""
    with short_directory() as home, serving(home) as server:
        yield server


@pytest.fixture
async def killed_database(server: EmbeddedPostgres) -> AsyncGenerator[Database]:
    database = await Database.connect(server.dsn, name="tests", size_max=8)
    await migrate(database)
    yield database
    await database.close()


async def test_each_payout_is_paid_and_each_deposit_credited_once_whatever_fails(
    tmp_path: Path, server: EmbeddedPostgres, killed_database: Database
) -> None:
    async with chain_world(
        tmp_path,
        killed_database,
        relayers=2,
        confirmations=CONFIRMATIONS,
        finality=FINALITY,
        replace_after_s=5,
        has_signer=False,
    ) as world:
        soak = Soak(world, server, tmp_path, _chance())
        orders = await create_orders(world, _ORDERS)
        await soak.run(orders, seconds=_SECONDS, deep_reorganisations=_DEEP)
        print(dict(soak.counts))  # noqa: T201  figures of the run


async def test_sending_before_recording_fails_the_same_check(
    tmp_path: Path, own_database: Database
) -> None:
    async with chain_world(tmp_path, own_database) as world:
        orders = [await new_order(world, {new_address(): COIN + n}) for n in range(20)]
        await world.mint("usdc", orders[0].source, 100 * COIN)
        await pay_naively(world, orders[:10], _chance(), deaths=0)
        await check_recipients(world, orders[:10])
        await pay_naively(world, orders[10:], _chance(), deaths=0.2)
        with pytest.raises(AssertionError):
            await check_recipients(world, orders[10:])
