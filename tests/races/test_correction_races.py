"""Corrections against whatever moves their record, and against each other."""

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID

import pytest

from landbridge.core.errors import ResourceConflict
from landbridge.db.pool import Database, Tx
from landbridge.flows.offramps.model import Status as OfframpStatus
from landbridge.ledger import corrections
from landbridge.ledger.audit import audit, table
from landbridge.ledger.corrections import correct
from landbridge.ledger.errors import InsufficientBalance
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger, Opened
from landbridge.wiring import ASSETS
from landbridge.wiring import MOVES as HOUSE_MOVES
from tests import make
from tests.flows.offramps.playing import Play, playing
from tests.make import CLOCK, Status
from tests.payouts import OFFRAMPS, check_books, offramp_body
from tests.tenants import held
from tests.waiting import holding, waiting

MOVES = {**make.MOVES_BY_KIND, corrections.KIND: corrections.MOVES}
_HOLD_ACCOUNT = "select from accounts where org_id = $1 and id = $2 for update"


@pytest.fixture
async def play(own_database: Database) -> AsyncIterator[Play]:
    async with playing(own_database) as made:
        yield made


async def attempt(database: Database, record: Transfer, *seqs: int) -> Opened:
    return await correct(
        *(database, Ledger(database), ASSETS, MOVES),
        org_id=record.org_id,
        transfer_id=record.id,
        seqs=seqs,
        reason="a test",
        actor="cli",
        at=CLOCK.stamp(),
    )


async def held_payment(database: Database) -> tuple[Transfer, UUID]:
    """A payment of 7 that is held, and the account of 10 that holds it."""
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=10)
    asked = make.opening(org_id, Status.HELD, units=7, account_id=account_id)
    return make.opened(await Ledger(database).open(asked, make.MOVES)), account_id


async def check(database: Database, org_id: UUID) -> None:
    audited = await audit(database, MOVES, {}, org_id=org_id)
    assert audited.is_clean, table(audited)


@pytest.mark.parametrize("status", [Status.SETTLED, Status.RETURNED])
async def test_a_correction_waits_for_a_move_and_sees_where_it_led(
    own_database: Database, status: Status
) -> None:
    record, account_id = await held_payment(own_database)
    has_moved, may_commit = asyncio.Event(), asyncio.Event()

    async def move(tx: Tx) -> None:
        moved = await Ledger(own_database).advance_in(tx, make.move(record, status), make.MOVES)
        make.moved(moved)
        has_moved.set()
        await may_commit.wait()

    moving = asyncio.create_task(own_database.transact(move))
    await has_moved.wait()
    hold_alone = asyncio.create_task(attempt(own_database, record, 1))
    both = asyncio.create_task(attempt(own_database, record, 1, 2))
    await waiting(own_database, 2)
    may_commit.set()
    await moving
    # It would leave the rest of the payment held or, after the other, was corrected with it.
    with pytest.raises(ResourceConflict):
        await hold_alone
    assert not (await both).is_replay
    assert await make.balance(own_database, account_id) == (10, 0)
    await check(own_database, record.org_id)


async def test_a_move_that_waits_for_a_refused_correction_goes_through(
    own_database: Database,
) -> None:
    record, account_id = await held_payment(own_database)
    async with holding(
        own_database,
        "select from transfers where org_id = $1 and id = $2 for update",
        *(record.org_id, record.id),
    ):
        wrong = asyncio.create_task(attempt(own_database, record, 1))
        await waiting(own_database, 1)
        settle = make.move(record, Status.SETTLED)
        moving = asyncio.create_task(Ledger(own_database).advance(settle, make.MOVES))
        await waiting(own_database, 2)
    with pytest.raises(ResourceConflict, match="is HELD; it can be corrected once"):
        await wrong
    make.moved(await moving)
    assert await make.balance(own_database, account_id) == (3, 0)
    await check(own_database, record.org_id)


async def test_of_two_corrections_at_once_the_second_sees_the_first(
    own_database: Database,
) -> None:
    record, account_id = await held_payment(own_database)
    settle = make.move(record, Status.SETTLED)
    make.moved(await Ledger(own_database).advance(settle, make.MOVES))
    # The first waits for the account, and holds the record meanwhile.
    async with holding(own_database, _HOLD_ACCOUNT, record.org_id, account_id):
        first = asyncio.create_task(attempt(own_database, record, 1, 2))
        await waiting(own_database, 1)
        same = asyncio.create_task(attempt(own_database, record, 2, 1))
        part = asyncio.create_task(attempt(own_database, record, 2))
        await waiting(own_database, 3)
    made = await first
    assert not made.is_replay
    replayed = await same
    assert replayed.is_replay
    assert replayed.transfer.id == made.transfer.id
    with pytest.raises(ResourceConflict, match=f"was corrected by {made.transfer.id}"):
        await part
    assert await make.balance(own_database, account_id) == (10, 0)
    await check(own_database, record.org_id)


async def test_a_correction_and_the_correction_of_it_take_turns(own_database: Database) -> None:
    """Many at once, on the record and on its correction: each journal is reversed once."""
    record, account_id = await held_payment(own_database)
    settle = make.move(record, Status.SETTLED)
    make.moved(await Ledger(own_database).advance(settle, make.MOVES))
    first = (await attempt(own_database, record, 1, 2)).transfer
    came = await asyncio.gather(
        *(attempt(own_database, first, 1) for _ in range(5)),
        *(attempt(own_database, record, 1, 2) for _ in range(5)),
        return_exceptions=True,
    )
    made = [each for each in came if isinstance(each, Opened) and not each.is_replay]
    assert len(made) == 1
    refused = [each for each in came if isinstance(each, BaseException)]
    assert all(isinstance(each, ResourceConflict) for each in refused), refused
    assert await make.balance(own_database, account_id) == (3, 0)
    await check(own_database, record.org_id)


async def test_a_payment_under_way_is_never_corrected_and_its_coins_leave_once(
    play: Play,
) -> None:
    """All that Ada has is paid out; the worker and corrections of its hold race for it."""
    made = await play.accepted(1000)
    database = play.org.house.database
    offramp = await play.of(made)
    rows = await database.rows(
        "select distinct seq from entries where org_id = $1 and transfer_id = $2",
        *(play.org.org_id, offramp.record.id),
    )
    (hold,) = (row["seq"] for row in rows)

    async def take_back() -> None:
        await correct(
            *(database, play.org.house.ledger, ASSETS, HOUSE_MOVES),
            org_id=play.org.org_id,
            transfer_id=offramp.record.id,
            seqs=[hold],
            reason="a test",
            actor="cli",
            at=CLOCK.stamp(),
        )

    with pytest.raises(ResourceConflict, match="CRYPTO_INITIATED; it can be corrected once"):
        await take_back()
    second = await play.org.send("POST", OFFRAMPS, offramp_body(play.ada, play.account, 1000))
    assert second.json()["error"] == InsufficientBalance.name
    came = await asyncio.gather(
        play.run(), *(take_back() for _ in range(8)), return_exceptions=True
    )
    assert all(isinstance(each, ResourceConflict) for each in came if each is not None), came
    await play.pass_time(days=8)
    assert (await play.of(made)).status is OfframpStatus.COMPLETED
    (order,) = play.chains.asked
    assert [str(leg.money) for leg in order.legs] == ["1000"]
    assert await held(play.org, play.ada) == "0"
    await check_books(play.org)
