"""Makers of onramps, and of the deposits that pay them."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from landbridge.app.container import AUDIT_RULES, TRANSITIONS
from landbridge.customers.kyc.model import Rail
from landbridge.ledger.audit import audit, table
from landbridge.ledger.house_accounts import house_balances
from landbridge.ledger.model import HouseRole
from landbridge.payments.incoming_payments.model import (
    IncomingPayment,
    IncomingPaymentSender,
    ReportedCredit,
)
from landbridge.payments.onramps.model import Onramp
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.money import Money
from landbridge.providers.rails.currencies import FIAT
from tests.customers.bank_accounts.verified import make_verified
from tests.tenants import Tenant

ONRAMPS = "/v2/onramps"
SENDER = IncomingPaymentSender(
    name="Ada Approval",
    bank_name="First Example Bank",
    routing_number="021000021",
    account_number="000123456789",
)


def onramp_body(
    user: str,
    amount: Any = 100,
    *,
    source: Mapping[str, Any] | None = None,
    destination: Mapping[str, Any] | None = None,
    request_id: str | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """Build the body that converts dollars into usdc on POLYGON; None omits a member."""
    ends = [
        {"userId": user, "currency": "usd", "amount": amount, "transferType": "wire"}
        | dict(source or {}),
        {"currency": "usdc", "chain": "POLYGON"} | dict(destination or {}),
    ]
    parties = [{name: value for name, value in end.items() if value is not None} for end in ends]
    body = {
        "requestId": request_id or str(uuid4()),
        "source": parties[0],
        "destination": parties[1],
        **changes,
    }
    return {name: value for name, value in body.items() if value is not None}


def bodies(user: str) -> dict[str, Any]:
    """Return a valid body for each route that takes one, by route."""
    path = f"POST {ONRAMPS}"
    return {
        path: onramp_body(user, 1, destination={"userId": user}),
        f"{path}/{{transferId}}/quote/accept": {},
        f"{path}/{{transferId}}/quote/refresh": {},
        f"{path}/{{transferId}}/cancel": {},
        "POST /v2/sandbox/onramps/{transferId}/deposit": {},
    }


async def make_payer(org: Tenant, *rails: Rail, **changes: Any) -> str:
    """Create a person verified on these rails, or for dollars; return their id."""
    return await make_verified(org, *(rails or (Rail.USD,)), **changes)


async def make_onramp(
    org: Tenant, user: str, amount: Any = 100, *, is_accepted: bool = True, **changes: Any
) -> dict[str, Any]:
    """Create an onramp, accepted or with an open quote; return its details."""
    created = await org.post(ONRAMPS, onramp_body(user, amount, **changes))
    if is_accepted:
        created = await org.post(f"{ONRAMPS}/{created['transferDetails']['id']}/quote/accept")
    return created["transferDetails"]


async def make_african_account(
    org: Tenant, user: str, currency: str, country: str, *, kind: str = "bank"
) -> str:
    """Create an onramp account of a user; return its id."""
    bank = {
        "financialInstitute": "Example Bank",
        "accountType": kind,
        "currency": currency,
        "country": country,
    }
    body = {"rail": "onramp", "type": "africa", "africa": bank}
    return str((await org.post(f"/v2/users/{user}/accounts", body))["id"])


async def deposit(org: Tenant, onramp: Mapping[str, Any], **changes: Any) -> IncomingPayment:
    """Deposit fiat for an accepted onramp, exactly as instructed except for `changes`."""
    found = await onramp_of(org, onramp["id"])
    fields: dict[str, Any] = {
        "account_number": found.details.account_number,
        "reference": found.details.reference,
        "amount": str(found.source),
        "currency": found.source.asset.currency,
    }
    return await receive(org, **{**fields, **changes})


async def receive(
    org: Tenant,
    *,
    account_number: str,
    amount: str,
    currency: str = "usd",
    **changes: Any,
) -> IncomingPayment:
    """Report fiat that arrived at the bank, without processing it."""
    fields: dict[str, Any] = {
        "bank_reference": str(uuid4()),
        "reference": None,
        "rail": "wire",
        "sender": SENDER,
        "description": "savings",
        "at": await now(org),
        **changes,
    }
    return await org.container.incoming_payments.receive(
        ReportedCredit(
            org_id=org.org_id,
            account_number=account_number,
            money=Money.parse(amount, FIAT[currency]),
            **fields,
        )
    )


async def now(org: Tenant) -> Any:
    """Return the organisation's time, different from that of any other call."""
    return org.container.clock.stamp(await org.container.orgs.clock_offset(org.org_id))


async def settle(org: Tenant) -> None:
    """Run the worker for this organisation until nothing advances any more."""
    offsets = {org.org_id: await org.container.orgs.clock_offset(org.org_id)}
    _pass_a_moment(org)
    await org.container.incoming_payment_steps.run_all(offsets)
    _pass_a_moment(org)
    await org.container.scheduler.run_all(offsets)


def _pass_a_moment(org: Tenant) -> None:
    """Advance a stopped clock slightly: timestamps are ahead of it, and so is due work."""
    if isinstance(org.container.clock, FrozenClock):
        org.container.clock.at += timedelta(milliseconds=10)


async def retrieve(org: Tenant, onramp: Mapping[str, Any]) -> dict[str, Any]:
    """Return the current details."""
    return (await org.get(f"{ONRAMPS}/{onramp['id']}"))["transferDetails"]


async def onramp_of(org: Tenant, onramp_id: str) -> Onramp:
    """An onramp as the service knows it."""
    return await org.container.onramps.get(org.org_id, UUID(onramp_id))


async def statuses(org: Tenant, onramp: Mapping[str, Any]) -> list[str]:
    """Return every status of a record, in order."""
    rows = await org.container.database.rows(
        "select status_after from changes where org_id = $1 and object_id = $2 order by seq",
        org.org_id,
        UUID(str(onramp["id"])),
    )
    return [row["status_after"] for row in rows]


async def house_units(org: Tenant, role: HouseRole, asset: str) -> int:
    """Return the balance of a house account in smallest units; `asset` is like `usd:BANK`."""
    found = await house_balances(org.container.database, org.org_id)
    return found.get((role, asset), 0)


async def check_books(org: Tenant) -> None:
    """Check that the ledger audit is clean and nothing is in transit."""
    audited = await audit(org.container.database, TRANSITIONS, AUDIT_RULES, org_id=org.org_id)
    assert audited.is_clean, table(audited)
    found = await house_balances(org.container.database, org.org_id)
    assert not [key for key, units in found.items() if key[0] is HouseRole.IN_TRANSIT and units]
