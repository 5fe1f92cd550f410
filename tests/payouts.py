"""Builders of offramps: verified users, bank accounts, and payouts at each status."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

from landbridge.app.container import AUDIT_RULES, TRANSITIONS
from landbridge.customers.bank_accounts.field_tables import Ramp
from landbridge.customers.kyc.model import Rail
from landbridge.ledger.audit import audit, table
from landbridge.payments.offramps.model import Offramp
from tests.customers.bank_accounts.bodies import Case, cases, having, whole
from tests.customers.bank_accounts.verified import make_verified
from tests.tenants import Tenant, fund

OFFRAMPS = "/v2/offramps"
# Every way to pay a bank account: type, rail, currency and holder.
WAYS = {str(case): case for case in cases() if case.ramp is Ramp.OFFRAMP}
OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"


def way(table: str, rail: str | None = None, currency: str | None = None) -> Case:
    """Return the first matching way, for an individual if a holder is needed."""
    return next(
        case
        for case in WAYS.values()
        if case.table.name == table
        and (rail is None or rail in case.words.values())
        and (currency is None or case.words.get("currency", currency) == currency)
    )


async def make_payee(org: Tenant, *rails: Rail, funds: str | None = "1000", **changes: Any) -> str:
    """Create a person verified on these rails (USD), with usdc on POLYGON; return their id."""
    user = await make_verified(org, *(rails or (Rail.USD,)), **changes)
    if funds is not None:
        await fund(org, user, funds)
    return user


async def make_account(
    org: Tenant, user: str, case: Case | None = None, *, currency: str | None = None
) -> str:
    """Create a bank account, by default of type us, paid by wire; return its id."""
    of = case or way("us", "wire")
    body = whole(of)
    if currency is not None:
        body = having(body, f"{of.table.name}.currency", currency)
    return str((await org.post(f"/v2/users/{user}/accounts", body))["id"])


def offramp_body(
    user: str | None,
    account: str,
    amount: Any = 100,
    *,
    source: Mapping[str, Any] | None = None,
    destination: Mapping[str, Any] | None = None,
    request_id: str | None = None,
    **changes: Any,
) -> dict[str, Any]:
    """Build the body that pays out usdc on POLYGON in usd; None omits a member."""
    ends = [
        {"userId": user, "chain": "POLYGON", "currency": "usdc", "amount": amount}
        | dict(source or {}),
        {"accountId": account, "currency": "usd"} | dict(destination or {}),
    ]
    values = [{name: value for name, value in end.items() if value is not None} for end in ends]
    body = {
        "requestId": request_id or str(uuid4()),
        "source": values[0],
        "destination": values[1],
        **changes,
    }
    return {name: value for name, value in body.items() if value is not None}


async def make_offramp(
    org: Tenant, user: str | None, account: str, amount: Any = 100, **changes: Any
) -> dict[str, Any]:
    """Create an offramp; return its details. The user must have the funds."""
    created = await org.post(OFFRAMPS, offramp_body(user, account, amount, **changes))
    return created["transferDetails"]


async def accept(org: Tenant, offramp: Mapping[str, Any]) -> dict[str, Any]:
    """Accept the quote of an offramp; return its details."""
    return (await org.post(f"{OFFRAMPS}/{offramp['id']}/quote/accept"))["transferDetails"]


async def shown(org: Tenant, offramp: Mapping[str, Any]) -> dict[str, Any]:
    """Return the current details of an offramp."""
    return (await org.get(f"{OFFRAMPS}/{offramp['id']}"))["transferDetails"]


async def offramp_of(org: Tenant, offramp: Mapping[str, Any]) -> Offramp:
    """An offramp as the service knows it."""
    return await org.container.offramps.get(org.org_id, UUID(offramp["id"]))


async def check_books(org: Tenant) -> None:
    """Check that the ledger audit of the organisation is clean."""
    audited = await audit(org.container.database, TRANSITIONS, AUDIT_RULES, org_id=org.org_id)
    assert audited.is_clean, table(audited)
