"""Reported credits, payment matchers, and the worker's steps for incoming payments."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from landbridge.payments.incoming_payments.model import (
    IncomingPayment,
    IncomingPaymentSender,
    ReportedCredit,
)
from landbridge.payments.incoming_payments.service import IncomingPayments
from landbridge.payments.incoming_payments.steps import IncomingPaymentSteps, PaymentMatcher
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import Unavailable
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.rails.currencies import FIAT
from landbridge.providers.rails.port import Rails
from tests.onramps import receive
from tests.tenants import Tenant

SENDER = IncomingPaymentSender(
    name="Ada Example",
    bank_name="First Example Bank",
    routing_number="123456780",
    account_number="000123456789",
)
NOW = timedelta()


class NoTaker:
    """Matcher that matches nothing, so that every payment is returned."""

    async def match(self, payment: IncomingPayment) -> bool:
        del payment
        return False


def make_credit(org_id: UUID, clock: Clock, **changes: object) -> ReportedCredit:
    """Build a reported wire of a hundred dollars."""
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
    return ReportedCredit(**fields)  # pyright: ignore[reportArgumentType]  overrides of any type


@dataclass
class Matching:
    """Matcher for payments with its reference, for a user of the organisation."""

    incoming_payments: IncomingPayments
    database: Database
    clock: Clock
    user_id: UUID
    reference: str = "LB2345"
    transfer_id: UUID = field(default_factory=new_id)
    before: Callable[[], Awaitable[None]] | None = None

    async def match(self, payment: IncomingPayment) -> bool:
        if payment.reference != self.reference:
            return False
        if self.before is not None:
            await self.before()
        at = self.clock.stamp()

        async def work(tx: Tx) -> None:
            await self.incoming_payments.match(
                tx, payment, self.transfer_id, user_id=self.user_id, at=at
            )

        await self.database.transact(work)
        return True


class Silent:
    """Matcher that is unavailable."""

    async def match(self, payment: IncomingPayment) -> bool:
        raise Unavailable(f"nothing is known of {payment.id}")


class Dead:
    """Matcher that raises an unexpected error."""

    async def match(self, payment: IncomingPayment) -> bool:
        raise RuntimeError(str(payment.id))


def steps_of(
    org: Tenant,
    matcher: PaymentMatcher,
    rails: Rails | None = None,
    *,
    holds_unmatched: bool = False,
) -> IncomingPaymentSteps:
    """Build the worker's steps with this matcher."""
    container = org.container
    return IncomingPaymentSteps(
        container.incoming_payments,
        matcher,
        rails or container.rails,
        container.clock,
        holds_unmatched=holds_unmatched,
    )


async def run(org: Tenant, steps: IncomingPaymentSteps, offset: timedelta = NOW) -> int:
    """Run all due steps; return the number of successful ones."""
    return await steps.run_all({org.org_id: offset})


async def make_held(
    org: Tenant, amount: str = "100", *, offset: timedelta = NOW, **changes: Any
) -> IncomingPayment:
    """Create an unmatched deposit that is held for review."""
    fields = {"account_number": "900", "reference": "thanks", **changes}
    incoming_payment = await receive(org, amount=amount, **fields)
    await run(org, steps_of(org, NoTaker(), holds_unmatched=True), offset)
    return await org.container.incoming_payments.get(org.org_id, incoming_payment.id)
