"""An organisation in which there is one of everything that a page can show, and all those pages.

Made over HTTP by the stories that `landbridge trigger` plays, so it can be made in a test's own
organisation and on a server that runs somewhere.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from landbridge.stories.client import Client
from landbridge.stories.people import agree, bank_account, introduce, sign_up, verified
from landbridge.stories.triggering import STORIES
from tests.resolving import body
from tests.tenants import Tenant, business, transfer_body

# A payment of each kind, and what waits for a person.
_PLAYED = {
    "swap": "WALLET.SWAP.STATUS.COMPLETED",
    "transfer": "WALLET.TRANSFER.UPDATE",
    "batch": "WALLET.TRANSFER.BATCH.UPDATE",
    "bridge": "WALLET.BRIDGE.UPDATE",
    "onramp": "ONRAMP.STATUS.COMPLETED",
    "onramp_open": "ONRAMP.STATUS.OPEN_QUOTE",
    "offramp": "OFFRAMP.STATUS.COMPLETED",
    "offramp_failed": "OFFRAMP.STATUS.FIAT_FAILED",
    "offramp_open": "OFFRAMP.STATUS.OPEN_QUOTE",
    "offramp_asked": "OFFRAMP.RFI.OPEN",
    "offramp_waiting": "OFFRAMP.STATUS.PENDING_APPROVAL",
}
_SETTINGS = ("approvals", "limits", "fees", "time-zone", "installation")
_PROFILE = ("password", "proof", "second-factor", "passkeys", "sessions")
# It is mailed, so that there is a mail.
_LINK = {"recipientEmail": "ada@example.com", "userType": "INDIVIDUAL", "rails": ["USD"]}
# Events wait for every writing transaction of the server, also for a long one of another test.
_LOOKS, _LOOK_EVERY_S = 600, 0.1
_ROUTE = {
    "sourceCurrency": "usd",
    "destinationCurrency": "usdc",
    "destinationChain": "POLYGON",
}


@dataclass(slots=True)
class World:
    """Ids of what there is."""

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
    # Found on pages alone.
    mail: str | None = None
    member: str | None = None

    def pages(self) -> Mapping[str, str]:
        """Every page behind the door, by a name for its picture."""
        found = {
            "overview": "/dashboard",
            **self._users(),
            "settlement-rules": "/dashboard/settlement-rules",
            "settlement-rules-new": "/dashboard/settlement-rules/new",
            "settlement-rule": f"/dashboard/settlement-rules/{self.rule}",
            "transactions": "/dashboard/transactions",
            **{
                f"transaction-{name}": f"/dashboard/transactions/{each}"
                for name, each in self.payments.items()
            },
            "search": "/dashboard/search?q=ada",
            **{
                f"new-{kind}": f"/dashboard/new/{kind}?userId={self.user}"
                for kind in ("transfer", "batch", "bridge", "swap", "onramp", "offramp")
            },
            "approvals": "/dashboard/approvals",
            "approval": f"/dashboard/approvals/{self.approval}",
            "approval-resolution": f"/dashboard/approvals/{self.resolution_approval}",
            "reviews": "/dashboard/reviews",
            "reviews-kyc": "/dashboard/reviews/kyc",
            "reviews-accounts": "/dashboard/reviews/accounts",
            "reviews-transfers": "/dashboard/reviews/transfers",
            "review-transfer": f"/dashboard/reviews/transfers/{self.payments['offramp_asked']}",
            "reviews-deposits": "/dashboard/reviews/deposits",
            "reviews-bank-lines": "/dashboard/reviews/bank-lines",
            "reviews-receivables": "/dashboard/reviews/receivables",
            "reviews-resolutions": "/dashboard/reviews/resolutions",
            "review-resolution": f"/dashboard/reviews/resolutions/{self.payments['stuck']}",
            "review-resolution-new": f"/dashboard/reviews/resolutions/{self.payments['offramp']}",
            **self._frame(),
        }
        if self.delivery:
            found["delivery"] = f"/dashboard/webhooks/{self.webhook}/deliveries/{self.delivery}"
        if self.request:
            found["request"] = f"/dashboard/requests/{self.request}"
        reviews = {"kyc": self.case, "deposits": self.deposit, "bank-lines": self.line}
        found |= {
            f"review-{queue}": f"/dashboard/reviews/{queue}/{each}"
            for queue, each in reviews.items()
            if each
        }
        if self.mail:
            found["mail"] = self.mail
        if self.member:
            found["team-member"] = self.member
        return found

    def _users(self) -> Mapping[str, str]:
        """What is about somebody."""
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
            "business": f"{users}/{self.business}",
            "business-compliance": f"{users}/{self.business}/compliance",
            "business-owners-new": f"{users}/{self.business}/compliance/owners/new",
            "business-owner": f"{users}/{self.business}/compliance/owners/{self.owner}",
        }

    async def look_around(self, links: Callable[[str], Awaitable[Sequence[str]]]) -> None:
        """Find what only pages name; `links` answers where a page that the admin sees leads to."""
        self.member = await _linked(links, "/dashboard/team", r"/dashboard/team/[0-9a-f-]{36}")
        self.mail = await _linked(links, "/dashboard/mailbox", r"/dashboard/mailbox/.+")

    def _frame(self) -> Mapping[str, str]:
        """What is not about a user or a payment."""
        return {
            "reports": "/dashboard/reports",
            "report": "/dashboard/reports/explore?template=OUTCOMES&breakdowns=reason",
            "report-saved": f"/dashboard/reports/saved/{self.metric}",
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
            "audit-log": "/dashboard/audit-log",
            "sandbox": "/dashboard/sandbox",
            "mailbox": "/dashboard/mailbox",
            "profile": "/dashboard/profile",
            **{f"profile-{each}": f"/dashboard/profile/{each}" for each in _PROFILE},
            "shortcuts": "/dashboard/shortcuts",
        }


# What is refused to all but admins. Everybody may look at the keys, the team and the rules.
FOR_ADMINS = frozenset(
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
# What is refused to analysts: forms that they could not send.
FOR_EDITORS = frozenset(
    {
        *("users-new", "user-edit", "user-accounts-new", "user-virtual-accounts-new"),
        *("user-virtual-account-edit", "user-kyc-link"),
        *(f"new-{kind}" for kind in ("transfer", "batch", "bridge", "swap", "onramp", "offramp")),
    }
)


def inside(org: Tenant) -> Client:
    """The API for stories, in this process."""

    async def send(
        method: str, path: str, *, content: bytes | None, headers: Mapping[str, str]
    ) -> tuple[int, bytes]:
        told = {**headers, **org.headers}
        answer = await org.client.request(method, path, content=content, headers=told)
        return answer.status_code, answer.content

    return Client(send)


async def build(client: Client) -> World:
    """Make everything, once."""
    webhook = await client.post(
        "/v2/webhooks", {"url": "http://127.0.0.1:9/landbridge", "eventTypes": ["*"]}
    )
    user = await verified(client, funds="1250.5")
    virtual = await client.post(f"/v2/users/{user}/virtual-accounts", _ROUTE)
    rule = await client.post("/v2/virtual-accounts/settlement-rules", await _split(client, user))
    payments = {name: (await STORIES[story](client)).about for name, story in _PLAYED.items()}
    approval = str((await client.get("/v2/transfer-approvals"))["approvals"][0]["id"])
    payments["stuck"] = await _stuck_transfer(client, user)
    resolution = await client.post("/v2/reviews/resolutions", body(payments["stuck"], "FAIL"))
    metric = await client.post(
        "/v2/reporting/metrics",
        {"template": "TRANSACTION_COUNT", "name": "By status", "params": await _month(client)},
    )
    schedule = await client.post(
        "/v2/reporting/schedules",
        {"name": "Every month", "metricId": metric["data"]["id"], "every": "month"},
    )
    stranger = await sign_up(client, "Grace")
    await introduce(client, stranger)
    company = business(await agree(client))
    business_id = str((await client.post("/v2/users", company))["id"])
    owners: Any = await client.get(f"/v2/users/{business_id}/kyc/ubos")
    documents: Any = await client.get(f"/v2/users/{user}/kyc/documents")
    await client.post("/v2/kyc-link", _LINK)
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
    await _found(client, world)
    return world


async def _stuck_transfer(client: Client, user: str) -> str:
    """The id of a transfer that its chain does not answer about."""
    other = await sign_up(client, "Mary")
    made = await client.post(
        "/v2/wallets/transfers",
        transfer_body(user, {"userId": other}, 1),
        plan="chain_send=late:20d",
    )
    await client.pass_time()
    return str(made["transferDetails"]["id"])


async def _first_event(client: Client) -> str:
    """An event; it is there once no transaction goes on that is older."""
    for _ in range(_LOOKS):
        for each in (await client.get("/v2/events", limit=1))["records"]:
            return str(each["eventId"])
        await asyncio.sleep(_LOOK_EVERY_S)
    raise AssertionError("no event came")


async def _linked(links: Callable[[str], Awaitable[Sequence[str]]], path: str, pattern: str) -> str:
    """The first link of a page that fits; what a worker sends is there in a moment."""
    for _ in range(_LOOKS):
        for each in await links(path):
            if re.fullmatch(pattern, each):
                return each
        await asyncio.sleep(_LOOK_EVERY_S)
    raise AssertionError(f"{path} leads to nothing like {pattern}")


async def _found(client: Client, world: World) -> None:
    """What may be there a moment later, or only where somebody reviews."""
    deliveries: Any = await client.get(f"/v2/webhooks/{world.webhook}/deliveries", limit=1)
    world.delivery = next((each["id"] for each in deliveries["deliveries"]), None)
    cases: Any = await client.get("/v2/reviews/kyc", limit=1)
    world.case = next((each["id"] for each in cases["reviews"]), None)
    requests: Any = await client.get("/v2/request-log", limit=1)
    world.request = next((each["xRequestId"] for each in requests["requests"]), None)


async def _split(client: Client, user: str) -> Mapping[str, Any]:
    """A rule that gives a twentieth to this user."""
    wallets = (await client.get(f"/v2/users/{user}"))["wallets"]["INDIVIDUAL"]
    share = {
        "type": "PERCENTAGE",
        "calculationModel": "FIXED",
        "walletAddress": wallets["POLYGON"]["address"],
        "value": 0.05,
    }
    return {
        "requestId": str(uuid4()),
        "chain": "POLYGON",
        "includeHIFIFee": False,
        "rules": [share],
    }


async def _month(client: Client) -> Mapping[str, Any]:
    clock = await client.post("/v2/sandbox/clock/advance", {"seconds": 0})
    day = str(clock["now"])[:10]
    return {
        "createdAfter": f"{day[:8]}01",
        "createdBefore": day if not day.endswith("01") else f"{day[:8]}02",
        "calculationInterval": "day",
    }
