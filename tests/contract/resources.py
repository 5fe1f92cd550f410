"""Resources of an organisation, and where their ids belong, for tests that call all routes."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from landbridge.customers.kyc.model import Rail
from landbridge.customers.verification.model import case_id
from tests.contract.public_routes import PUBLIC
from tests.contract.travel_rule_resources import TRAVEL_RULE_BODIES, make_travel_rule
from tests.customers.bank_accounts.verified import verify
from tests.developers.webhooks.sample_events import BODIES as WEBHOOK_BODIES
from tests.developers.webhooks.sample_events import make_webhook_resources, unknown_webhook_ids
from tests.held_deposits import make_waiting_for_reviewers
from tests.onramps import bodies as onramp_bodies
from tests.onramps import make_onramp
from tests.payments.incoming_payments.incoming_payment_setup import make_held
from tests.payments.virtual_accounts.virtual_account_setup import bodies as virtual_account_bodies
from tests.payments.virtual_accounts.virtual_account_setup import make_account, make_updated_rule
from tests.payouts import make_offramp, offramp_body
from tests.receivables import make_receivable
from tests.reporting.exports.downloads import BODIES as DOWNLOAD_BODIES
from tests.reporting.metrics.custom.templates import BODIES as TEMPLATE_BODIES
from tests.reporting.metrics.saved_metrics import BODIES as METRIC_BODIES
from tests.reporting.metrics.saved_metrics import save
from tests.reporting.reconciliation.compared import BODIES as RECONCILIATION_BODIES
from tests.reporting.reconciliation.compared import make_halt, make_reconciled
from tests.reporting.schedules.schedule_steps import BODIES as SCHEDULE_BODIES
from tests.reporting.schedules.schedule_steps import make_run
from tests.resolution_team import make_resolution
from tests.tenants import (
    Tenant,
    batch_body,
    bridge_body,
    business,
    good,
    individual,
    make_agreement,
    make_batch,
    make_bridge,
    make_swap,
    make_transfer,
    make_user,
    swap_body,
    transfer_body,
)

_MESSAGES_AND_FORMS = ("POST /kyc/", "POST /providers/", "POST /trp/", "POST /sandbox/")
_BY_RAIL = ("submissions", "submit", "provider-links")
OUTSIDE = "0x8ba1f109551bD432803012645Ac136ddd64DBA72"

# Path and query parameters and body members that are ids, with the kind of their object.
KINDS = {
    "userId": "user",
    "swapId": "swap",
    "transactionId": "swap",
    "transferId": "transfer",
    "signedAgreementId": "agreement",
    "idempotencyKey": "agreement",
    "linkId": "link",
    "externalWalletId": "external",
    "accountId": "account",
    "fileId": "file",
    "uboId": "owner",
    "documentId": "document",
    "caseId": "case",
    "depositId": "deposit",
    "approvalId": "approval",
    "ruleId": "rule",
    "requestId": "request",
    "xRequestId": "x request",
    "incomingPaymentId": "held deposit",
    "lineId": "bank line",
    "resolutionId": "resolution",
    "walletAddress": "address",
    "webhookId": "webhook",
    "eventId": "event",
    "deliveryId": "delivery",
    "scheduleId": "schedule",
    "runId": "run",
    "metricId": "metric",
    "disbursementId": "disbursement",
    "receivableId": "receivable",
    "screeningId": "screening",
    "paymentScreeningId": "payment screening",
    "recordId": "transfer",
    "messageId": "travel rule message",
    "exchangeId": "exchange",
    "differenceId": "difference",
    "closeId": "close",
    "haltId": "halt",
}
# The kind of a `transferId` or a `requestId` depends on the route: the first of these that its path
# begins with. Requests are resources too, named `<kind> request`.
RECORDS = {
    "/v2/wallets/transfers/batches": "batch",
    "/v2/wallets/transfers": "transfer",
    "/v2/wallets/bridges": "bridge",
    "/v2/onramps": "onramp",
    "/v2/offramps": "offramp",
    "/v2/sandbox/onramps": "onramp",
    "/v2/sandbox/offramps": "offramp",
    "/v2/sandbox/transfers": "onramp",
    "/v2/reviews/transfers": "onramp",
    "/v2/reviews/resolutions": "stuck transfer",
}
SETTLEMENT_RULES = "/v2/virtual-accounts/settlement-rules"
VIRTUAL_ACCOUNTS = "/v2/users/{userId}/virtual-accounts"
ACCOUNT = {
    "rail": "offramp",
    "type": "brazil",
    "brazil": {"pixKey": "123.456.789-09", "currency": "brl"},
}
EXTERNAL = {"address": OUTSIDE, "chain": "POLYGON", "name": "Cold storage", "referenceId": "c1"}
DOCUMENT = {
    "type": "PASSPORT",
    "subType": "SINGLE_SIDE",
    "issuedCountry": "USA",
    "url": "https://example.com/scan",
}


async def make_approval(org: Tenant, user: str) -> str:
    """Create a payment of this funded user pending approval; return the approval's id."""
    payee = await make_user(org)
    return (await make_transfer(org, user, payee, requireApproval=True))["approval"]["id"]


async def send_file(org: Tenant) -> str:
    """Upload a file; return its id."""
    file = ("a.pdf", b"%PDF-1.7\n%%EOF")
    return good(await org.client.post("/v2/files", files={"file": file}, headers=org.headers))["id"]


async def find_deposit(org: Tenant, user: str) -> str:
    """Return the id of a deposit of this funded user."""
    path = f"/v2/users/{user}/wallets/deposits"
    return (await org.get(path, chain="POLYGON", currency="usdc"))["records"][0]["id"]


async def make_owner(org: Tenant) -> str:
    """Create a business; return the id of its owner."""
    user = (await org.post("/v2/users", business(await make_agreement(org))))["id"]
    return (await org.get(f"/v2/users/{user}/kyc/ubos"))["data"][0]["id"]


async def make_document(org: Tenant, user: str) -> str:
    """Add a document to this user; return its id."""
    return (await org.post(f"/v2/users/{user}/kyc/documents", [DOCUMENT]))["data"][0]["id"]


async def make_disbursement(org: Tenant, account: str, external: str) -> str:
    """Return coins that arrive before their offramp is accepted; return the disbursement's id."""
    ends = {"userId": None, "externalWalletId": external}
    currency = {"currency": "brl"}
    created = await make_offramp(org, None, account, 1, source=ends, destination=currency)
    await org.post(f"/v2/sandbox/offramps/{created['id']}/deposit", {})
    return (await org.get(f"/v2/transactions/{created['id']}"))["disbursements"][0]["id"]


def kind_of(path: str, name: str) -> str:
    """Return the kind of object that the id of this name identifies in a route."""
    if name == "accountId" and path.startswith(VIRTUAL_ACCOUNTS):
        return "virtual account"
    if name == "requestId" and path.startswith(SETTLEMENT_RULES):
        return "rule request" if path == SETTLEMENT_RULES else "rule update request"
    by_route = next((kind for begin, kind in RECORDS.items() if path.startswith(begin)), None)
    if by_route and name in {"transferId", "requestId"}:
        return by_route if name == "transferId" else f"{by_route} request"
    return KINDS[name]


@dataclass(frozen=True, slots=True)
class Things:
    """One resource of each kind, of one organisation."""

    by_kind: dict[str, str]
    session: str
    form_session: str


async def make_logged_request(org: Tenant) -> str:
    """Make a request that is logged; return its X-Request-Id."""
    answer = await org.send("GET", "/v2/ping")
    await org.container.request_log.flush()
    return answer.headers["x-request-id"]


async def make_things(org: Tenant) -> Things:
    logged = await make_logged_request(org)
    user = await make_user(org, funds="100", chains=["POLYGON"], lastName="Approval")
    await verify(org, user, Rail.SOUTH_AMERICA_STANDARD, Rail.USD)
    account = await org.post(f"/v2/users/{user}/accounts", ACCOUNT)
    payee = await make_user(org, chains=["POLYGON", "BASE"])
    swap = await make_swap(org, user)
    transfer = await make_transfer(org, user, payee)
    batch = await make_batch(org, user, {"userId": payee, "amount": "1"})
    onramp = await make_onramp(org, user)
    offramp = await make_offramp(org, user, account["id"], 1, destination={"currency": "brl"})
    bridge = await make_bridge(org, user, payee)
    agreement = await make_agreement(org)
    external = await org.post(f"/v2/users/{user}/wallets/external", EXTERNAL)
    wallets = (await org.get(f"/v2/users/{user}"))["wallets"]["INDIVIDUAL"]
    rule, rule_requests = await make_updated_rule(org)
    form = await org.post("/v2/kyc-link", {"userType": "INDIVIDUAL", "rails": ["USD"]})
    link, _, form_session = form["kycLinkUrl"].rpartition("/")[2].partition("?session=")
    return Things(
        {
            "user": user,
            "payee": payee,
            "swap": swap["id"],
            "transfer": transfer["id"],
            "transfer request": transfer["requestId"],
            "batch": batch["id"],
            "batch request": batch["requestId"],
            "bridge": bridge["id"],
            "bridge request": bridge["requestId"],
            "onramp": onramp["id"],
            "onramp request": onramp["requestId"],
            "offramp": offramp["id"],
            "offramp request": offramp["requestId"],
            "agreement": agreement,
            "external": external["id"],
            "account": account["id"],
            "disbursement": await make_disbursement(org, account["id"], external["id"]),
            "receivable": await make_receivable(org, onramp),
            "virtual account": (await make_account(org, user))["id"],
            "rule": rule,
            "rule request": rule_requests[0],
            "rule update request": rule_requests[1],
            "file": await send_file(org),
            "deposit": await find_deposit(org, user),
            "owner": await make_owner(org),
            "document": await make_document(org, user),
            "request": swap["requestId"],
            "x request": logged,
            "held deposit": str((await make_held(org)).id),
            **await make_waiting_for_reviewers(org),
            "address": wallets["POLYGON"]["address"],
            **await make_travel_rule(org, user, wallets["POLYGON"]["address"]),
            "link": link,
            "case": str(case_id(UUID(user), Rail.SOUTH_AMERICA_STANDARD)),
            "approval": await make_approval(org, user),
            **await _other_things(org),
        },
        (await org.get(f"/v2/tos-link/{agreement}"))["sessionToken"],
        form_session,
    )


async def _other_things(org: Tenant) -> dict[str, str]:
    return {
        "metric": (await save(org))["id"],
        **await make_reconciled(org),
        "halt": await make_halt(org, asset="usdg:ETHEREUM", coins=7),
        **await make_run(org) | await make_webhook_resources(org) | await make_resolution(org),
    }


def unknown() -> Things:
    """Return ids of missing resources."""
    kinds = ("user", "owner", "document", "swap", "agreement", "external", "account", "request")
    kinds += ("screening", "payment screening", "travel rule message", "exchange", "link", "case")
    kinds += ("x request", "deposit", "approval")
    nothing = {kind: str(uuid4()) for kind in kinds}
    nothing |= {kind: str(uuid4()) for kind in ("payee", "transfer", "batch", "bridge", "onramp")}
    nothing |= {f"{kind} request": str(uuid4()) for kind in RECORDS.values()}
    nothing |= {kind: str(uuid4()) for kind in ("offramp", "bridge", "disbursement", "receivable")}
    nothing["file"] = f"file_{uuid4().hex}"
    nothing |= {kind: str(uuid4()) for kind in ("held deposit", "bank line", "schedule", "run")}
    nothing |= {kind: str(uuid4()) for kind in ("metric", "difference", "close", "halt")}
    nothing |= {kind: str(uuid4()) for kind in ("stuck transfer", "resolution")}
    kinds = ("virtual account", "rule", "rule request", "rule update request")
    nothing |= {kind: str(uuid4()) for kind in kinds} | unknown_webhook_ids()
    return Things({**nothing, "address": "0x" + uuid4().hex + "0" * 8}, "x" * 43, "x" * 43)


def bodies(mine: Things) -> dict[str, Any]:
    """Return a valid body for each route that takes one."""
    user = mine.by_kind["user"]
    address = {"address": "0x" + uuid4().hex + "1" * 8, "chain": "BASE"}
    coins = {"chain": "POLYGON", "currency": "usdc", "amount": "1"}
    reveal = {"record": "KYC", "recordId": user, "field": "govIdNumber", "reason": "audit"}
    return {
        "POST /v2/users": {
            **individual(mine.by_kind["agreement"]),
            "requestId": str(uuid4()),
        },
        "POST /v2/files": {},
        "DELETE /v2/files/{fileId}": {},
        "POST /v2/users/{userId}": {"email": "new@example.com"},
        "POST /v2/users/{userId}/freeze": {"reason": "a"},
        "POST /v2/users/{userId}/unfreeze": {},
        "POST /v2/users/{userId}/revealed-numbers": reveal,
        "DELETE /v2/users/{userId}/personal-data": {},
        "POST /v2/users/{userId}/accounts": {**ACCOUNT, "requestId": str(uuid4())},
        "DELETE /v2/users/{userId}/accounts/{accountId}": {},
        "POST /v2/reviews/accounts/{accountId}": {"decision": "approve"},
        "POST /v2/users/{userId}/kyc": {"phone": "+14155550123"},
        **{f"POST /v2/users/{{userId}}/kyc/{on}": {"rails": "USD"} for on in _BY_RAIL},
        "POST /v2/users/{userId}/kyc/shared-submissions": {"rails": "USD", "shareToken": "a"},
        "POST /v2/reviews/kyc/{caseId}": {"decision": "revoke"},
        "POST /v2/users/{userId}/kyc/ubos": {"firstName": "Ada"},
        "POST /v2/users/{userId}/kyc/ubos/{uboId}": {"firstName": "Ada"},
        "POST /v2/users/{userId}/kyc/documents/{documentId}": {"number": "1"},
        "POST /v2/users/{userId}/kyc/documents": [DOCUMENT],
        "POST /v2/users/{userId}/wallets/add": {"chains": ["BASE"]},
        "POST /v2/users/{userId}/wallets/external": {**address, "name": "a", "referenceId": "b"},
        "POST /v2/tos-link": {"idempotencyKey": str(uuid4())},
        "POST /v2/tos-link/{signedAgreementId}/accept": {"sessionToken": mine.session},
        "POST /v2/sandbox/clock/advance": {"seconds": 0},
        **{f"POST /v2/sandbox/{on}": {} for on in ("latency", "offramps/{transferId}/deposit")},
        "POST /v2/sandbox/users/{userId}/wallets/fund": coins,
        "POST /tos/{signedAgreementId}/accept": {},
        "POST /v2/kyc-link": {"userId": user, "rails": ["USD"]},
        "POST /v2/limits/simulate": {"limits": {}},
        **{f"POST /v2/transfer-approvals/{{approvalId}}/{on}": {} for on in ("approve", "reject")},
        **{name: {} for name in PUBLIC if name.startswith(_MESSAGES_AND_FORMS)},
        **_payment_bodies(mine),
        **virtual_account_bodies(VIRTUAL_ACCOUNTS),
        **onramp_bodies(user),
        **WEBHOOK_BODIES,
        "PUT /v2/reporting/time-zone": {"timeZone": "UTC"},
        "PUT /v2/organization/address-policy": {"newAddressHours": 0},
        "PUT /v2/organization/swap-providers": {"choices": []},
        **TRAVEL_RULE_BODIES,
        **METRIC_BODIES,
        **TEMPLATE_BODIES,
        **DOWNLOAD_BODIES,
        **SCHEDULE_BODIES,
        **RECONCILIATION_BODIES,
    }


def _payment_bodies(mine: Things) -> dict[str, Any]:
    user = mine.by_kind["user"]
    return {
        "POST /v2/wallets/swaps": swap_body(user, "1", destination={"userId": user}),
        "POST /v2/wallets/swaps/{swapId}/accept": {},
        "POST /v2/transactions/{transactionId}/metadata": {"metadata": {}},
        "POST /v2/users/{userId}/accounts/{accountId}/metadata": {"metadata": {}},
        "POST /v2/users/{userId}/accounts/{accountId}/payee-verification": {},
        "POST /v2/transactions/{transactionId}/notes": {"text": "a"},
        "POST /v2/wallets/transfers": transfer_body(user, mine.by_kind["payee"], 1),
        "POST /v2/wallets/transfers/batches": batch_body(
            user, {"userId": mine.by_kind["payee"], "amount": "1"}
        ),
        "POST /v2/offramps": offramp_body(
            *(user, mine.by_kind["account"], 1), destination={"userId": user, "currency": "brl"}
        ),
        "POST /v2/offramps/{transferId}/quote/accept": {},
        "POST /v2/offramps/{transferId}/quote/renew": {},
        "POST /v2/offramps/{transferId}/cancel": {},
        "POST /v2/wallets/bridges": bridge_body(
            user, 1, destination={"userId": mine.by_kind["payee"]}
        ),
        "POST /v2/wallets/bridges/{transferId}/accept": {},
        "POST /v2/reviews/transfers/{transferId}/rfi": {"question": "a"},
        "POST /v2/reviews/transfers/{transferId}/rfi/answer": {"answer": "a"},
        "POST /v2/reviews/transfers/{transferId}/rfi/close": {},
        "POST /v2/sandbox/transfers/{transferId}/rfi": {"action": "open"},
        "POST /v2/reviews/deposits/{incomingPaymentId}/match": {
            "transferId": mine.by_kind["onramp"],
            "comment": "a",
        },
        "POST /v2/reviews/deposits/{incomingPaymentId}/return": {"comment": "a"},
        "POST /v2/reviews/deposits/{incomingPaymentId}/settle": {"comment": "a"},
        "POST /v2/reviews/resolutions": {
            "requestId": str(uuid4()),
            "transferId": mine.by_kind["stuck transfer"],
            "action": "FAIL",
            "evidence": "a",
        },
        "POST /v2/reviews/bank-lines/{lineId}/resolve": {"resolution": "HANDLED", "comment": "a"},
    }


QUERIES = {
    "GET /v2/users/{userId}/wallets/balance": {"chain": "POLYGON", "currency": "usdc"},
    "GET /v2/users/{userId}/wallets/deposits": {"chain": "POLYGON", "currency": "usdc"},
    "GET /v2/wallets/swaps": {"userId": ""},
    "GET /v2/transactions": {"userId": ""},
    "GET /v2/search": {"q": "example"},
    "GET /v2/wallets/transfers": {"userId": ""},
    "GET /v2/wallets/transfers/batches": {"userId": ""},
    "GET /v2/wallets/bridges": {"userId": ""},
    "GET /v2/onramps/rates": {"fromCurrency": "usd", "toCurrency": "usdc"},
    "GET /v2/offramps/rates": {"fromCurrency": "usdc", "toCurrency": "usd"},
    "GET /v2/onramps": {"userId": ""},
    "GET /v2/offramps": {"userId": ""},
    "GET /v2/disbursements": {"userId": ""},
    "GET /v2/kyc/status": {"userId": ""},
    "GET /v2/users/{userId}/kyc/requirements": {"rails": "USD"},
    # The user is required; an unknown one is not found.
    "GET /v2/reporting/statements": {
        "userId": str(uuid4()),
        "createdAfter": "2026-01-01",
        "createdBefore": "2026-02-01",
    },
}
