"""What people decide about an order does not contradict what its provider has reported."""

import pytest

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import ResourceConflict
from landbridge.platform.db.pool import Database
from landbridge.providers.sidecar import order_store
from landbridge.providers.sidecar.model import ProviderOrderState
from landbridge.providers.sidecar.withheld_orders import end_decided_in
from tests.make import make_org
from tests.payments.bank_files.builders import by_wire


@pytest.mark.parametrize("is_paid", [True, False])
async def test_a_decision_that_contradicts_the_end_of_an_order_is_refused(
    database: Database, *, is_paid: bool
) -> None:
    """The provider's report is stored between the last question and the decision."""
    payment, at = by_wire(await make_org(database)), Clock(0).now()
    org_id, key = payment.org_id, payment.key
    reported = ProviderOrderState.FAILED if is_paid else ProviderOrderState.SETTLED
    reason = "the account is closed" if is_paid else None
    await database.transact(lambda tx: order_store.add(tx, payment, "acme"))
    await database.transact(
        lambda tx: order_store.decide_state(tx, org_id, key, reported, reason=reason, at=at)
    )
    with pytest.raises(ResourceConflict, match=f"is {reported}"):
        await database.transact(lambda tx: end_decided_in(tx, org_id, key, is_paid=is_paid, at=at))
    await database.transact(lambda tx: end_decided_in(tx, org_id, key, is_paid=not is_paid, at=at))
