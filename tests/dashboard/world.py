"""An organisation with one object of every kind that pages show, and the list of these pages.

Built over HTTP by the scenarios of `landbridge trigger`, so it can be built in a test's own
organisation and on a running server.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from landbridge.sandbox.scenarios.client import ScenarioClient
from landbridge.sandbox.scenarios.people import agree, bank_account, introduce, sign_up, verified
from landbridge.sandbox.scenarios.trigger import SCENARIOS
from tests.dashboard.browsing import visit
from tests.dashboard.world_bodies import EXTERNAL, LINK, ROUTE, month_to_date, rule_body
from tests.held_deposits import make_held_deposit, make_held_payment
from tests.payments.bank_files.inbound_files import make_bank_line
from tests.payments.incoming_payments.incoming_payment_setup import make_held
from tests.reporting.metrics.custom.templates import FAILURES
from tests.reporting.reconciliation.compared import make_halt, make_reconciled
from tests.resolution_team import body
from tests.tenants import Tenant, business, transfer_body

# A payment of each type, and payments that wait for a person.
_SCENARIOS = {
    "swap": "WALLET.SWAP.STATUS.COMPLETED",
    "transfer": "WALLET.TRANSFER.UPDATE",
    "batch": "WALLET.TRANSFER.BATCH.UPDATE",
    "bridge": "WALLET.BRIDGE.UPDATE",
    "onramp": "ONRAMP.STATUS.COMPLETED",
    "onramp_open": "ONRAMP.STATUS.OPEN_QUOTE",
    "offramp": "OFFRAMP.STATUS.COMPLETED",
    "offramp_failed": "OFFRAMP.STATUS.FIAT_FAILED",
    "offramp_open": "OFFRAMP.STATUS.OPEN_QUOTE",
    "offramp_in_review": "OFFRAMP.RFI.OPEN",
    "offramp_waiting": "OFFRAMP.STATUS.PENDING_APPROVAL",
}
_SETTINGS = (
    *("approvals", "limits", "addresses", "fees", "travel-rule", "travel-rule-exchange"),
    *("time-zone", "installation"),
)
_SECTIONS = ("timeline", "references", "journals", "events", "notes", "raw")
LISTS = ("bank-accounts", "virtual-accounts", "external-wallets", "deposits")
_LIST = "/dashboard/transactions"
_PROFILE = ("password", "proof", "second-factor", "passkeys", "sessions")
TEMPLATE = "MEXICO_FAILURES"
# Events appear only after all open write transactions, including long ones of other tests.
_ATTEMPTS, _INTERVAL_S = 600, 0.1


@dataclass(slots=True)
class World:
    """IDs of the created objects."""

    user: str
    business: str
    owner: str
    document: str
    account: str
    virtual_account: str
    rule: str
    webhook: str
    event: str
    approval: str
    resolution_approval: str
    metric: str
    schedule: str
    payments: dict[str, str] = field(default_factory=dict[str, str])
    delivery: str | None = None
    request: str | None = None
    case: str | None = None
    deposit: str | None = None
    line: str | None = None
    difference: str | None = None
    close: str | None = None
    screening: str | None = None
    payment_screening: str | None = None
    # Found only on pages.
    mail: str | None = None
    member: str | None = None
    view: str | None = None

    def pages(self) -> Mapping[str, str]:
        """Return every page that requires sign-in, by the name of its screenshot."""
        found = {
            "overview": "/dashboard",
            **self._user_pages(),
            "settlement-rules": "/dashboard/settlement-rules",
            "settlement-rules-new": "/dashboard/settlement-rules/new",
            "settlement-rule": f"/dashboard/settlement-rules/{self.rule}",
            **{each: f"/dashboard/{each}" for each in LISTS},
            "transactions": "/dashboard/transactions",
            **self._payment_pages(),
            "search": "/dashboard/search?q=ada",
            **{
                f"new-{kind}": f"/dashboard/new/{kind}?userId={self.user}"
                for kind in ("transfer", "batch", "bridge", "swap", "onramp", "offramp")
            },
            "approvals": "/dashboard/approvals",
            "approval": f"/dashboard/approvals/{self.approval}",
            "approval-resolution": f"/dashboard/approvals/{self.resolution_approval}",
            "stuck": "/dashboard/stuck",
            "reviews": "/dashboard/reviews",
            "reviews-kyc": "/dashboard/reviews/kyc",
            "reviews-accounts": "/dashboard/reviews/accounts",
            "reviews-transfers": "/dashboard/reviews/transfers",
            "review-transfer": f"/dashboard/reviews/transfers/{self.payments['offramp_in_review']}",
            "reviews-deposits": "/dashboard/reviews/deposits",
            "reviews-deposit-screenings": "/dashboard/reviews/deposit-screenings",
            "reviews-payment-screenings": "/dashboard/reviews/payment-screenings",
            "reviews-bank-lines": "/dashboard/reviews/bank-lines",
            "reviews-receivables": "/dashboard/reviews/receivables",
            "reviews-resolutions": "/dashboard/reviews/resolutions",
            "review-resolution": f"/dashboard/reviews/resolutions/{self.payments['stuck']}",
            "review-resolution-new": f"/dashboard/reviews/resolutions/{self.payments['offramp']}",
            **self._other_pages(),
        }
        if self.delivery:
            found["delivery"] = f"/dashboard/webhooks/{self.webhook}/deliveries/{self.delivery}"
        if self.request:
            found["request"] = f"/dashboard/requests/{self.request}"
        reconciled = {"differences": self.difference, "closes": self.close}
        found |= {
            f"reconciliation-{kind}-one": f"/dashboard/reconciliation/{kind}/{each}"
            for kind, each in reconciled.items()
            if each
        }
        reviews = {"kyc": self.case, "deposits": self.deposit, "bank-lines": self.line}
        reviews |= {"deposit-screenings": self.screening}
        reviews |= {"payment-screenings": self.payment_screening}
        found |= {
            f"review-{queue}": f"/dashboard/reviews/{queue}/{each}"
            for queue, each in reviews.items()
            if each
        }
        linked = {"mail": self.mail, "team-member": self.member, "transactions-view": self.view}
        return found | {name: each for name, each in linked.items() if each}

    def _user_pages(self) -> Mapping[str, str]:
        """Return the pages about a user."""
        user, users = f"/dashboard/users/{self.user}", "/dashboard/users"
        return {
            "users": users,
            "users-new": f"{users}/new",
            "user": user,
            "user-edit": f"{user}/edit",
            "user-erase": f"{user}/erase",
            "user-wallets": f"{user}/wallets",
            "user-deposits": f"{user}/wallets/deposits?coin=POLYGON:usdc",
            "user-accounts": f"{user}/accounts",
            "user-account": f"{user}/accounts/{self.account}",
            "user-accounts-new": f"{user}/accounts/new",
            "user-virtual-accounts": f"{user}/virtual-accounts",
            "user-virtual-account": f"{user}/virtual-accounts/{self.virtual_account}",
            "user-virtual-account-edit": f"{user}/virtual-accounts/{self.virtual_account}/edit",
            "user-virtual-accounts-new": f"{user}/virtual-accounts/new",
            "user-transactions": f"{user}/transactions",
            "user-compliance": f"{user}/compliance",
            "user-kyc-link": f"{user}/compliance/kyc-link",
            "user-documents-new": f"{user}/compliance/documents/new",
            "user-document": f"{user}/compliance/documents/{self.document}",
            "user-reveal": f"{user}/reveal?record=DOCUMENT&recordId={self.document}",
            "business": f"{users}/{self.business}",
            "business-compliance": f"{users}/{self.business}/compliance",
            "business-owners-new": f"{users}/{self.business}/compliance/owners/new",
            "business-owner": f"{users}/{self.business}/compliance/owners/{self.owner}",
        }

    def _payment_pages(self) -> Mapping[str, str]:
        """Return the page of each payment, and the sections of two."""
        paths = {name: f"{_LIST}/{each}" for name, each in self.payments.items()}
        found = {f"transaction-{name}": path for name, path in paths.items()}
        return found | {
            f"transaction-{name}-{section}": f"{paths[name]}/{section}"
            for name in ("offramp", "offramp_waiting")
            for section in _SECTIONS
        }

    async def find_linked_pages(self, links: Callable[[str], Awaitable[Sequence[str]]]) -> None:
        """Find pages that only other pages link; `links` returns the links of a page for admins."""
        self.member = await _first_link(links, "/dashboard/team", r"/dashboard/team/[0-9a-f-]{36}")
        self.mail = await _first_link(links, "/dashboard/mailbox", r"/dashboard/mailbox/.+")
        self.view = await _first_link(links, f"{_LIST}?view=failed", rf"{_LIST}/views/[0-9a-f-]+")

    def _other_pages(self) -> Mapping[str, str]:
        """Return the pages that are not about a user or a payment."""
        return {
            "reconciliation": "/dashboard/reconciliation",
            "reconciliation-runs": "/dashboard/reconciliation/runs",
            "reconciliation-closes": "/dashboard/reconciliation/closes",
            "reconciliation-halts": "/dashboard/reconciliation/halts",
            "reports": "/dashboard/reports",
            "report": "/dashboard/reports/explore?template=OUTCOMES&breakdowns=reason",
            "report-builder": "/dashboard/reports/builder?subject=transactions",
            "report-template": f"/dashboard/reports/templates/{TEMPLATE}",
            "report-template-edit": f"/dashboard/reports/templates/{TEMPLATE}/edit",
            "report-saved": f"/dashboard/reports/saved/{self.metric}",
            "fees": "/dashboard/fees",
            "transactions-sorted": f"{_LIST}?sort=-amountUsd",
            "transactions-view-new": f"{_LIST}/views/new?view=failed",
            "statements": f"/dashboard/reports/statements?userId={self.user}",
            "schedules": "/dashboard/reports/schedules",
            "schedule": f"/dashboard/reports/schedules/{self.schedule}",
            "webhooks": "/dashboard/webhooks",
            "webhooks-new": "/dashboard/webhooks/new",
            "webhook": f"/dashboard/webhooks/{self.webhook}",
            "webhook-edit": f"/dashboard/webhooks/{self.webhook}/edit",
            "webhook-keys": f"/dashboard/webhooks/{self.webhook}/keys",
            "events": "/dashboard/events",
            "event": f"/dashboard/events/{self.event}",
            "requests": "/dashboard/requests",
            "keys": "/dashboard/keys",
            "keys-new": "/dashboard/keys/new",
            "team": "/dashboard/team",
            "team-invite": "/dashboard/team/invite",
            "settings": "/dashboard/settings",
            **{f"settings-{each}": f"/dashboard/settings/{each}" for each in _SETTINGS},
            "providers": "/dashboard/providers",
            "audit-log": "/dashboard/audit-log",
            "sandbox": "/dashboard/sandbox",
            "styleguide": "/dashboard/styleguide",
            "inquiries": "/dashboard/inquiries",
            "mailbox": "/dashboard/mailbox",
            "profile": "/dashboard/profile",
            **{f"profile-{each}": f"/dashboard/profile/{each}" for each in _PROFILE},
            "shortcuts": "/dashboard/shortcuts",
        }


# Only for admins. Every role sees the list of keys, the team and the settlement rules.
ADMIN_PAGES = frozenset(
    {
        *("settings", *(f"settings-{each}" for each in _SETTINGS)),
        *(
            "mailbox",
            "mail",
            "team-member",
            "keys-new",
            "team-invite",
            "webhooks-new",
            "webhook-edit",
        ),
        *("settlement-rules-new", "user-erase", "reviews-kyc", "review-kyc", "reviews-accounts"),
    }
)
# Refused to analysts: forms they may not send.
EDITOR_PAGES = frozenset(
    {
        *("users-new", "user-edit", "user-accounts-new", "user-virtual-accounts-new"),
        *("user-virtual-account-edit", "user-kyc-link", "report-template-edit"),
        *(f"new-{kind}" for kind in ("transfer", "batch", "bridge", "swap", "onramp", "offramp")),
    }
)


def in_process_client(org: Tenant) -> ScenarioClient:
    """Return a scenario client that calls the app in this process."""

    async def send(
        method: str, path: str, *, content: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        merged_headers = {**headers, **org.headers}
        response = await org.client.request(method, path, content=content, headers=merged_headers)
        return response.status_code, response.content

    return ScenarioClient(send)


async def build(client: ScenarioClient) -> World:
    """Create one object of every kind."""
    webhook = await client.post(
        "/v2/webhooks", {"url": "http://127.0.0.1:9/landbridge", "eventTypes": ["*"]}
    )
    user = await verified(client, funds="1250.5")
    virtual = await client.post(f"/v2/users/{user}/virtual-accounts", ROUTE)
    await client.post(f"/v2/users/{user}/wallets/external", EXTERNAL)
    rule = await client.post("/v2/virtual-accounts/settlement-rules", await rule_body(client, user))
    payments = {
        name: (await SCENARIOS[story](client)).subject_id for name, story in _SCENARIOS.items()
    }
    approval = str((await client.get("/v2/transfer-approvals"))["approvals"][0]["id"])
    payments["stuck"] = await _stuck_transfer(client, user)
    resolution = await client.post("/v2/reviews/resolutions", body(payments["stuck"], "FAIL"))
    metric = await client.post(
        "/v2/reporting/metrics",
        {
            "template": "TRANSACTION_COUNT",
            "name": "By status",
            "params": await month_to_date(client),
        },
    )
    await client.post(
        "/v2/reporting/templates",
        {"name": TEMPLATE, "displayName": "Failed payouts to Mexico", "definition": FAILURES},
    )
    schedule = await client.post(
        "/v2/reporting/schedules",
        {"name": "Every month", "metricId": metric["data"]["id"], "every": "month"},
    )
    outsider = await sign_up(client, "Grace")
    await introduce(client, outsider)
    company = business(await agree(client))
    business_id = str((await client.post("/v2/users", company))["id"])
    owners: Any = await client.get(f"/v2/users/{business_id}/kyc/ubos")
    documents: Any = await client.get(f"/v2/users/{user}/kyc/documents")
    await client.post("/v2/kyc-link", LINK)
    await client.post(f"/v2/sandbox/onramps/{payments['onramp']}/deposit", {})
    world = World(
        user=user,
        business=business_id,
        owner=owners["data"][0]["id"],
        document=documents["data"][0]["id"],
        account=await bank_account(client, user),
        virtual_account=virtual["accountInfo"]["id"],
        rule=rule["id"],
        webhook=webhook["id"],
        event=await _first_event(client),
        approval=approval,
        resolution_approval=resolution["approvalId"],
        metric=metric["data"]["id"],
        schedule=schedule["data"]["id"],
        payments=payments,
    )
    await _load_recorded_ids(client, world)
    return world


async def _stuck_transfer(client: ScenarioClient, user: str) -> str:
    """Create a transfer that its chain never confirms, and return its ID."""
    other = await sign_up(client, "Mary")
    created = await client.post(
        "/v2/wallets/transfers",
        transfer_body(user, {"userId": other}, 1),
        plan="chain_send=late:20d",
    )
    await client.pass_time()
    return str(created["transferDetails"]["id"])


async def _first_event(client: ScenarioClient) -> str:
    """Return the ID of an event, which appears once all earlier transactions have ended."""
    for _ in range(_ATTEMPTS):
        for each in (await client.get("/v2/events", limit=1))["records"]:
            return str(each["eventId"])
        await asyncio.sleep(_INTERVAL_S)
    raise AssertionError("no event came")


async def _first_link(
    links: Callable[[str], Awaitable[Sequence[str]]], path: str, pattern: str
) -> str:
    """Return the first matching link of a page, waiting for background workers."""
    for _ in range(_ATTEMPTS):
        for each in await links(path):
            if re.fullmatch(pattern, each):
                return each
        await asyncio.sleep(_INTERVAL_S)
    raise AssertionError(f"{path} leads to nothing like {pattern}")


async def _load_recorded_ids(client: ScenarioClient, world: World) -> None:
    """Load the IDs of records that appear with a delay or only with manual reviews."""
    deliveries: Any = await client.get(f"/v2/webhooks/{world.webhook}/deliveries", limit=1)
    world.delivery = next((each["id"] for each in deliveries["deliveries"]), None)
    cases: Any = await client.get("/v2/reviews/kyc", limit=1)
    world.case = next((each["id"] for each in cases["reviews"]), None)
    requests: Any = await client.get("/v2/request-log", limit=1)
    world.request = next((each["xRequestId"] for each in requests["requests"]), None)


async def build_with_linked_pages(org: Tenant) -> World:
    """Build the world in process, with the objects that no request creates and all linked pages."""
    world, admin = await build(in_process_client(org)), await visit(org)

    async def links(path: str) -> list[str]:
        return (await admin.load(path)).links()

    deposit = await make_held(org)
    world.deposit, world.line = str(deposit.id), await make_bank_line(org)
    reconciled = await make_reconciled(org)
    world.difference, world.close = reconciled["difference"], reconciled["close"]
    await make_halt(org, asset="usdg:ETHEREUM", coins=7)
    world.screening = await make_held_deposit(org)
    world.payment_screening = await make_held_payment(org)
    # Records that are written asynchronously.
    await org.container.request_log.flush()
    world.request = (await org.get("/v2/request-log", limit=1))["requests"][0]["xRequestId"]
    await org.container.outbox.run_once([org.org_id])
    await admin.submit(
        f"{_LIST}/views/new?view=failed", {"name": "Failed payments", "shared": "yes"}
    )
    await world.find_linked_pages(links)
    return world
