"""A held deposit, in an organisation whose deposits nobody screens."""

from landbridge.customers.deposit_screening.audit import SCREENED_ASSETS
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
from landbridge.ledger.model import Transfer
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.providers.kyt.port import RiskCategory, ScreeningReport, ScreeningVerdict
from landbridge.providers.rails.currencies import FIAT
from tests.payments.bank_files.inbound_files import make_bank_line
from tests.tenants import Tenant

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
    move = held(as_screening(record, SCREENED_ASSETS), _HIT, at)
    assert isinstance(await container.ledger.advance(move, TRANSITIONS), Transfer)
    return str(record.id)


async def make_waiting_for_reviewers(org: Tenant) -> dict[str, str]:
    """Create what waits for reviewers of deposits; return ids by kind."""
    return {"screening": await make_held_deposit(org), "bank line": await make_bank_line(org)}
