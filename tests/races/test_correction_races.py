"""Corrections concurrent with advances of their record, and with each other."""

import asyncio
from collections.abc import AsyncIterator
from uuid import UUID

import pytest

from landbridge.app.container import ASSETS
from landbridge.app.container import TRANSITIONS as ALL_TRANSITIONS
from landbridge.ledger import corrections
from landbridge.ledger.audit import audit, table
from landbridge.ledger.corrections import correct
from landbridge.ledger.errors import InsufficientBalance
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import CreatedTransfer, Ledger
from landbridge.payments.offramps.model import OfframpStatus
from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.pool import Database, Tx
from tests import make
from tests.make import CLOCK, Status
from tests.payments.offramps.offramp_scenario import OfframpScenario, open_scenario
from tests.payouts import OFFRAMPS, check_books, offramp_body
from tests.tenants import held
from tests.waiting import holding, waiting

TRANSITIONS = {**make.MOVES_BY_KIND, corrections.KIND: corrections.TRANSITIONS}
_HOLD_ACCOUNT = "select from accounts where org_id = $1 and id = $2 for update"


@pytest.fixture
async def scenario(own_database: Database) -> AsyncIterator[OfframpScenario]:
    async with open_scenario(own_database) as created:
        yield created


async def attempt(database: Database, record: Transfer, *seqs: int) -> CreatedTransfer:
    return await correct(
        *(database, Ledger(database), ASSETS, TRANSITIONS),
        org_id=record.org_id,
        transfer_id=record.id,
        seqs=seqs,
        reason="a test",
        actor="cli",
        at=CLOCK.stamp(),
    )


async def held_payment(database: Database) -> tuple[Transfer, UUID]:
    """Create a held payment of 7, on an account of 10."""
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=10)
    request = make.opening(org_id, Status.HELD, units=7, account_id=account_id)
    return make.opened(await Ledger(database).create(request, make.TRANSITIONS)), account_id


async def check(database: Database, org_id: UUID) -> None:
    audited = await audit(database, TRANSITIONS, {}, org_id=org_id)
    assert audited.is_clean, table(audited)


@pytest.mark.parametrize("status", [Status.SETTLED, Status.RETURNED])
async def test_correction_waits_for_an_advance_and_sees_its_result(
    own_database: Database, status: Status
) -> None:
    record, account_id = await held_payment(own_database)
    has_moved, may_commit = asyncio.Event(), asyncio.Event()

    async def move(tx: Tx) -> None:
        moved = await Ledger(own_database).advance_in(
            tx, make.move(record, status), make.TRANSITIONS
        )
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
    # A correction of the hold alone would leave the rest of the payment held; after the other
    # attempt, the hold is already corrected.
    with pytest.raises(ResourceConflict):
        await hold_alone
    assert not (await both).is_replay
    assert await make.balance(own_database, account_id) == (10, 0)
    await check(own_database, record.org_id)


async def test_advance_after_a_refused_correction_succeeds(
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
        moving = asyncio.create_task(Ledger(own_database).advance(settle, make.TRANSITIONS))
        await waiting(own_database, 2)
    with pytest.raises(ResourceConflict, match="is HELD; it can be corrected once"):
        await wrong
    make.moved(await moving)
    assert await make.balance(own_database, account_id) == (3, 0)
    await check(own_database, record.org_id)


async def test_second_concurrent_correction_sees_the_first(
    own_database: Database,
) -> None:
    record, account_id = await held_payment(own_database)
    settle = make.move(record, Status.SETTLED)
    make.moved(await Ledger(own_database).advance(settle, make.TRANSITIONS))
    # The first waits for the account, and locks the record meanwhile.
    async with holding(own_database, _HOLD_ACCOUNT, record.org_id, account_id):
        first = asyncio.create_task(attempt(own_database, record, 1, 2))
        await waiting(own_database, 1)
        same = asyncio.create_task(attempt(own_database, record, 2, 1))
        part = asyncio.create_task(attempt(own_database, record, 2))
        await waiting(own_database, 3)
    created = await first
    assert not created.is_replay
    replayed = await same
    assert replayed.is_replay
    assert replayed.transfer.id == created.transfer.id
    with pytest.raises(ResourceConflict, match=f"was corrected by {created.transfer.id}"):
        await part
    assert await make.balance(own_database, account_id) == (10, 0)
    await check(own_database, record.org_id)


async def test_correction_and_its_correction_are_serialised(own_database: Database) -> None:
    """Many at once, on the record and on its correction: each journal is reversed once."""
    record, account_id = await held_payment(own_database)
    settle = make.move(record, Status.SETTLED)
    make.moved(await Ledger(own_database).advance(settle, make.TRANSITIONS))
    first = (await attempt(own_database, record, 1, 2)).transfer
    outcomes = await asyncio.gather(
        *(attempt(own_database, first, 1) for _ in range(5)),
        *(attempt(own_database, record, 1, 2) for _ in range(5)),
        return_exceptions=True,
    )
    created = [
        each for each in outcomes if isinstance(each, CreatedTransfer) and not each.is_replay
    ]
    assert len(created) == 1
    refused = [each for each in outcomes if isinstance(each, BaseException)]
    assert all(isinstance(each, ResourceConflict) for each in refused), refused
    assert await make.balance(own_database, account_id) == (3, 0)
    await check(own_database, record.org_id)


async def test_pending_payment_is_never_corrected_and_paid_once(
    scenario: OfframpScenario,
) -> None:
    """Ada's whole balance is paid out; the worker and corrections of its hold compete for it."""
    created = await scenario.accepted(1000)
    database = scenario.org.container.database
    offramp = await scenario.of(created)
    rows = await database.rows(
        "select distinct seq from entries where org_id = $1 and transfer_id = $2",
        *(scenario.org.org_id, offramp.record.id),
    )
    (hold,) = (row["seq"] for row in rows)

    async def take_back() -> None:
        await correct(
            *(database, scenario.org.container.ledger, ASSETS, ALL_TRANSITIONS),
            org_id=scenario.org.org_id,
            transfer_id=offramp.record.id,
            seqs=[hold],
            reason="a test",
            actor="cli",
            at=CLOCK.stamp(),
        )

    with pytest.raises(ResourceConflict, match="CRYPTO_INITIATED; it can be corrected once"):
        await take_back()
    second = await scenario.org.send(
        "POST", OFFRAMPS, offramp_body(scenario.ada, scenario.account, 1000)
    )
    assert second.json()["error"] == InsufficientBalance.name
    outcomes = await asyncio.gather(
        scenario.run(), *(take_back() for _ in range(8)), return_exceptions=True
    )
    assert all(isinstance(each, ResourceConflict) for each in outcomes if each is not None), (
        outcomes
    )
    await scenario.pass_time(days=8)
    assert (await scenario.of(created)).status is OfframpStatus.COMPLETED
    (order,) = scenario.chains.orders
    assert [str(leg.money) for leg in order.legs] == ["1000"]
    assert await held(scenario.org, scenario.ada) == "0"
    await check_books(scenario.org)
