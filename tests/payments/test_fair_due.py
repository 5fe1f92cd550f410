"""Due work of one organisation never waits for all due work of another."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from landbridge.customers.verification import store as case_store
from landbridge.ledger import record_store
from landbridge.ledger.service import Ledger
from landbridge.payments.incoming_payments import store as receipt_store
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.mail.outbox import Outbox, SealedEmailContent
from landbridge.platform.mail.port import OutboundEmail
from tests import make
from tests.make import TRANSITIONS
from tests.payments.incoming_payments.incoming_payment_setup import make_credit
from tests.people import make_person, submit
from tests.tenants import Tenant

MANY = 4


class RecipientRecorder:
    """Mail transport that records the recipients."""

    def __init__(self) -> None:
        self.to: list[str] = []

    async def send(self, message: OutboundEmail) -> None:
        self.to.append(message.to)


async def test_records(ledger: Ledger, org: Tenant, other_org: Tenant) -> None:
    for _ in range(MANY):
        await ledger.create(make.opening(org.org_id, due_in=timedelta()), TRANSITIONS)
    await ledger.create(make.opening(other_org.org_id, due_in=timedelta()), TRANSITIONS)
    now = make.CLOCK.now() + timedelta(seconds=1)
    found = await ledger.due({org.org_id: now, other_org.org_id: now}, limit=2)
    assert {each.org_id for each in found} == {org.org_id, other_org.org_id}


async def test_due_incoming_payments_include_every_organisation(
    org: Tenant, other_org: Tenant
) -> None:
    receipts, clock = org.container.incoming_payments, org.container.clock
    for _ in range(MANY):
        await receipts.receive(make_credit(org.org_id, clock))
    await receipts.receive(make_credit(other_org.org_id, clock))
    now = clock.now() + timedelta(seconds=1)
    found = await receipts.due({org.org_id: now, other_org.org_id: now}, skip=(), limit=2)
    assert {each.org_id for each in found} == {org.org_id, other_org.org_id}


async def test_cases(org: Tenant, other_org: Tenant) -> None:
    database, at = org.container.database, datetime(2026, 3, 1, tzinfo=UTC)
    for tenant in (org, org, org, other_org):
        await submit(tenant, await make_person(tenant))

    async def let_fall_due(tx: Tx) -> None:
        for index, org_id in enumerate((org.org_id, other_org.org_id)):
            due_at = at + timedelta(seconds=index)
            await tx.execute("update kyc_cases set due_at = $2 where org_id = $1", org_id, due_at)

    await database.transact(let_fall_due)
    now = at + timedelta(minutes=1)
    clocks = {org.org_id: now, other_org.org_id: now}
    found = await database.single(lambda tx: case_store.due(tx, clocks, limit=2))
    assert [each.org_id for each in found] == [org.org_id, other_org.org_id]


async def test_mails(org: Tenant, other_org: Tenant) -> None:
    container, mail = org.container, RecipientRecorder()
    outbox = Outbox(container.database, container.vault, FrozenClock(container.clock.now()), mail)

    async def put(org_id: UUID, to: str) -> None:
        owner = new_id()

        async def work(tx: Tx) -> None:
            key = await outbox.vault.make(tx, org_id, owner)
            email = SealedEmailContent(to, "Your form", "Please open it.")
            await outbox.put(tx, org_id=org_id, owner_id=owner, key=key, email=email)

        await outbox.database.transact(work)

    # More than one batch has.
    for _ in range(25):
        await put(org.org_id, "many@example.com")
    await put(other_org.org_id, "one@example.com")
    await outbox.run_once([org.org_id, other_org.org_id])
    assert "one@example.com" in mail.to[:2]


@pytest.mark.parametrize(
    ("store", "name"), [(record_store, "DUE"), (receipt_store, "_DUE")], ids=["records", "fiat"]
)
async def test_skipped_records_are_excluded_by_hash(
    database: Database, store: object, name: str
) -> None:
    statement: str = getattr(store, name)
    skipped, now = [new_id()], datetime.now(UTC)
    limited = (128, skipped, 0, 1) if store is record_store else (skipped, 128)
    plan = await database.rows(f"explain {statement}", [new_id()], [now], *limited)
    lines = "\n".join(each["QUERY PLAN"] for each in plan)
    assert "hashed SubPlan" in lines
