"""Fiat that arrived: once each, matched or given back, never both."""

import asyncio
from dataclasses import replace

import pytest

from landbridge.core.errors import (
    Broken,
    Busy,
    ResourceNotFound,
)
from landbridge.core.ids import new_id
from landbridge.core.money import Money
from landbridge.db.pool import Tx
from landbridge.rails.currencies import FIAT
from landbridge.receipts.model import MOVES, Receipt, Status
from landbridge.receipts.service import Receipts, payment_back
from landbridge.receipts.steps import BATCH_SIZE, Taker
from landbridge.simulation.model import Part
from tests.simulation.faulty import FaultyRails
from tests.simulation.outside import orders, paid_out
from tests.tenants import Tenant

from .play import NOW, SENDER, Dead, Matching, NoTaker, Silent, run, steps_of, told


async def test_a_credit_makes_one_receipt(org: Tenant, receipts: Receipts) -> None:
    credit = told(org.org_id, org.house.clock)
    first, *others = await asyncio.gather(*(receipts.receive(credit) for _ in range(5)))
    assert [each.id for each in others] == [first.id] * 4
    assert (first.status, first.sender, first.reference) == (Status.NEW, SENDER, "LB2345")
    assert (first.description, first.clears_at) == ("rent of May", first.received_at)
    assert await receipts.get(org.org_id, first.id) == first
    with pytest.raises(Broken, match="another amount"):
        await receipts.receive(replace(credit, money=Money(1, FIAT["usd"])))


async def test_receipts_are_their_organisations_own(
    org: Tenant, other_org: Tenant, receipts: Receipts
) -> None:
    credit = told(org.org_id, org.house.clock)
    receipt = await receipts.receive(credit)
    with pytest.raises(ResourceNotFound):
        await receipts.get(other_org.org_id, receipt.id)
    twin = await receipts.receive(replace(credit, org_id=other_org.org_id))
    assert twin.id != receipt.id
    # Nor does another organisation's clock move it.
    await run(other_org, steps_of(org, NoTaker()))
    assert (await receipts.get(org.org_id, receipt.id)).status is Status.NEW


async def test_what_is_known_is_matched(
    org: Tenant, receipts: Receipts, matching: Matching, rails: FaultyRails
) -> None:
    receipt = await receipts.receive(told(org.org_id, org.house.clock))
    assert await run(org, steps_of(org, matching, rails)) == 1
    matched = await receipts.get(org.org_id, receipt.id)
    assert (matched.status, matched.due_at) == (Status.MATCHED, None)
    assert (matched.transfer_id, matched.user_id) == (matching.transfer_id, matching.user_id)
    assert (matched.sender, matched.reference, matched.description) == (
        *(SENDER, "LB2345"),
        "rent of May",
    )
    assert not rails.calls


async def test_what_nobody_knows_goes_back_whole_by_the_way_it_came(
    org: Tenant, receipts: Receipts, matching: Matching, rails: FaultyRails
) -> None:
    receipt = await receipts.receive(told(org.org_id, org.house.clock, reference="who knows"))
    await run(org, steps_of(org, matching, rails))
    returned = await receipts.get(org.org_id, receipt.id)
    assert (returned.status, returned.transfer_id, returned.due_at) == (Status.RETURNED, None, None)
    (payment,) = rails.asked
    assert (payment.key, payment.returns) == (receipt.id, receipt.id)
    assert (payment.money, payment.rail) == (receipt.money, "wire")
    assert payment.payee["accountNumber"] == SENDER.account_number
    assert payment.texts == {"paymentReference": "who knows"}
    assert await paid_out(org.house.database, org.org_id) == {"usd:BANK": 10_000}


async def test_a_receipt_without_words_goes_back_too(org: Tenant, receipts: Receipts) -> None:
    bare = told(org.org_id, org.house.clock, reference=None, sender=None, description=None)
    receipt = await receipts.receive(bare)
    assert (receipt.reference, receipt.sender) == (None, None)
    assert payment_back(receipt, key=receipt.id, at=receipt.received_at).texts == {}
    await run(org, steps_of(org, NoTaker()))
    assert (await receipts.get(org.org_id, receipt.id)).status is Status.RETURNED


async def test_a_match_rolls_back_with_its_move(
    org: Tenant, receipts: Receipts, matching: Matching
) -> None:
    receipt = await receipts.receive(told(org.org_id, org.house.clock))

    async def work(tx: Tx) -> None:
        await receipts.match(
            tx, receipt, new_id(), user_id=matching.user_id, at=receipt.received_at
        )
        raise RuntimeError

    with pytest.raises(RuntimeError):
        await org.house.database.transact(work)
    assert await receipts.get(org.org_id, receipt.id) == receipt


async def test_a_receipt_is_matched_with_one_record(
    org: Tenant, receipts: Receipts, matching: Matching
) -> None:
    receipt = await receipts.receive(told(org.org_id, org.house.clock))
    assert await matching.take(receipt)
    # As the first time.
    assert await matching.take(receipt)
    with pytest.raises(Busy):
        await replace(matching, transfer_id=new_id()).take(receipt)
    matched = await receipts.get(org.org_id, receipt.id)
    assert (matched.transfer_id, matched.version) == (matching.transfer_id, 2)


async def test_what_is_given_back_is_not_matched(
    org: Tenant, receipts: Receipts, matching: Matching
) -> None:
    receipt = await receipts.receive(told(org.org_id, org.house.clock))
    assert await receipts.begin_return(receipt, org.house.clock.stamp())
    with pytest.raises(Busy):
        await matching.take(receipt)
    assert await receipts.begin_return(receipt, org.house.clock.stamp()) is None


async def test_of_two_workers_one_matches_or_one_gives_back(
    org: Tenant, receipts: Receipts, matching: Matching
) -> None:
    database = org.house.database
    for _ in range(8):
        receipt = await receipts.receive(told(org.org_id, org.house.clock))
        deciders = [replace(matching, transfer_id=new_id()) for _ in range(2)]
        takers: list[Taker] = [*deciders, NoTaker(), NoTaker()]
        await asyncio.gather(*(run(org, steps_of(org, each)) for each in takers))
        ended = await receipts.get(org.org_id, receipt.id)
        is_paid_back = receipt.id in await orders(database, org.org_id, Part.BANK)
        assert is_paid_back == (ended.status is Status.RETURNED)
        assert (ended.status is Status.MATCHED) == (
            ended.transfer_id in {each.transfer_id for each in deciders}
        )


async def test_a_worker_that_loses_its_receipt_does_not_pay(
    org: Tenant, receipts: Receipts, matching: Matching, rails: FaultyRails
) -> None:
    receipt = await receipts.receive(told(org.org_id, org.house.clock))

    class Late:
        async def take(self, receipt: Receipt) -> bool:
            await matching.take(receipt)
            return False

    await run(org, steps_of(org, Late(), rails))
    assert (await receipts.get(org.org_id, receipt.id)).status is Status.MATCHED
    assert not rails.calls


@pytest.mark.parametrize("fault", ["before the call", "after the call", "before the record"])
async def test_a_worker_may_die_anywhere(
    org: Tenant, receipts: Receipts, rails: FaultyRails, fault: str
) -> None:
    receipt = await receipts.receive(told(org.org_id, org.house.clock))
    match fault:
        case "before the call":
            rails.raise_before_next = RuntimeError("died")
        case "after the call":
            rails.raise_after_next = RuntimeError("died")
        case _:
            claimed = await receipts.begin_return(receipt, org.house.clock.stamp())
            assert claimed is not None
            await rails.pay(payment_back(claimed, key=receipt.id, at=org.house.clock.now()))
    await run(org, steps_of(org, NoTaker(), rails))
    await run(org, steps_of(org, NoTaker(), rails))
    assert (await receipts.get(org.org_id, receipt.id)).status is Status.RETURNED
    assert await paid_out(org.house.database, org.org_id) == {"usd:BANK": 10_000}


@pytest.mark.parametrize("taker", [Silent(), Dead()])
async def test_what_cant_be_told_yet_waits(org: Tenant, receipts: Receipts, taker: Taker) -> None:
    receipt = await receipts.receive(told(org.org_id, org.house.clock))
    assert await run(org, steps_of(org, taker)) == 0
    assert (await receipts.get(org.org_id, receipt.id)).status is Status.NEW
    assert await run(org, steps_of(org, NoTaker())) == 1
    assert (await receipts.get(org.org_id, receipt.id)).status is Status.RETURNED


async def test_many_are_done_in_batches(org: Tenant, receipts: Receipts) -> None:
    count = BATCH_SIZE + 1
    await asyncio.gather(
        *(receipts.receive(told(org.org_id, org.house.clock)) for _ in range(count))
    )
    steps = steps_of(org, NoTaker())
    assert await steps.run_once({org.org_id: NOW})
    assert not await steps.run_once({org.org_id: NOW})
    assert await paid_out(org.house.database, org.org_id) == {"usd:BANK": 10_000 * count}


@pytest.mark.parametrize("status", list(Status))
def test_receipts_end_matched_or_returned(status: Status) -> None:
    is_end = status in {Status.MATCHED, Status.RETURNED}
    assert MOVES.is_terminal(status) == is_end
