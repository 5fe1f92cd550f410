"""Who signed in may start what: the verb looks, whichever page it is called from."""

from decimal import Decimal
from uuid import UUID, uuid4

import pytest

from landbridge.chains.tokens import Chain
from landbridge.core.errors import RoleNotAllowed
from landbridge.flows.batches import service as batches
from landbridge.flows.wallet_transfers import service as wallet_transfers
from landbridge.payments.ends import Asked
from landbridge.payments.remittances import Status
from landbridge.web.caller import Caller, Role
from tests.payments.remitting import Play


@pytest.mark.parametrize("role", [Role.ADMIN, Role.MEMBER])
async def test_what_a_member_starts_always_waits_for_an_admin(play: Play, role: Role) -> None:
    status = await _create(play, play.member(role))
    assert status is (Status.CREATED if role is Role.ADMIN else Status.PENDING_APPROVAL)
    assert await play.holds() == (7, 3, 0)


async def test_an_analyst_starts_nothing(play: Play) -> None:
    with pytest.raises(RoleNotAllowed):
        await _create(play, play.member(Role.ANALYST))
    assert await play.holds() == (10, 0, 0)


async def test_members_are_named_in_the_change_log(play: Play) -> None:
    caller = play.member()
    await _create(play, caller)
    rows = await play.house.database.rows(
        "select actor from changes where org_id = $1 and what = 'open'"
        " and kind like 'WALLET.TRANSFER%'",
        play.org.org_id,
    )
    assert [row["actor"] for row in rows] == [f"member:{caller.id}"]


async def _create(play: Play, caller: Caller) -> Status:
    """Three usdc from Ada to Bob, without asking for an approval."""
    ada, bob = UUID(play.ada), UUID(play.bob)
    if play.kind == "transfer":
        transfer = wallet_transfers.Wanted(
            source_user_id=ada,
            destination=Asked(side="destination", user_id=bob),
            chain=Chain.POLYGON,
            currency="usdc",
            amount=Decimal(3),
            fee=None,
            require_approval=False,
        )
        made = await play.house.wallet_transfers.create(caller, uuid4(), transfer, {})
        return made.transfer.status
    batch = batches.Wanted(
        source_user_id=ada,
        chain=Chain.POLYGON,
        currency="usdc",
        items=[batches.WantedItem(Asked(side="destination.batch[0]", user_id=bob), "3")],
        require_approval=False,
    )
    return (await play.house.batches.create(caller, uuid4(), batch, {})).batch.status
