"""Personal data of an incoming payment, and its erasure."""

from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.payments.incoming_payments.model import IncomingPaymentTexts
from landbridge.payments.incoming_payments.service import IncomingPayments, forget
from landbridge.platform.core.errors import Busy
from landbridge.platform.db.pool import Tx
from tests.payments.incoming_payments.incoming_payment_setup import (
    Matching,
    NoTaker,
    make_credit,
    run,
    steps_of,
)
from tests.tenants import Tenant


@pytest.mark.one_commit(reason="a batch that is swept again is the next one")
async def test_sender_of_a_returned_payment_is_erased_after_ninety_days(
    org: Tenant, other_org: Tenant, incoming_payments: IncomingPayments, matching: Matching
) -> None:
    clock = org.container.clock
    nobodys = [
        await incoming_payments.receive(make_credit(org.org_id, clock, reference="x"))
        for _ in range(3)
    ]
    anothers = await incoming_payments.receive(make_credit(other_org.org_id, clock, reference="x"))
    mine = await incoming_payments.receive(make_credit(org.org_id, clock))
    await run(org, steps_of(org, matching))
    await run(other_org, steps_of(org, NoTaker()))
    new = await incoming_payments.receive(make_credit(org.org_id, clock))

    async def named() -> set[UUID]:
        ids = [each.id for each in (*nobodys, mine, new)]
        found = [*(await incoming_payments.of(org.org_id, ids)).values()]
        found.append(await incoming_payments.get(other_org.org_id, anothers.id))
        return {each.id for each in found if each.sender is not None}

    everything = {each.id for each in (*nobodys, anothers, mine, new)}
    assert not await incoming_payments.sweep({org.org_id: clock.now(timedelta(days=89))})
    assert await named() == everything
    late = {org.org_id: clock.now(timedelta(days=90, seconds=1))}
    assert await incoming_payments.sweep(late, limit=2)
    assert len(await named()) == len(everything) - 2
    assert not await incoming_payments.sweep(late, limit=2)
    assert await named() == {anothers.id, mine.id, new.id}
    swept = await incoming_payments.get(org.org_id, nobodys[0].id)
    assert (swept.reference, swept.description, swept.money) == (None, None, new.money)
    assert not await incoming_payments.sweep(late)


async def test_user_without_an_encryption_key_matches_nothing(
    org: Tenant, incoming_payments: IncomingPayments, matching: Matching
) -> None:
    incoming_payment = await incoming_payments.receive(make_credit(org.org_id, org.container.clock))
    await org.container.users.freeze(org.caller, matching.user_id, reason=None)
    await org.container.users.erase(org.caller, matching.user_id)
    with pytest.raises(Busy):
        await matching.match(incoming_payment)
    assert await incoming_payments.get(org.org_id, incoming_payment.id) == incoming_payment


async def test_personal_data_is_encrypted_and_erased_with_its_user(
    org: Tenant, incoming_payments: IncomingPayments, matching: Matching
) -> None:
    database = org.container.database
    incoming_payment = await incoming_payments.receive(make_credit(org.org_id, org.container.clock))
    await matching.match(incoming_payment)
    (row,) = await database.rows(
        "select r::text as kept from incoming_payments r where org_id = $1", org.org_id
    )
    changes = await database.rows(
        "select c::text as kept from changes c where org_id = $1 and object_id = $2",
        *(org.org_id, incoming_payment.id),
    )
    stored = row["kept"] + "".join(each["kept"] for each in changes)
    assert len(changes) == 2
    # The whole text: three letters may occur in encrypted bytes by chance.
    for word in ("Ada Example", "First Example", "000123456789", "LB2345", "rent"):
        assert word not in stored
        assert word.encode().hex() not in stored

    async def erase(tx: Tx) -> None:
        await forget(tx, org.org_id, matching.user_id, org.container.clock.now())

    await database.transact(erase)
    bare = await incoming_payments.get(org.org_id, incoming_payment.id)
    assert (bare.sender, bare.reference, bare.description) == (None, None, None)
    assert bare.money == incoming_payment.money


async def test_erasing_the_user_blanks_incoming_payments(
    org: Tenant, incoming_payments: IncomingPayments, matching: Matching
) -> None:
    incoming_payment = await incoming_payments.receive(make_credit(org.org_id, org.container.clock))
    await matching.match(incoming_payment)
    await org.container.users.freeze(org.caller, matching.user_id, reason=None)
    await org.container.users.erase(org.caller, matching.user_id)
    assert (await incoming_payments.get(org.org_id, incoming_payment.id)).sender is None


def test_match_keeps_the_whole_text() -> None:
    assert set(IncomingPaymentTexts.__struct_fields__) == {
        "reference",
        "description",
        "sender",
        "comment",
    }
