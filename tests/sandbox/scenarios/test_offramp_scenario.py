"""spec.md from a person's verification to their paid offramp, over HTTP and by the worker.

It covers sandbox verification by last name, account holders, approvals by `requireApproval`, the
quote after approval, expiry after a day, `amount_in_usd` on every record, and the refund of a
failed payout. The final ledger entries are readable.
"""

from typing import Any
from uuid import uuid4

from landbridge.platform.db.pool import Database
from tests.payouts import OFFRAMPS, check_books, offramp_body
from tests.tenants import Tenant, fund, good, held, individual, make_agreement, run_due

PDF = b"%PDF-1.4\n%" + b"x" * 12_000 + b"\n%%EOF\n"
ADDRESS = {
    "addressLine1": "1 Main Street",
    "city": "Springfield",
    "stateProvinceRegion": "IL",
    "postalCode": "62701",
    "country": "USA",
}
PARTNER = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"

# Entries at the end: (transfer, account, asset, amount added, amount held).
BOOKS = """
DEPOSIT  outside     usdc  -500000000
DEPOSIT  Ada         usdc  +500000000
OFFRAMP  Ada         usdc  -202000000  held +202000000
OFFRAMP  Ada         usdc          +0  held -202000000
OFFRAMP  liquidity   usdc  +200000000
OFFRAMP  outside     usdc    +2000000
OFFRAMP  liquidity   usd       -20000
OFFRAMP  in_transit  usd       +20000
OFFRAMP  in_transit  usd       -20000
OFFRAMP  outside     usd       +20000
OFFRAMP  Ada         usdc   -50000000  held +50000000
OFFRAMP  Ada         usdc   +50000000  held -50000000
"""

_ENTRIES = """
select t.kind, e.role, e.asset, e.available, e.held
from transfers t
join entries e on e.org_id = t.org_id and e.transfer_id = t.id
where t.org_id = $1
order by t.created_at, e.seq, e.line
"""


async def test_ada_is_verified_and_paid_out(database: Database, org: Tenant) -> None:
    ada = await _signed_up(org)
    await _verified(org, ada)
    account = await _account(org, ada)
    await fund(org, ada, "500")

    fees = {"fees": [{"type": "PERCENTAGE", "value": "0.01", "walletAddress": PARTNER}]}
    body = offramp_body(
        ada,
        account,
        200,
        destination={"wireMessage": "Invoice 1"},
        purposeOfPayment="bills",
        developerFee=fees,
        requireApproval=True,
    )
    waiting = (await org.post(OFFRAMPS, body))["transferDetails"]
    assert (waiting["status"], waiting["quoteInformation"]) == ("PENDING_APPROVAL", None)
    assert waiting["amount_in_usd"] == 200

    (approval,) = (await org.get("/v2/transfer-approvals"))["approvals"]
    assert (approval["transferId"], approval["transferType"]) == (waiting["id"], "OFFRAMP")
    voted = await org.post(f"/v2/transfer-approvals/{approval['id']}/approve", {"comment": "ok"})
    assert (voted["success"], voted["status"]) == (True, "APPROVED")
    quoted = await _shown(org, waiting)
    assert quoted["status"] == "OPEN_QUOTE"
    assert quoted["quoteInformation"]["sendGross"] == {"amount": "202", "currency": "usdc"}
    assert quoted["quoteInformation"]["receiveNet"] == {"amount": "200", "currency": "usd"}

    accepted = await org.post(f"{OFFRAMPS}/{waiting['id']}/quote/accept")
    assert accepted["transferDetails"]["status"] == "CRYPTO_INITIATED"
    await run_due(org)
    done = await _shown(org, waiting)
    assert (done["status"], done["failedReason"]) == ("COMPLETED", None)
    assert done["receipt"]["transactionHash"]
    assert done["receipt"]["paymentTracking"]["paymentRail"] == "wire"
    assert await held(org, ada) == "298"

    lapsing = offramp_body(ada, account, 50, requireApproval=True)
    lapsed = (await org.post(OFFRAMPS, lapsing))["transferDetails"]
    await org.post("/v2/sandbox/clock/advance", {"seconds": 24 * 3600 - 60})
    assert (await _shown(org, lapsed))["status"] == "PENDING_APPROVAL"
    await org.post("/v2/sandbox/clock/advance", {"seconds": 120})
    ended = await _shown(org, lapsed)
    assert (ended["status"], ended["approval"]["status"]) == ("EXPIRED", "EXPIRED")
    assert await held(org, ada) == "298"

    listed = (await org.get(OFFRAMPS))["records"]
    assert [each["transferDetails"]["amount_in_usd"] for each in listed] == [50, 200]
    assert await _books(database, org) == BOOKS.strip().splitlines()
    await check_books(org)


async def _signed_up(org: Tenant) -> str:
    agreement = await make_agreement(org)
    body = individual(agreement, lastName="APPROVAL", address=ADDRESS, requestId=str(uuid4()))
    return str((await org.post("/v2/users", body))["id"])


async def _verified(org: Tenant, user: str) -> None:
    """Verify the user: no payout is possible on a rail before."""
    path = f"/v2/users/{user}/kyc"
    requirements = await org.get(f"{path}/requirements", rails="USD")
    assert "taxIdentificationNumber" in requirements["invalid"]["fields"]
    answers = {
        "phone": "+14155550123",
        "nationality": "USA",
        "address": ADDRESS,
        "taxIdentificationNumber": "123-45-6789",
    }
    await org.post(path, answers)
    upload = {"file": ("passport.pdf", PDF, "application/pdf")}
    sent = good(await org.client.post("/v2/files", files=upload, headers=org.headers))
    document = {
        "type": "PASSPORT",
        "subType": "SINGLE_SIDE",
        "issuedCountry": "USA",
        "number": "P1234567",
        "expiryDate": "2100-01-01",
        "fileId": sent["id"],
    }
    await org.post(f"{path}/documents", [document])
    await org.post(f"{path}/submissions", {"rails": "USD"})
    assert (await org.get(f"{path}/status", rails="USD"))["status"] == "ACTIVE"


async def _account(org: Tenant, user: str) -> str:
    bank = {
        "transferType": "wire",
        "accountType": "Checking",
        "accountNumber": "000123456789",
        "routingNumber": "021000021",
        "bankName": "Example Bank",
        "currency": "usd",
    }
    holder = {"type": "individual", "name": "Ada Approval", "address": ADDRESS}
    body = {"rail": "offramp", "type": "us", "accountHolder": holder, "us": bank}
    wrong = {**body, "accountHolder": {**holder, "type": "trust"}}
    assert await org.refused("POST", f"/v2/users/{user}/accounts", wrong) == (
        "400 FIELD_VALIDATION_ERROR"
    )
    created = await org.post(f"/v2/users/{user}/accounts", body)
    assert created["status"] == "ACTIVE"
    return str(created["id"])


async def _shown(org: Tenant, offramp: dict[str, Any]) -> dict[str, Any]:
    return (await org.get(f"{OFFRAMPS}/{offramp['id']}"))["transferDetails"]


async def _books(database: Database, org: Tenant) -> list[str]:
    lines: list[str] = []
    for row in await database.rows(_ENTRIES, org.org_id):
        kind = row["kind"].removeprefix("WALLET.")
        asset = row["asset"].partition(":")[0]
        line = f"{kind:<7}  {row['role'] or 'Ada':<10}  {asset:<4}  {int(row['available']):>+10}"
        lines.append(f"{line}  held {int(row['held']):+}" if row["held"] else line)
    return lines
