"""A commit that nobody heard of is tried again, and must not be done again."""

from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from decimal import Decimal
from typing import TypeVar
from uuid import UUID

import pytest
from typing_extensions import override

from landbridge.chains.tokens import Chain
from landbridge.core.clock import Clock
from landbridge.core.money import Rate
from landbridge.db.pool import Database, Tx
from landbridge.orgs.service import take_lane
from landbridge.rates.port import Price
from landbridge.wallets.errors import WalletAlreadyExists
from landbridge.wiring import wire
from tests.tenants import SETTINGS, Tenant, make_user

T = TypeVar("T")
ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7"


class Forgetful(Database):
    """Loses the connection at each commit, after it: everything is done twice."""

    @override
    async def transact(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        await super().transact(work)
        return await super().transact(work)

    @override
    async def single(self, work: Callable[[Tx], Awaitable[T]]) -> T:
        await super().single(work)
        return await super().single(work)


@pytest.fixture
async def doubtful(dsn: str, org: Tenant) -> AsyncIterator[Tenant]:
    """`org`, in a house that does everything twice."""
    database = await Forgetful.connect(dsn, name="tests", size_max=2)
    house = wire(SETTINGS, database, Clock(await take_lane(org.house.database)))
    yield Tenant(house, org.client, org.caller, org.key)
    await database.close()


async def told(org: Tenant, org_id: UUID, kind: str) -> list[tuple[str, int]]:
    rows = await org.house.database.rows(
        "select what, seq from changes where org_id = $1 and kind = $2 order by at, seq",
        org_id,
        kind,
    )
    return [(row["what"], row["seq"]) for row in rows]


async def test_an_organisation_and_its_keys_are_made_once(doubtful: Tenant) -> None:
    orgs = doubtful.house.orgs
    made = await orgs.create("Twice")
    key, secret = await orgs.create_key(made.id, "once", expires_at=None)
    assert [each.id for each in await orgs.keys(made.id)] == [key.id]
    assert (await orgs.authenticate(secret)).key_id == key.id
    await orgs.revoke_key(made.id, key.id)
    assert await told(doubtful, made.id, "ORG") == [("create", 1)]
    assert await told(doubtful, made.id, "API_KEY") == [("create", 1), ("revoke", 2)]


async def test_a_clock_is_moved_once(doubtful: Tenant) -> None:
    orgs, org_id = doubtful.house.orgs, doubtful.org_id
    minute = timedelta(minutes=1)
    assert await orgs.advance_clock(org_id, minute, actor="test") == minute
    assert await orgs.advance_clock(org_id, minute, actor="test") == 2 * minute
    assert await orgs.clock_offset(org_id) == 2 * minute
    assert await told(doubtful, org_id, "CLOCK") == [("advance", 1), ("advance", 1)]


async def test_a_price_is_set_and_removed_once(doubtful: Tenant) -> None:
    prices, org_id = doubtful.house.prices, doubtful.org_id
    pair = {"source_currency": "usdc", "destination_currency": "usdt"}
    for rate in ("1", "2"):
        await prices.set_price(
            org_id,
            source_currency="usdc",
            destination_currency="usdt",
            price=Price(Rate(Decimal(rate)), Decimal(0), None),
            at=doubtful.house.clock.stamp(),
        )
    await prices.remove_price(org_id, **pair, at=doubtful.house.clock.stamp())
    assert not await prices.prices(org_id)
    # Nothing is left to remove, and nothing is told.
    await prices.remove_price(org_id, **pair, at=doubtful.house.clock.stamp())
    assert await told(doubtful, org_id, "PRICE") == [("set", 1), ("set", 2), ("remove", 3)]


async def test_an_outside_address_is_registered_once(org: Tenant, doubtful: Tenant) -> None:
    user = UUID(await make_user(org))

    async def register() -> UUID:
        wallet = await doubtful.house.wallets.register(
            doubtful.caller, user, chain=Chain.POLYGON, address=ADDRESS, name="a", reference="b"
        )
        return wallet.id

    wallet_id = await register()
    assert (await org.house.wallets.external(org.org_id, wallet_id)).address == ADDRESS
    with pytest.raises(WalletAlreadyExists):
        await register()
    assert len(await told(org, org.org_id, "WALLET.EXTERNAL")) == 1
