"""Corrections: what was posted can be taken back, once, by a new journal."""

import asyncio

import pytest

from landbridge.core.errors import ResourceNotFound
from landbridge.core.ids import derived_id, new_id
from landbridge.core.money import Money
from landbridge.db.pool import Database
from landbridge.ledger import corrections
from landbridge.ledger.audit import audit
from landbridge.ledger.errors import InsufficientBalance, RequestIdTaken, TransactionNotFound
from landbridge.ledger.house import house_balance
from landbridge.ledger.model import Posting, Role, Transfer
from landbridge.ledger.service import Ledger, Opened
from landbridge.rails.currencies import FIAT
from landbridge.wiring import ASSETS
from tests import make
from tests.make import CLOCK, USDC, Status


async def take_back(
    database: Database, transfer: Transfer, *, seq: int = 1, reason: str = "by mistake"
) -> Opened:
    return await corrections.correct(
        database,
        Ledger(database),
        ASSETS,
        org_id=transfer.org_id,
        transfer_id=transfer.id,
        seq=seq,
        reason=reason,
        actor="cli",
        at=CLOCK.stamp(),
    )


async def test_a_correction_puts_every_line_back_and_the_books_balance(
    database: Database,
) -> None:
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id)
    funded = await make.fund(database, org_id, wallet_id, units=100)
    account_id = await make.account_of(database, org_id, wallet_id)
    corrected = await take_back(database, funded)
    assert corrected.transfer.kind == corrections.KIND
    assert await make.balance(database, account_id) == (0, 0)
    moves = {**make.MOVES_BY_KIND, corrections.KIND: corrections.MOVES}
    assert (await audit(database, moves, {}, org_id=org_id)).is_clean


async def test_held_money_is_put_back_too(database: Database) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=10)
    ledger = Ledger(database)
    asked = make.opening(org_id, Status.HELD, units=7, account_id=account_id)
    held = make.opened(await ledger.open(asked, make.MOVES))
    assert await make.balance(database, account_id) == (3, 7)
    await take_back(database, held)
    assert await make.balance(database, account_id) == (10, 0)


async def test_money_at_banks_is_put_back_too(database: Database) -> None:
    org_id, usd = await make.make_org(database), FIAT["usd"]
    seen = [Posting(Role.OUTSIDE, Money(-5, usd)), Posting(Role.IN_TRANSIT, Money(5, usd))]
    asked = make.opening(org_id, Status.FUNDED, units=5, asset=usd, journals={0: seen})
    record = make.opened(await Ledger(database).open(asked, make.MOVES))
    corrected = await take_back(database, record)
    assert corrected.transfer.source_asset == usd.code
    for role in (Role.OUTSIDE, Role.IN_TRANSIT):
        assert (await house_balance(database, org_id, role, usd)).units == 0


async def test_a_journal_is_taken_back_once(database: Database) -> None:
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id, units=100)
    funded = await make.fund(database, org_id, wallet_id, units=100)
    first = await take_back(database, funded)
    second = await take_back(database, funded)
    assert second.is_replay
    assert second.transfer.id == first.transfer.id
    account_id = await make.account_of(database, org_id, wallet_id)
    assert await make.balance(database, account_id) == (100, 0)
    with pytest.raises(RequestIdTaken):
        await take_back(database, funded, reason="for another reason")


async def test_it_is_a_replay_also_when_the_wallet_has_nothing_left(database: Database) -> None:
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id)
    funded = await make.fund(database, org_id, wallet_id, units=100)
    await take_back(database, funded)
    assert (await take_back(database, funded)).is_replay


async def test_a_journal_is_taken_back_once_by_any_number_at_once(database: Database) -> None:
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id, units=100)
    funded = await make.fund(database, org_id, wallet_id, units=100)
    came = await asyncio.gather(*(take_back(database, funded) for _ in range(6)))
    assert len({each.transfer.id for each in came}) == 1
    assert sum(not each.is_replay for each in came) == 1
    account_id = await make.account_of(database, org_id, wallet_id)
    assert await make.balance(database, account_id) == (100, 0)
    moves = {**make.MOVES_BY_KIND, corrections.KIND: corrections.MOVES}
    assert (await audit(database, moves, {}, org_id=org_id)).is_clean


async def test_no_caller_can_take_what_a_correction_needs(database: Database) -> None:
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id)
    funded = await make.fund(database, org_id, wallet_id, units=100)
    guess = derived_id(funded.id, "correction/1")
    taken = make.opening(org_id, request_id=guess)
    make.opened(await Ledger(database).open(taken, make.MOVES))
    assert not (await take_back(database, funded)).is_replay


async def test_what_a_wallet_has_spent_cannot_be_taken_back(database: Database) -> None:
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id)
    funded = await make.fund(database, org_id, wallet_id, units=100)
    account_id = await make.account_of(database, org_id, wallet_id)
    asked = make.opening(org_id, Status.HELD, units=1, account_id=account_id)
    make.opened(await Ledger(database).open(asked, make.MOVES))
    with pytest.raises(InsufficientBalance):
        await take_back(database, funded)


async def test_what_posted_nothing_cannot_be_taken_back(database: Database) -> None:
    org_id = await make.make_org(database)
    offered = make.opened(await Ledger(database).open(make.opening(org_id), make.MOVES))
    with pytest.raises(ResourceNotFound):
        await take_back(database, offered)
    unknown = make.opening(org_id, units=USDC.decimals, user_id=new_id())
    with pytest.raises(TransactionNotFound):
        await corrections.correct(
            database,
            Ledger(database),
            ASSETS,
            org_id=org_id,
            transfer_id=unknown.id,
            seq=1,
            reason="none",
            actor="cli",
            at=CLOCK.stamp(),
        )
