"""Fiat that arrived: once each, matched or given back, never both."""

import asyncio
from dataclasses import replace

import pytest

from landbridge.payments.incoming_payments.model import (
    TRANSITIONS,
    IncomingPayment,
    IncomingPaymentStatus,
)
from landbridge.payments.incoming_payments.returns import return_payment
from landbridge.payments.incoming_payments.service import (
    SMALL_RETURNS_PER_DAY,
    IncomingPayments,
)
from landbridge.payments.incoming_payments.steps import BATCH_SIZE, PaymentMatcher
from landbridge.platform.core.errors import Busy, InvariantBroken, ResourceNotFound
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Tx
from landbridge.providers.rails.currencies import FIAT
from landbridge.providers.simulation.model import SimulatedSystem
from tests.payments.incoming_payments.incoming_payment_setup import (
    NOW,
    SENDER,
    Dead,
    Matching,
    NoTaker,
    Silent,
    make_credit,
    run,
    steps_of,
)
from tests.providers.simulation.external_state import orders, paid_out
from tests.providers.simulation.faulty import FaultyRails
from tests.tenants import Tenant


async def test_bank_credit_creates_one_incoming_payment(
    org: Tenant, incoming_payments: IncomingPayments
) -> None:
    credit = make_credit(org.org_id, org.container.clock)
    first, *others = await asyncio.gather(*(incoming_payments.receive(credit) for _ in range(5)))
    assert [each.id for each in others] == [first.id] * 4
    assert (first.status, first.sender, first.reference) == (
        IncomingPaymentStatus.NEW,
        SENDER,
        "LB2345",
    )
    assert (first.description, first.clears_at) == ("rent of May", first.received_at)
    assert await incoming_payments.get(org.org_id, first.id) == first
    with pytest.raises(InvariantBroken, match="another amount"):
        await incoming_payments.receive(replace(credit, money=Money(1, FIAT["usd"])))


async def test_incoming_payments_belong_to_one_organisation(
    org: Tenant, other_org: Tenant, incoming_payments: IncomingPayments
) -> None:
    credit = make_credit(org.org_id, org.container.clock)
    incoming_payment = await incoming_payments.receive(credit)
    with pytest.raises(ResourceNotFound):
        await incoming_payments.get(other_org.org_id, incoming_payment.id)
    twin = await incoming_payments.receive(replace(credit, org_id=other_org.org_id))
    assert twin.id != incoming_payment.id
    # Another organisation's clock does not move the incoming payment.
    await run(other_org, steps_of(org, NoTaker()))
    assert (
        await incoming_payments.get(org.org_id, incoming_payment.id)
    ).status is IncomingPaymentStatus.NEW


async def test_known_reference_is_matched(
    org: Tenant, incoming_payments: IncomingPayments, matching: Matching, rails: FaultyRails
) -> None:
    incoming_payment = await incoming_payments.receive(make_credit(org.org_id, org.container.clock))
    assert await run(org, steps_of(org, matching, rails)) == 1
    matched = await incoming_payments.get(org.org_id, incoming_payment.id)
    assert (matched.status, matched.due_at) == (IncomingPaymentStatus.MATCHED, None)
    assert (matched.transfer_id, matched.user_id) == (matching.transfer_id, matching.user_id)
    assert (matched.sender, matched.reference, matched.description) == (
        *(SENDER, "LB2345"),
        "rent of May",
    )
    assert not rails.calls


async def test_unknown_deposit_is_returned_in_full_to_its_sender(
    org: Tenant, incoming_payments: IncomingPayments, matching: Matching, rails: FaultyRails
) -> None:
    incoming_payment = await incoming_payments.receive(
        make_credit(org.org_id, org.container.clock, reference="who knows")
    )
    await run(org, steps_of(org, matching, rails))
    returned = await incoming_payments.get(org.org_id, incoming_payment.id)
    assert (returned.status, returned.transfer_id, returned.due_at) == (
        IncomingPaymentStatus.RETURNED,
        None,
        None,
    )
    (payment,) = rails.orders
    assert (payment.key, payment.returns) == (incoming_payment.id, incoming_payment.id)
    assert (payment.money, payment.rail) == (incoming_payment.money, "wire")
    assert payment.payee["accountNumber"] == SENDER.account_number
    assert payment.texts == {"paymentReference": "who knows"}
    assert await paid_out(org.container.database, org.org_id) == {"usd:BANK": 10_000}


async def test_incoming_payment_without_text_is_returned_too(
    org: Tenant, incoming_payments: IncomingPayments
) -> None:
    bare = make_credit(
        org.org_id, org.container.clock, reference=None, sender=None, description=None
    )
    incoming_payment = await incoming_payments.receive(bare)
    assert (incoming_payment.reference, incoming_payment.sender) == (None, None)
    assert (
        return_payment(
            incoming_payment, key=incoming_payment.id, at=incoming_payment.received_at
        ).texts
        == {}
    )
    await run(org, steps_of(org, NoTaker()))
    assert (
        await incoming_payments.get(org.org_id, incoming_payment.id)
    ).status is IncomingPaymentStatus.RETURNED


async def test_match_rolls_back_with_its_transition(
    org: Tenant, incoming_payments: IncomingPayments, matching: Matching
) -> None:
    incoming_payment = await incoming_payments.receive(make_credit(org.org_id, org.container.clock))

    async def work(tx: Tx) -> None:
        await incoming_payments.match(
            tx,
            incoming_payment,
            new_id(),
            user_id=matching.user_id,
            at=incoming_payment.received_at,
        )
        raise RuntimeError

    with pytest.raises(RuntimeError):
        await org.container.database.transact(work)
    assert await incoming_payments.get(org.org_id, incoming_payment.id) == incoming_payment


async def test_incoming_payment_matches_one_record_only(
    org: Tenant, incoming_payments: IncomingPayments, matching: Matching
) -> None:
    incoming_payment = await incoming_payments.receive(make_credit(org.org_id, org.container.clock))
    assert await matching.match(incoming_payment)
    # With the first result.
    assert await matching.match(incoming_payment)
    with pytest.raises(Busy):
        await replace(matching, transfer_id=new_id()).match(incoming_payment)
    matched = await incoming_payments.get(org.org_id, incoming_payment.id)
    assert (matched.transfer_id, matched.version) == (matching.transfer_id, 2)


async def test_returned_payment_is_not_matched(
    org: Tenant, incoming_payments: IncomingPayments, matching: Matching
) -> None:
    incoming_payment = await incoming_payments.receive(make_credit(org.org_id, org.container.clock))
    assert await incoming_payments.begin_return(incoming_payment, org.container.clock.stamp())
    with pytest.raises(Busy):
        await matching.match(incoming_payment)
    assert (
        await incoming_payments.begin_return(incoming_payment, org.container.clock.stamp()) is None
    )


async def test_concurrent_workers_either_match_or_return_it_once(
    org: Tenant, incoming_payments: IncomingPayments, matching: Matching
) -> None:
    database = org.container.database
    for _ in range(8):
        incoming_payment = await incoming_payments.receive(
            make_credit(org.org_id, org.container.clock)
        )
        deciders = [replace(matching, transfer_id=new_id()) for _ in range(2)]
        takers: list[PaymentMatcher] = [*deciders, NoTaker(), NoTaker()]
        await asyncio.gather(*(run(org, steps_of(org, each)) for each in takers))
        ended = await incoming_payments.get(org.org_id, incoming_payment.id)
        is_paid_back = incoming_payment.id in await orders(
            database, org.org_id, SimulatedSystem.BANK
        )
        assert is_paid_back == (ended.status is IncomingPaymentStatus.RETURNED)
        assert (ended.status is IncomingPaymentStatus.MATCHED) == (
            ended.transfer_id in {each.transfer_id for each in deciders}
        )


async def test_worker_that_loses_the_race_pays_nothing(
    org: Tenant, incoming_payments: IncomingPayments, matching: Matching, rails: FaultyRails
) -> None:
    incoming_payment = await incoming_payments.receive(make_credit(org.org_id, org.container.clock))

    class Late:
        async def match(self, payment: IncomingPayment) -> bool:
            await matching.match(payment)
            return False

    await run(org, steps_of(org, Late(), rails))
    assert (
        await incoming_payments.get(org.org_id, incoming_payment.id)
    ).status is IncomingPaymentStatus.MATCHED
    assert not rails.calls


@pytest.mark.parametrize("fault", ["before the call", "after the call", "before the record"])
async def test_worker_may_die_at_any_point(
    org: Tenant, incoming_payments: IncomingPayments, rails: FaultyRails, fault: str
) -> None:
    incoming_payment = await incoming_payments.receive(make_credit(org.org_id, org.container.clock))
    match fault:
        case "before the call":
            rails.raise_before_next = RuntimeError("died")
        case "after the call":
            rails.raise_after_next = RuntimeError("died")
        case _:
            claimed = await incoming_payments.begin_return(
                incoming_payment, org.container.clock.stamp()
            )
            assert claimed is not None
            await rails.pay(
                return_payment(claimed, key=incoming_payment.id, at=org.container.clock.now())
            )
    await run(org, steps_of(org, NoTaker(), rails))
    await run(org, steps_of(org, NoTaker(), rails))
    assert (
        await incoming_payments.get(org.org_id, incoming_payment.id)
    ).status is IncomingPaymentStatus.RETURNED
    assert await paid_out(org.container.database, org.org_id) == {"usd:BANK": 10_000}


@pytest.mark.parametrize("matcher", [Silent(), Dead()])
async def test_undecidable_payment_waits(
    org: Tenant, incoming_payments: IncomingPayments, matcher: PaymentMatcher
) -> None:
    incoming_payment = await incoming_payments.receive(make_credit(org.org_id, org.container.clock))
    assert await run(org, steps_of(org, matcher)) == 0
    assert (
        await incoming_payments.get(org.org_id, incoming_payment.id)
    ).status is IncomingPaymentStatus.NEW
    assert await run(org, steps_of(org, NoTaker())) == 1
    assert (
        await incoming_payments.get(org.org_id, incoming_payment.id)
    ).status is IncomingPaymentStatus.RETURNED


async def test_cents_without_end_do_not_go_back_by_themselves(
    org: Tenant, incoming_payments: IncomingPayments
) -> None:
    """A bank charges for each return, and strangers can send cents for nothing."""
    steps = steps_of(org, NoTaker())

    async def received(cents: int) -> IncomingPaymentStatus:
        money = Money(cents, FIAT["usd"])
        credit = make_credit(org.org_id, org.container.clock, money=money)
        payment = await incoming_payments.receive(credit)
        await run(org, steps)
        return (await incoming_payments.get(org.org_id, payment.id)).status

    for _ in range(SMALL_RETURNS_PER_DAY):
        assert await received(1) is IncomingPaymentStatus.RETURNED
    assert await received(99) is IncomingPaymentStatus.UNMATCHED
    assert await received(100) is IncomingPaymentStatus.RETURNED


async def test_many_are_done_in_batches(org: Tenant, incoming_payments: IncomingPayments) -> None:
    count = BATCH_SIZE + 1
    await asyncio.gather(
        *(
            incoming_payments.receive(make_credit(org.org_id, org.container.clock))
            for _ in range(count)
        )
    )
    steps = steps_of(org, NoTaker())
    # A batch is waited for only so long; what takes longer goes on.
    assert await steps.run_once({org.org_id: NOW})
    await steps.close()
    assert not await steps.run_once({org.org_id: NOW})
    await steps.close()
    assert await paid_out(org.container.database, org.org_id) == {"usd:BANK": 10_000 * count}


@pytest.mark.parametrize("status", list(IncomingPaymentStatus))
def test_incoming_payments_end_matched_or_returned(status: IncomingPaymentStatus) -> None:
    is_end = status in {IncomingPaymentStatus.MATCHED, IncomingPaymentStatus.RETURNED}
    assert TRANSITIONS.is_terminal(status) == is_end
