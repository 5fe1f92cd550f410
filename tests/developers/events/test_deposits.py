"""Deposits into wallets have an event with the change that made them, and nothing else has."""

from uuid import UUID

from landbridge.developers.events.model import Event
from landbridge.ledger import corrections
from landbridge.ledger.corrections import correct
from landbridge.ledger.credits import RecordedCredit, find_recorded_credits
from landbridge.ledger.model import HouseRole, Posting
from landbridge.ledger.service import Ledger
from landbridge.platform.changes.model import START
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database, Tx
from tests import make
from tests.change_log import placed
from tests.customers.wallets.test_deposits import listed
from tests.make import TRANSITIONS, USDC, USDT, Status
from tests.onramps import make_onramp, make_payer, settle
from tests.tenants import (
    SWAPS,
    SwapStatus,
    Tenant,
    make_batch,
    make_bridge,
    make_swap,
    make_transfer,
    make_user,
    run_due,
    swap_body,
)

BALANCE = "WALLET.TOKEN.BALANCE.UPDATE"


async def events(org: Tenant, object_id: str) -> list[Event]:
    """Return the events of an object."""
    await placed(org.container.database)
    found = await org.container.events.read(org.org_id, START, limit=100, object_id=UUID(object_id))
    return list(found.events)


async def deposits(org: Tenant, object_id: str) -> dict[int, int]:
    """Return the number of deposits by change of a record."""
    found = [each for each in await events(org, object_id) if each.type == BALANCE]
    return {
        seq: sum(each.change.seq == seq for each in found)
        for seq in sorted({each.change.seq for each in found})
    }


async def test_coins_from_outside(org: Tenant) -> None:
    user = await make_user(org, funds="5")
    (record,) = await listed(org, user)
    (event,) = await events(org, record["id"])
    assert (event.type, event.part, event.sequence) == (BALANCE, 0, 1)
    by_change = await org.container.wallet_deposits.by_change(org.org_id, [(UUID(record["id"]), 1)])
    (deposit,) = by_change[UUID(record["id"]), 1]
    assert str(deposit.id) == record["id"]
    assert str(deposit.money) == record["transaction"]["amount"]
    assert deposit.wallet.user_id == UUID(user)


async def test_a_swap_for_another_user_and_ones_own(org: Tenant) -> None:
    ada, bob = await make_user(org, funds="10"), await make_user(org)
    swap = await org.post(SWAPS, swap_body(ada, "4", destination={"userId": bob}))
    id_ = swap["transferDetails"]["id"]
    await org.post(f"{SWAPS}/{id_}/accept")
    found = await events(org, id_)
    assert [each.type for each in found] == [
        *("WALLET.SWAP.TRANSACTION.CREATE", "WALLET.SWAP.STATUS.OPEN_QUOTE"),
        *("WALLET.SWAP.STATUS.CREATED", "WALLET.SWAP.STATUS.PENDING"),
        *("WALLET.SWAP.STATUS.COMPLETED", BALANCE),
    ]
    assert found[-1].change.seq == 4
    own = await make_swap(org, ada, "1", status=SwapStatus.COMPLETED)
    assert await deposits(org, own["id"]) == {}


async def test_a_transfer_and_a_batch(org: Tenant) -> None:
    ada, bob, eve = await make_user(org, funds="10"), await make_user(org), await make_user(org)
    transfer = await make_transfer(org, ada, bob, 1)
    items = [{"userId": bob, "amount": "1"}, {"userId": eve, "amount": "2"}]
    batch = await make_batch(org, ada, *items, {"userId": bob, "amount": "3"})
    assert await deposits(org, batch["id"]) == {}
    await run_due(org)
    assert await deposits(org, transfer["id"]) == {4: 1}
    assert await deposits(org, batch["id"]) == {4: 2}
    by_change = await org.container.wallet_deposits.by_change(org.org_id, [(UUID(batch["id"]), 4)])
    ids = {str(each.id) for each in by_change[UUID(batch["id"]), 4]}
    of_bob, (of_eve,) = await listed(org, bob), await listed(org, eve)
    (of_batch,) = [each["id"] for each in of_bob if each["transaction"]["amount"] == "4"]
    assert ids == {of_batch, of_eve["id"]}
    # The same order each time, because the order distinguishes their events.
    again = await org.container.wallet_deposits.by_change(org.org_id, [(UUID(batch["id"]), 4)])
    assert again == by_change


async def test_a_bridge_and_an_onramp(org: Tenant) -> None:
    ada = await make_user(org, funds="10", chains=["POLYGON", "BASE"])
    bridge = await make_bridge(org, ada, ada, 4)
    await org.post(f"/v2/wallets/bridges/{bridge['id']}/accept")
    await run_due(org)
    found = await events(org, bridge["id"])
    assert found[-1].type == BALANCE
    assert found[-1].change.status_after == "COMPLETED"
    user = await make_payer(org)
    onramp = await make_onramp(org, user, 100, destination={"userId": user})
    await org.post(f"/v2/sandbox/onramps/{onramp['id']}/deposit", {})
    await settle(org)
    types = [each.type for each in await events(org, onramp["id"])]
    assert types[0] == "ONRAMP.TRANSACTION.CREATE"
    assert types[-2:] == ["ONRAMP.STATUS.COMPLETED", BALANCE]
    assert types.count(BALANCE) == 1


async def test_a_correction_has_no_event(database: Database, ledger: Ledger) -> None:
    org_id = await make.make_org(database)
    account_id = await make.account_of(database, org_id, await make.make_wallet(database, org_id))
    funded = make.opened(await ledger.create(make.funding(org_id, account_id, 5), TRANSITIONS))
    moves = {**make.MOVES_BY_KIND, corrections.KIND: corrections.TRANSITIONS}
    corrected = await correct(
        *(database, ledger, {USDC.code: USDC}, moves),
        org_id=org_id,
        transfer_id=funded.id,
        seqs=[1],
        reason="test",
        actor="test",
        at=make.CLOCK.stamp(),
    )
    assert corrected.transfer.kind == corrections.KIND
    taken_back = await correct(
        *(database, ledger, {USDC.code: USDC}, moves),
        org_id=org_id,
        transfer_id=corrected.transfer.id,
        seqs=[1],
        reason="test",
        actor="test",
        at=make.CLOCK.stamp(),
    )
    keys = [(each, 1) for each in (funded.id, corrected.transfer.id, taken_back.transfer.id)]
    created = await database.single(lambda tx: find_recorded_credits(tx, org_id, keys))
    assert [each.credit.transfer_id for each in created] == [funded.id]


async def test_returned_coins_make_no_credit_event(database: Database, ledger: Ledger) -> None:
    org_id = await make.make_org(database)
    wallet_id = await make.make_wallet(database, org_id, units=10)
    usdc = await make.account_of(database, org_id, wallet_id)
    usdt = await make.account_of(database, org_id, wallet_id, asset=USDT)
    other = await make.make_account(database, org_id)

    async def credited(id_: UUID, *seqs: int) -> list[RecordedCredit]:
        async def read(tx: Tx) -> list[RecordedCredit]:
            return list(await find_recorded_credits(tx, org_id, [(id_, seq) for seq in seqs]))

        return await database.single(read)

    def units(amount: int) -> Money:
        return Money(amount, USDC)

    # One is paid at once, another in two parts; the rest is refunded.
    request = make.opening(
        org_id,
        *(Status.OPEN, Status.HELD),
        units=6,
        journals={
            0: [Posting(usdc, units(-6)), Posting(HouseRole.OUTSIDE, units(6))],
            1: [Posting(HouseRole.OUTSIDE, units(-1)), Posting(other, units(1))],
        },
    )
    record = make.opened(await ledger.create(request, TRANSITIONS))
    back = [
        *(Posting(HouseRole.OUTSIDE, units(-5)), Posting(other, units(2)), Posting(usdc, units(3))),
        *(Posting(HouseRole.OUTSIDE, Money(-1, USDT)), Posting(usdt, Money(1, USDT))),
    ]
    move = make.move(record, Status.SETTLED, journals={0: back}, facts={"hash": "0x1"})
    make.moved(await ledger.advance(move, TRANSITIONS))
    (created,) = await credited(record.id, 1, 2, 3)
    assert (created.seq, created.asset, created.credit.account_id) == (2, USDC.code, other)
    # As of that change, regardless of later ones.
    assert created.credit.units == 1
    assert await credited(record.id, 3) == []
    assert await credited(record.id, 2) == [created]
    assert await credited(new_id(), 1) == []
    outsider = await make.make_org(database)
    assert not await database.single(
        lambda tx: find_recorded_credits(tx, outsider, [(record.id, 2)])
    )
