"""Corrections: the journals of a terminal record are reversed, once, by a new journal."""

import asyncio
from uuid import UUID

import pytest

from landbridge.app.container import ASSETS
from landbridge.ledger import corrections
from landbridge.ledger.audit import audit, table
from landbridge.ledger.errors import InsufficientBalance, RequestIdTaken, TransactionNotFound
from landbridge.ledger.model import HouseRole, Posting, Transfer, created_record
from landbridge.ledger.reversed_journals import corrected_changes
from landbridge.ledger.service import CreatedTransfer, Ledger
from landbridge.platform.core.errors import ResourceConflict, ResourceNotFound
from landbridge.platform.core.ids import derived_id, new_id
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from landbridge.providers.rails.currencies import FIAT
from tests import make
from tests.house_accounts import house_balance
from tests.make import CLOCK, USDC, Status

TRANSITIONS = {**make.MOVES_BY_KIND, corrections.KIND: corrections.TRANSITIONS}


async def correct(
    database: Database, transfer: Transfer, *seqs: int, reason: str = "by mistake"
) -> CreatedTransfer:
    return await corrections.correct(
        *(database, Ledger(database), ASSETS, TRANSITIONS),
        org_id=transfer.org_id,
        transfer_id=transfer.id,
        seqs=seqs or [1],
        reason=reason,
        actor="cli",
        at=CLOCK.stamp(),
    )


async def check_books(database: Database, org_id: UUID) -> None:
    audited = await audit(database, TRANSITIONS, {}, org_id=org_id)
    assert audited.is_clean, table(audited)


async def make_settled_payment(database: Database, account_id: UUID, org_id: UUID) -> Transfer:
    """Create a payment of 7 that was held by change 1 and settled by change 2."""
    ledger = Ledger(database)
    request = make.opening(org_id, Status.HELD, units=7, account_id=account_id)
    held = make.opened(await ledger.create(request, make.TRANSITIONS))
    return make.moved(await ledger.advance(make.move(held, Status.SETTLED), make.TRANSITIONS))


async def test_correction_reverses_every_line_and_ledger_balances(
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


async def test_non_terminal_record_is_not_corrected(database: Database) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=10)
    ledger = Ledger(database)
    request = make.opening(org_id, Status.HELD, units=7, account_id=account_id)
    held = make.opened(await ledger.create(request, make.TRANSITIONS))
    with pytest.raises(ResourceConflict, match="is HELD; it can be corrected once"):
        await correct(database, held)
    assert await make.balance(database, account_id) == (3, 7)
    make.moved(await ledger.advance(make.move(held, Status.RETURNED), make.TRANSITIONS))
    await correct(database, held, 1, 2)
    assert await make.balance(database, account_id) == (10, 0)
    await check_books(database, org_id)


async def test_related_journals_are_corrected_together(database: Database) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=10)
    settled = await make_settled_payment(database, account_id, org_id)
    for seq, units in ((1, -7), (2, 7)):
        with pytest.raises(ResourceConflict) as refusal:
            await correct(database, settled, seq)
        message = f"would leave {units} units of {USDC.code} held on account {account_id}"
        assert message in refusal.value.message
        assert "changes 1 and 2 moved this money" in refusal.value.message
        assert f"only change {seq} was requested" in refusal.value.message
    assert await make.balance(database, account_id) == (3, 0)
    await correct(database, settled, 2, 1)
    assert await make.balance(database, account_id) == (10, 0)
    assert (await house_balance(database, org_id, HouseRole.OUTSIDE, USDC)).units == -10
    await check_books(database, org_id)


async def test_correction_leaving_money_in_transit_is_refused(database: Database) -> None:
    org_id, usd = await make.make_org(database), FIAT["usd"]
    statuses = [
        Posting(HouseRole.OUTSIDE, Money(-5, usd)),
        Posting(HouseRole.IN_TRANSIT, Money(5, usd)),
    ]
    expired = [
        Posting(HouseRole.IN_TRANSIT, Money(-5, usd)),
        Posting(HouseRole.LIQUIDITY, Money(5, usd)),
    ]
    ledger = Ledger(database)
    request = make.opening(org_id, Status.HELD, units=5, asset=usd, journals={0: statuses})
    record = make.opened(await ledger.create(request, make.TRANSITIONS))
    settle = make.move(record, Status.SETTLED, journals={0: expired})
    record = make.moved(await ledger.advance(settle, make.TRANSITIONS))
    with pytest.raises(ResourceConflict, match=r"leave 5 units of usd:BANK in transit"):
        await correct(database, record, 2)
    corrected = await correct(database, record, 1, 2)
    assert corrected.transfer.source_asset == usd.code
    for role in (HouseRole.OUTSIDE, HouseRole.IN_TRANSIT, HouseRole.LIQUIDITY):
        assert (await house_balance(database, org_id, role, usd)).units == 0


async def test_correction_returns_money_left_in_transit_by_a_fault(database: Database) -> None:
    org_id, usd = await make.make_org(database), FIAT["usd"]
    statuses = [
        Posting(HouseRole.OUTSIDE, Money(-5, usd)),
        Posting(HouseRole.IN_TRANSIT, Money(5, usd)),
    ]
    request = make.opening(org_id, Status.FUNDED, units=5, asset=usd, journals={0: statuses})
    record = make.opened(await Ledger(database).create(request, make.TRANSITIONS))
    assert not (await audit(database, TRANSITIONS, {}, org_id=org_id)).is_clean
    await correct(database, record)
    await check_books(database, org_id)


async def test_journal_is_corrected_only_once(database: Database) -> None:
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


async def test_part_of_a_correction_is_not_repeated(database: Database) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=10)
    settled = await make_settled_payment(database, account_id, org_id)
    first = await correct(database, settled, 1, 2)
    with pytest.raises(ResourceConflict, match=f"corrected by {first.transfer.id}, which corrects"):
        await correct(database, settled, 1)
    assert (await correct(database, settled, 2, 1, 1)).is_replay
    assert await make.balance(database, account_id) == (10, 0)


async def test_correcting_a_correction_restores_the_original(
    database: Database,
) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=10)
    settled = await make_settled_payment(database, account_id, org_id)
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


async def test_correction_is_in_effect_until_corrected(database: Database) -> None:
    org_id = await make.make_org(database)
    account_id = await make.make_account(database, org_id, units=10)
    settled = await make_settled_payment(database, account_id, org_id)

    async def corrected() -> list[int]:
        return await database.transact(lambda tx: corrected_changes(tx, settled))

    assert await corrected() == []
    first = (await correct(database, settled, 1, 2)).transfer
    assert await corrected() == [1, 2]
    second = (await correct(database, first)).transfer
    assert await corrected() == []
    await correct(database, second)
    assert await corrected() == [1, 2]


async def test_repeated_correction_is_a_replay_even_with_empty_wallet(database: Database) -> None:
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id)
    funded = await make.fund(database, org_id, wallet_id, units=100)
    await correct(database, funded)
    assert (await correct(database, funded)).is_replay


async def test_concurrent_corrections_reverse_a_journal_once(database: Database) -> None:
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id, units=100)
    funded = await make.fund(database, org_id, wallet_id, units=100)
    results = await asyncio.gather(*(correct(database, funded) for _ in range(6)))
    assert len({each.transfer.id for each in results}) == 1
    assert sum(not each.is_replay for each in results) == 1
    account_id = await make.account_of(database, org_id, wallet_id)
    assert await make.balance(database, account_id) == (100, 0)
    await check_books(database, org_id)


async def test_caller_cannot_occupy_a_corrections_request_id(database: Database) -> None:
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id)
    funded = await make.fund(database, org_id, wallet_id, units=100)
    guess = derived_id(funded.id, "correction/1")
    intruder = make.opening(org_id, request_id=guess)
    make.opened(await Ledger(database).create(intruder, make.TRANSITIONS))
    assert not (await correct(database, funded)).is_replay


async def test_correction_of_spent_money_is_refused(database: Database) -> None:
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id)
    funded = await make.fund(database, org_id, wallet_id, units=100)
    account_id = await make.account_of(database, org_id, wallet_id)
    request = make.opening(org_id, Status.HELD, units=1, account_id=account_id)
    make.opened(await Ledger(database).create(request, make.TRANSITIONS))
    with pytest.raises(InsufficientBalance):
        await correct(database, funded)
    assert await make.balance(database, account_id) == (99, 1)


async def test_change_without_journal_cannot_be_corrected(database: Database) -> None:
    org_id, ledger = await make.make_org(database), Ledger(database)
    offered = make.opened(await ledger.create(make.opening(org_id), make.TRANSITIONS))
    expired = make.moved(await ledger.advance(make.move(offered, Status.GONE), make.TRANSITIONS))
    with pytest.raises(ResourceNotFound, match="changes 1 and 3 of"):
        await correct(database, expired, 1, 3)
    unknown = created_record(make.opening(org_id, user_id=new_id()))
    with pytest.raises(TransactionNotFound):
        await correct(database, unknown)
