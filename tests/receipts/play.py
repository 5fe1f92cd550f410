"""Credits, takers, and what the worker does with them."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from landbridge.core.clock import Clock
from landbridge.core.errors import (
    Unavailable,
)
from landbridge.core.ids import new_id
from landbridge.core.money import Money
from landbridge.db.pool import Database, Tx
from landbridge.rails.currencies import FIAT
from landbridge.rails.port import Rails
from landbridge.receipts.model import Receipt, Sender, Told
from landbridge.receipts.service import Receipts
from landbridge.receipts.steps import ReceiptSteps, Taker
from tests.onramps import receive
from tests.tenants import Tenant

SENDER = Sender(
    name="Ada Example",
    bank_name="First Example Bank",
    routing_number="123456780",
    account_number="000123456789",
)
NOW = timedelta()


class NoTaker:
    """Knows nothing, so that all goes back."""

    async def take(self, receipt: Receipt) -> bool:
        del receipt
        return False


def told(org_id: UUID, clock: Clock, **changes: object) -> Told:
    """A wire of a hundred dollars."""
    fields = {
        "org_id": org_id,
        "bank_reference": str(uuid4()),
        "account_number": "9000000000000001",
        "reference": "LB2345",
        "money": Money(10_000, FIAT["usd"]),
        "rail": "wire",
        "sender": SENDER,
        "description": "rent of May",
        "at": clock.stamp(),
        **changes,
    }
    return Told(**fields)  # pyright: ignore[reportArgumentType]  overrides of any type


@dataclass
class Matching:
    """Takes what has its reference, for a user of the organisation."""

    receipts: Receipts
    database: Database
    clock: Clock
    user_id: UUID
    reference: str = "LB2345"
    transfer_id: UUID = field(default_factory=new_id)
    before: Callable[[], Awaitable[None]] | None = None

    async def take(self, receipt: Receipt) -> bool:
        if receipt.reference != self.reference:
            return False
        if self.before is not None:
            await self.before()
        at = self.clock.stamp()

        async def work(tx: Tx) -> None:
            await self.receipts.match(tx, receipt, self.transfer_id, user_id=self.user_id, at=at)

        await self.database.transact(work)
        return True


class Silent:
    """Can't tell yet."""

    async def take(self, receipt: Receipt) -> bool:
        raise Unavailable(f"nothing is known of {receipt.id}")


class Dead:
    """Dies whenever it is asked."""

    async def take(self, receipt: Receipt) -> bool:
        raise RuntimeError(str(receipt.id))


def steps_of(
    org: Tenant, taker: Taker, rails: Rails | None = None, *, holds: bool = False
) -> ReceiptSteps:
    """What the worker does, with this taker."""
    house = org.house
    return ReceiptSteps(house.receipts, taker, rails or house.rails, house.clock, holds=holds)


async def run(org: Tenant, steps: ReceiptSteps, offset: timedelta = NOW) -> int:
    """Until nothing moves any more; how many steps went well."""
    return await steps.run_all({org.org_id: offset})


async def make_held(
    org: Tenant, amount: str = "100", *, offset: timedelta = NOW, **changes: Any
) -> Receipt:
    """A deposit whose reference says nothing to anybody, and which waits for a person."""
    told_of = {"account_number": "900", "reference": "thanks", **changes}
    receipt = await receive(org, amount=amount, **told_of)
    await run(org, steps_of(org, NoTaker(), holds=True), offset)
    return await org.house.receipts.get(org.org_id, receipt.id)
