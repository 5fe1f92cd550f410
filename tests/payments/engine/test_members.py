"""Roles of signed-in members: the operation checks them, whichever page calls it."""

from decimal import Decimal
from uuid import UUID, uuid4

import pytest

from landbridge.payments.batches import service as batches
from landbridge.payments.engine.outgoing_transfers import OutgoingTransferStatus
from landbridge.payments.transfers import service as wallet_transfers
from landbridge.platform.core.errors import RoleNotAllowed
from landbridge.platform.http.caller import Caller, MemberRole
from landbridge.providers.chains.tokens import Chain
from tests.payments.engine.outgoing_transfer_scenario import OutgoingTransferScenario


@pytest.mark.parametrize("role", [MemberRole.ADMIN, MemberRole.MEMBER])
async def test_members_payment_always_waits_for_an_admin(
    scenario: OutgoingTransferScenario, role: MemberRole
) -> None:
    status = await _create(scenario, scenario.member(role))
    assert status is (
        OutgoingTransferStatus.CREATED
        if role is MemberRole.ADMIN
        else OutgoingTransferStatus.PENDING_APPROVAL
    )
    assert await scenario.holds() == (7, 3, 0)


async def test_analyst_cannot_start_payments(scenario: OutgoingTransferScenario) -> None:
    with pytest.raises(RoleNotAllowed):
        await _create(scenario, scenario.member(MemberRole.ANALYST))
    assert await scenario.holds() == (10, 0, 0)


async def test_members_are_named_in_the_change_log(scenario: OutgoingTransferScenario) -> None:
    caller = scenario.member()
    await _create(scenario, caller)
    rows = await scenario.container.database.rows(
        "select actor from changes where org_id = $1 and change_type = 'open'"
        " and kind like 'WALLET.TRANSFER%'",
        scenario.org.org_id,
    )
    assert [row["actor"] for row in rows] == [f"member:{caller.id}"]


async def _create(scenario: OutgoingTransferScenario, caller: Caller) -> OutgoingTransferStatus:
    """Create a transfer of three usdc from Ada to Bob, without requiring approval."""
    ada, bob = UUID(scenario.ada), UUID(scenario.bob)
    if scenario.kind == "transfer":
        transfer = wallet_transfers.NewWalletTransfer(
            request_id=uuid4(),
            source=wallet_transfers.TransferSource(ada),
            destination=wallet_transfers.TransferDestination(bob),
            chain=Chain.POLYGON,
            currency="usdc",
            amount=Decimal(3),
        )
        created = await scenario.container.wallet_transfers.create(caller, transfer)
        return created.transfer.status
    batch = batches.NewBatch(
        request_id=uuid4(),
        chain=Chain.POLYGON,
        currency="usdc",
        source=batches.BatchSource(ada),
        destination=batches.BatchDestination([batches.BatchItem("3", bob)]),
    )
    return (await scenario.container.batches.create(caller, batch)).batch.status
