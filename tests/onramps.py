"""Makers of onramps, and of the deposits that pay them."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

from landbridge.core.clock import FrozenClock
from landbridge.core.money import Money
from landbridge.flows.onramps.model import Onramp
from landbridge.kyc.model import Rail
from landbridge.ledger.audit import audit, table
from landbridge.ledger.house import house_balances
from landbridge.ledger.model import Role
from landbridge.rails.currencies import FIAT
from landbridge.receipts.model import Receipt, Sender, Told
from landbridge.wiring import AUDIT_RULES, MOVES
from tests.accounts.verified import make_verified
from tests.tenants import Tenant

ONRAMPS = "/v2/onramps"
SENDER = Sender(
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
    """The body that turns dollars into usdc on POLYGON; None leaves a member out."""
    ends = [
        {"userId": user, "currency": "usd", "amount": amount, "transferType": "wire"}
        | dict(source or {}),
        {"currency": "usdc", "chain": "POLYGON"} | dict(destination or {}),
    ]
    told = [{name: value for name, value in end.items() if value is not None} for end in ends]
    body = {
        "requestId": request_id or str(uuid4()),
        "source": told[0],
        "destination": told[1],
        **changes,
    }
    return {name: value for name, value in body.items() if value is not None}


def bodies(user: str) -> dict[str, Any]:
    """A good body for each route that takes one, by the name of the route."""
    path = f"POST {ONRAMPS}"
    return {
        path: onramp_body(user, 1, destination={"userId": user}),
        f"{path}/{{transferId}}/quote/accept": {},
        f"{path}/{{transferId}}/quote/refresh": {},
        f"{path}/{{transferId}}/cancel": {},
        "POST /v2/sandbox/onramps/{transferId}/deposit": {},
    }


async def make_payer(org: Tenant, *rails: Rail, **changes: Any) -> str:
    """The id of a person who is verified on these rails, or for dollars."""
    return await make_verified(org, *(rails or (Rail.USD,)), **changes)


async def make_onramp(
    org: Tenant, user: str, amount: Any = 100, *, is_accepted: bool = True, **changes: Any
) -> dict[str, Any]:
    """The details of an onramp, accepted or still an open quote."""
    made = await org.post(ONRAMPS, onramp_body(user, amount, **changes))
    if is_accepted:
        made = await org.post(f"{ONRAMPS}/{made['transferDetails']['id']}/quote/accept")
    return made["transferDetails"]


async def make_african_account(
    org: Tenant, user: str, currency: str, country: str, *, kind: str = "bank"
) -> str:
    """The id of an onramp account of a user."""
    bank = {
        "financialInstitute": "Example Bank",
        "accountType": kind,
        "currency": currency,
        "country": country,
    }
    body = {"rail": "onramp", "type": "africa", "africa": bank}
    return str((await org.post(f"/v2/users/{user}/accounts", body))["id"])


async def deposit(org: Tenant, onramp: Mapping[str, Any], **changes: Any) -> Receipt:
    """Fiat arrives for an onramp that was accepted: exactly as told, but for `changes`."""
    found = await onramp_of(org, onramp["id"])
    told: dict[str, Any] = {
        "account_number": found.details.account_number,
        "reference": found.details.reference,
        "amount": str(found.source),
        "currency": found.source.asset.currency,
    }
    return await receive(org, **{**told, **changes})


async def receive(
    org: Tenant,
    *,
    account_number: str,
    amount: str,
    currency: str = "usd",
    **changes: Any,
) -> Receipt:
    """Fiat arrives at the bank; nobody has looked at it yet."""
    told: dict[str, Any] = {
        "bank_reference": str(uuid4()),
        "reference": None,
        "rail": "wire",
        "sender": SENDER,
        "description": "savings",
        "at": await now(org),
        **changes,
    }
    return await org.house.receipts.receive(
        Told(
            org_id=org.org_id,
            account_number=account_number,
            money=Money.parse(amount, FIAT[currency]),
            **told,
        )
    )


async def now(org: Tenant) -> Any:
    """The organisation's time, as no other call answers it."""
    return org.house.clock.stamp(await org.house.orgs.clock_offset(org.org_id))


async def settle(org: Tenant) -> None:
    """What the worker does for this organisation, until nothing moves any more."""
    offsets = {org.org_id: await org.house.orgs.clock_offset(org.org_id)}
    _pass_a_moment(org)
    await org.house.receipt_steps.run_all(offsets)
    _pass_a_moment(org)
    await org.house.due.run_all(offsets)


def _pass_a_moment(org: Tenant) -> None:
    """Stamps are ahead of a clock that stands still; what they make due is so a moment later."""
    if isinstance(org.house.clock, FrozenClock):
        org.house.clock.at += timedelta(milliseconds=10)


async def retrieve(org: Tenant, onramp: Mapping[str, Any]) -> dict[str, Any]:
    """The details as they are now."""
    return (await org.get(f"{ONRAMPS}/{onramp['id']}"))["transferDetails"]


async def onramp_of(org: Tenant, onramp_id: str) -> Onramp:
    """An onramp as the service knows it."""
    return await org.house.onramps.get(org.org_id, UUID(onramp_id))


async def statuses(org: Tenant, onramp: Mapping[str, Any]) -> list[str]:
    """Every status that a record has had, in order."""
    rows = await org.house.database.rows(
        "select status_after from changes where org_id = $1 and object_id = $2 order by seq",
        org.org_id,
        UUID(str(onramp["id"])),
    )
    return [row["status_after"] for row in rows]


async def house_units(org: Tenant, role: Role, asset: str) -> int:
    """What a house account holds, in smallest units; `asset` as in `usd:BANK`."""
    found = await house_balances(org.house.database, org.org_id)
    return found.get((role, asset), 0)


async def check_books(org: Tenant) -> None:
    """Nothing is wrong in the books of this organisation, and nothing is left between two legs."""
    audited = await audit(org.house.database, MOVES, AUDIT_RULES, org_id=org.org_id)
    assert audited.is_clean, table(audited)
    found = await house_balances(org.house.database, org.org_id)
    assert not [key for key, units in found.items() if key[0] is Role.IN_TRANSIT and units]
