"""A held deposit and a held payment, in an organisation where nobody screens anything."""

from uuid import UUID

from landbridge.customers.deposit_screening.model import (
    KIND,
    TRANSITIONS,
    DepositSource,
    ScreeningDetails,
    SuspendedDeposit,
    as_screening,
    held,
    screening_id,
)
from landbridge.customers.payment_screening import model as payment_screenings
from landbridge.customers.payment_screening.model import ScreenedDestination
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import CreatedTransfer
from landbridge.payments.transfers import model as wallet_transfers
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.providers.chains.tokens import ASSETS
from landbridge.providers.kyt.port import RiskCategory, ScreeningReport, ScreeningVerdict
from landbridge.providers.rails.currencies import FIAT
from tests.payments.bank_files.inbound_files import make_bank_line
from tests.payouts import OUTSIDE
from tests.tenants import TRANSFERS, Tenant, make_user, transfer_body

_HIT = ScreeningReport(
    verdict=ScreeningVerdict.HIT,
    provider="acme",
    categories=(RiskCategory.SANCTIONS,),
    reference="case-1",
)


async def make_held_deposit(org: Tenant) -> str:
    """Suspend and hold a deposit of a hundred dollars; return the id of its screening."""
    container, deposit_id = org.container, new_id()
    at = container.clock.stamp(org.caller.clock_offset)
    deposit = SuspendedDeposit(
        org_id=org.org_id,
        user_id=org.org_id,
        money=Money.parse("100", FIAT["usd"]),
        details=ScreeningDetails(source=DepositSource.BANK, deposit_id=deposit_id, rail="wire"),
        at=at,
    )
    await container.database.transact(
        lambda tx: container.deposit_screenings.suspend_in(tx, deposit)
    )
    record = await container.ledger.get(org.org_id, KIND, screening_id(deposit_id, 1))
    move = held(as_screening(record), _HIT, at)
    assert isinstance(await container.ledger.advance(move, TRANSITIONS), Transfer)
    return str(record.id)


async def make_held_payment(org: Tenant) -> str:
    """Hold a destination of a transfer of one coin; return the id of its screening."""
    container, user = org.container, await make_user(org, funds="1")
    sent = transfer_body(user, await make_user(org), 1, requireApproval=True)
    created = (await org.post(TRANSFERS, sent))["transferDetails"]["id"]
    payment = await container.ledger.get(org.org_id, wallet_transfers.KIND, UUID(created))
    destination = ScreenedDestination(
        org_id=org.org_id,
        payment_id=payment.id,
        name=f"POLYGON/{OUTSIDE}",
        money=Money.parse("1", ASSETS["usdc:POLYGON"]),
        chain="POLYGON",
        address=OUTSIDE,
    )
    at = container.clock.stamp(org.caller.clock_offset)
    begin = payment_screenings.begun(payment, destination, at)
    screening = await container.ledger.create(begin, payment_screenings.TRANSITIONS)
    assert isinstance(screening, CreatedTransfer)
    move = payment_screenings.answered(screening.transfer, _HIT, at)
    moved = await container.ledger.advance(move, payment_screenings.TRANSITIONS)
    assert isinstance(moved, Transfer)
    return str(moved.id)


async def make_waiting_for_reviewers(org: Tenant) -> dict[str, str]:
    """Create what waits for reviewers of deposits and payments; return ids by kind."""
    return {
        "screening": await make_held_deposit(org),
        "payment screening": await make_held_payment(org),
        "bank line": await make_bank_line(org),
    }
