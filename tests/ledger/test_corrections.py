"""Corrections: what a record at an end has posted is reversed, once, by a new journal."""

import asyncio
from uuid import UUID

import pytest

from landbridge.core.errors import ResourceConflict, ResourceNotFound
from landbridge.core.ids import derived_id, new_id
from landbridge.core.money import Money
from landbridge.db.pool import Database
from landbridge.ledger import corrections
from landbridge.ledger.audit import audit, table
from landbridge.ledger.errors import InsufficientBalance, RequestIdTaken, TransactionNotFound
from landbridge.ledger.house import house_balance
from landbridge.ledger.model import Posting, Role, Transfer, as_opened
from landbridge.ledger.service import Ledger, Opened
from landbridge.rails.currencies import FIAT
from landbridge.wiring import ASSETS
from tests import make
from tests.make import CLOCK, USDC, Status

MOVES = {**make.MOVES_BY_KIND, corrections.KIND: corrections.MOVES}


async def correct(
    database: Database, transfer: Transfer, *seqs: int, reason: str = "by mistake"
) -> Opened:
    return await corrections.correct(
        *(database, Ledger(database), ASSETS, MOVES),
        org_id=transfer.org_id,
        transfer_id=transfer.id,
        seqs=seqs or [1],
        reason=reason,
        actor="cli",
        at=CLOCK.stamp(),
    )


async def check_books(database: Database, org_id: UUID) -> None:
    audited = await audit(database, MOVES, {}, org_id=org_id)
    assert audited.is_clean, table(audited)


async def settled_payment(database: Database, account_id: UUID, org_id: UUID) -> Transfer:
    """A payment of 7 that was held by change 1 and settled by change 2."""
    ledger = Ledger(database)
    asked = make.opening(org_id, Status.HELD, units=7, account_id=account_id)
    held = make.opened(await ledger.open(asked, make.MOVES))
    return make.moved(await ledger.advance(make.move(held, Status.SETTLED), make.MOVES))


async def test_a_correction_puts_every_line_back_and_the_books_balance(
    database: Database,
) -> None:
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id)
    funded = await make.fund(database, org_id, wallet_id, units=100)
    account_id = await make.account_of(database, org_id, wallet_id)
    corrected = await correct(database, funded)
    assert corrected.transfer.kind == corrections.KIND
    assert await make.balance(database, account_id) == (0, 0)
    await check_books(database, org_id)


async def test_a_record_that_may_still_move_is_not_corrected(database: Database) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=10)
    ledger = Ledger(database)
    asked = make.opening(org_id, Status.HELD, units=7, account_id=account_id)
    held = make.opened(await ledger.open(asked, make.MOVES))
    with pytest.raises(ResourceConflict, match="is HELD; it can be corrected once"):
        await correct(database, held)
    assert await make.balance(database, account_id) == (3, 7)
    make.moved(await ledger.advance(make.move(held, Status.RETURNED), make.MOVES))
    await correct(database, held, 1, 2)
    assert await make.balance(database, account_id) == (10, 0)
    await check_books(database, org_id)


async def test_journals_that_belong_together_are_corrected_together(database: Database) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=10)
    settled = await settled_payment(database, account_id, org_id)
    for seq, units in ((1, -7), (2, 7)):
        with pytest.raises(ResourceConflict) as refusal:
            await correct(database, settled, seq)
        said = f"would leave {units} units of {USDC.code} held on account {account_id}"
        assert said in refusal.value.message
        assert f"was moved by changes 1 and 2, and change {seq} was named" in refusal.value.message
    assert await make.balance(database, account_id) == (3, 0)
    await correct(database, settled, 2, 1)
    assert await make.balance(database, account_id) == (10, 0)
    assert (await house_balance(database, org_id, Role.OUTSIDE, USDC)).units == -10
    await check_books(database, org_id)


async def test_one_that_would_leave_money_in_transit_is_refused(database: Database) -> None:
    org_id, usd = await make.make_org(database), FIAT["usd"]
    seen = [Posting(Role.OUTSIDE, Money(-5, usd)), Posting(Role.IN_TRANSIT, Money(5, usd))]
    gone = [Posting(Role.IN_TRANSIT, Money(-5, usd)), Posting(Role.LIQUIDITY, Money(5, usd))]
    ledger = Ledger(database)
    asked = make.opening(org_id, Status.HELD, units=5, asset=usd, journals={0: seen})
    record = make.opened(await ledger.open(asked, make.MOVES))
    settle = make.move(record, Status.SETTLED, journals={0: gone})
    record = make.moved(await ledger.advance(settle, make.MOVES))
    with pytest.raises(ResourceConflict, match=r"leave 5 units of usd:BANK in transit"):
        await correct(database, record, 2)
    corrected = await correct(database, record, 1, 2)
    assert corrected.transfer.source_asset == usd.code
    for role in (Role.OUTSIDE, Role.IN_TRANSIT, Role.LIQUIDITY):
        assert (await house_balance(database, org_id, role, usd)).units == 0


async def test_money_that_a_fault_left_in_transit_is_put_back(database: Database) -> None:
    org_id, usd = await make.make_org(database), FIAT["usd"]
    seen = [Posting(Role.OUTSIDE, Money(-5, usd)), Posting(Role.IN_TRANSIT, Money(5, usd))]
    asked = make.opening(org_id, Status.FUNDED, units=5, asset=usd, journals={0: seen})
    record = make.opened(await Ledger(database).open(asked, make.MOVES))
    assert not (await audit(database, MOVES, {}, org_id=org_id)).is_clean
    await correct(database, record)
    await check_books(database, org_id)


async def test_a_journal_is_corrected_once(database: Database) -> None:
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id, units=100)
    funded = await make.fund(database, org_id, wallet_id, units=100)
    first = await correct(database, funded)
    second = await correct(database, funded)
    assert second.is_replay
    assert second.transfer.id == first.transfer.id
    account_id = await make.account_of(database, org_id, wallet_id)
    assert await make.balance(database, account_id) == (100, 0)
    with pytest.raises(RequestIdTaken, match="for another reason"):
        await correct(database, funded, reason="for another reason")


async def test_no_part_of_a_correction_is_made_a_second_time(database: Database) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=10)
    settled = await settled_payment(database, account_id, org_id)
    first = await correct(database, settled, 1, 2)
    with pytest.raises(ResourceConflict, match=f"corrected by {first.transfer.id}, which corrects"):
        await correct(database, settled, 1)
    assert (await correct(database, settled, 2, 1, 1)).is_replay
    assert await make.balance(database, account_id) == (10, 0)


async def test_a_correction_is_corrected_itself_and_the_original_stands_again(
    database: Database,
) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=10)
    settled = await settled_payment(database, account_id, org_id)
    first = (await correct(database, settled, 1, 2)).transfer
    second = (await correct(database, first)).transfer
    assert await make.balance(database, account_id) == (3, 0)
    await check_books(database, org_id)
    with pytest.raises(ResourceConflict, match=f"the latest correction of that is {second.id}"):
        await correct(database, settled, 1, 2)
    assert await make.balance(database, account_id) == (3, 0)
    third = (await correct(database, second)).transfer
    assert await make.balance(database, account_id) == (10, 0)
    for earlier, seqs in ((settled, (1, 2)), (settled, (2,)), (first, (1,))):
        with pytest.raises(ResourceConflict, match=f"correct change 1 of {third.id}"):
            await correct(database, earlier, *seqs)
    assert (await correct(database, second)).is_replay
    await check_books(database, org_id)


async def test_a_correction_stands_until_it_is_corrected(database: Database) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=10)
    settled = await settled_payment(database, account_id, org_id)

    async def standing() -> UUID | None:
        return await database.transact(lambda tx: corrections.find_standing(tx, org_id, settled.id))

    assert await standing() is None
    first = (await correct(database, settled, 1, 2)).transfer
    assert await standing() == first.id
    second = (await correct(database, first)).transfer
    assert await standing() is None
    await correct(database, second)
    assert await standing() == first.id


async def test_it_is_a_replay_also_when_the_wallet_has_nothing_left(database: Database) -> None:
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id)
    funded = await make.fund(database, org_id, wallet_id, units=100)
    await correct(database, funded)
    assert (await correct(database, funded)).is_replay


async def test_a_journal_is_corrected_once_by_any_number_at_once(database: Database) -> None:
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id, units=100)
    funded = await make.fund(database, org_id, wallet_id, units=100)
    came = await asyncio.gather(*(correct(database, funded) for _ in range(6)))
    assert len({each.transfer.id for each in came}) == 1
    assert sum(not each.is_replay for each in came) == 1
    account_id = await make.account_of(database, org_id, wallet_id)
    assert await make.balance(database, account_id) == (100, 0)
    await check_books(database, org_id)


async def test_no_caller_can_take_what_a_correction_needs(database: Database) -> None:
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id)
    funded = await make.fund(database, org_id, wallet_id, units=100)
    guess = derived_id(funded.id, "correction/1")
    taken = make.opening(org_id, request_id=guess)
    make.opened(await Ledger(database).open(taken, make.MOVES))
    assert not (await correct(database, funded)).is_replay


async def test_what_a_wallet_has_spent_cannot_be_taken_back(database: Database) -> None:
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id)
    funded = await make.fund(database, org_id, wallet_id, units=100)
    account_id = await make.account_of(database, org_id, wallet_id)
    asked = make.opening(org_id, Status.HELD, units=1, account_id=account_id)
    make.opened(await Ledger(database).open(asked, make.MOVES))
    with pytest.raises(InsufficientBalance):
        await correct(database, funded)
    assert await make.balance(database, account_id) == (99, 1)


async def test_what_posted_nothing_cannot_be_corrected(database: Database) -> None:
    org_id, ledger = await make.make_org(database), Ledger(database)
    offered = make.opened(await ledger.open(make.opening(org_id), make.MOVES))
    gone = make.moved(await ledger.advance(make.move(offered, Status.GONE), make.MOVES))
    with pytest.raises(ResourceNotFound, match="changes 1 and 3 of"):
        await correct(database, gone, 1, 3)
    unknown = as_opened(make.opening(org_id, user_id=new_id()))
    with pytest.raises(TransactionNotFound):
        await correct(database, unknown)
