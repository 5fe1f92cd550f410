"""What is personal in a receipt, and when it goes."""

from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.core.errors import (
    Busy,
)
from landbridge.db.pool import Tx
from landbridge.receipts.model import Words
from landbridge.receipts.service import Receipts, forget
from tests.tenants import Tenant

from .play import Matching, NoTaker, run, steps_of, told


@pytest.mark.one_commit(reason="a batch that is swept again is the next one")
async def test_who_sent_what_went_back_is_forgotten_after_ninety_days(
    org: Tenant, other_org: Tenant, receipts: Receipts, matching: Matching
) -> None:
    clock = org.house.clock
    nobodys = [await receipts.receive(told(org.org_id, clock, reference="x")) for _ in range(3)]
    anothers = await receipts.receive(told(other_org.org_id, clock, reference="x"))
    mine = await receipts.receive(told(org.org_id, clock))
    await run(org, steps_of(org, matching))
    await run(other_org, steps_of(org, NoTaker()))
    new = await receipts.receive(told(org.org_id, clock))

    async def named() -> set[UUID]:
        ids = [each.id for each in (*nobodys, mine, new)]
        found = [*(await receipts.of(org.org_id, ids)).values()]
        found.append(await receipts.get(other_org.org_id, anothers.id))
        return {each.id for each in found if each.sender is not None}

    everything = {each.id for each in (*nobodys, anothers, mine, new)}
    assert not await receipts.sweep({org.org_id: clock.now(timedelta(days=89))})
    assert await named() == everything
    late = {org.org_id: clock.now(timedelta(days=90, seconds=1))}
    assert await receipts.sweep(late, limit=2)
    assert len(await named()) == len(everything) - 2
    assert not await receipts.sweep(late, limit=2)
    assert await named() == {anothers.id, mine.id, new.id}
    swept = await receipts.get(org.org_id, nobodys[0].id)
    assert (swept.reference, swept.description, swept.money) == (None, None, new.money)
    assert not await receipts.sweep(late)


async def test_a_user_without_a_key_is_matched_with_nothing(
    org: Tenant, receipts: Receipts, matching: Matching
) -> None:
    receipt = await receipts.receive(told(org.org_id, org.house.clock))
    await org.house.users.freeze(org.caller, matching.user_id, reason=None)
    await org.house.users.erase(org.caller, matching.user_id)
    with pytest.raises(Busy):
        await matching.take(receipt)
    assert await receipts.get(org.org_id, receipt.id) == receipt


async def test_what_is_personal_is_sealed_and_goes_with_its_user(
    org: Tenant, receipts: Receipts, matching: Matching
) -> None:
    database = org.house.database
    receipt = await receipts.receive(told(org.org_id, org.house.clock))
    await matching.take(receipt)
    (row,) = await database.rows(
        "select r::text as kept from receipts r where org_id = $1", org.org_id
    )
    changes = await database.rows(
        "select c::text as kept from changes c where org_id = $1 and object_id = $2",
        *(org.org_id, receipt.id),
    )
    kept = row["kept"] + "".join(each["kept"] for each in changes)
    assert len(changes) == 2
    # Whole, for three letters may stand in any sealed bytes by chance.
    for word in ("Ada Example", "First Example", "000123456789", "LB2345", "rent"):
        assert word not in kept
        assert word.encode().hex() not in kept

    async def erase(tx: Tx) -> None:
        await forget(tx, org.org_id, matching.user_id, org.house.clock.now())

    await database.transact(erase)
    bare = await receipts.get(org.org_id, receipt.id)
    assert (bare.sender, bare.reference, bare.description) == (None, None, None)
    assert bare.money == receipt.money


async def test_erasing_the_user_blanks_receipts(
    org: Tenant, receipts: Receipts, matching: Matching
) -> None:
    receipt = await receipts.receive(told(org.org_id, org.house.clock))
    await matching.take(receipt)
    await org.house.users.freeze(org.caller, matching.user_id, reason=None)
    await org.house.users.erase(org.caller, matching.user_id)
    assert (await receipts.get(org.org_id, receipt.id)).sender is None


def test_a_match_keeps_every_word() -> None:
    assert set(Words.__struct_fields__) == {"reference", "description", "sender", "comment"}
