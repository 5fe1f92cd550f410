"""Every write without an id but the header `Idempotency-Key`: its route, content and effects."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import httpx2

from tests.customers.kyc.samples import document, make_business, owner
from tests.developers.webhooks.endpoints import URL, WEBHOOKS
from tests.developers.webhooks.sample_events import make_webhook_resources
from tests.onramps import make_onramp, make_payer
from tests.payments.virtual_accounts.virtual_account_setup import account_body, at, make_receiver
from tests.payouts import OUTSIDE, accept, make_offramp, make_payee
from tests.payouts import make_account as make_bank_account
from tests.platform.files.sample_files import PDF
from tests.reporting.metrics.saved_metrics import METRICS, metric_body
from tests.reporting.schedules.schedule_steps import ADVANCE, DAILY, SCHEDULES
from tests.tenants import Tenant, make_swap, make_user, register


@dataclass(frozen=True)
class KeyedWrite:
    """A write of one organisation, and another that the same key refuses.

    `effects` counts what it has done so far: each of two writes adds `adds`.
    """

    path: str
    json: Any
    other: Any
    effects: Callable[[Tenant], Awaitable[int]]
    adds: int = 1
    file: bytes | None = None

    async def send(
        self, org: Tenant, key: str | None, *, is_other: bool = False
    ) -> httpx2.Response:
        """Send it with this key, or without one."""
        headers = org.headers if key is None else {**org.headers, "Idempotency-Key": key}
        if self.file is None:
            body = self.other if is_other else self.json
            return await org.client.post(self.path, json=body, headers=headers)
        content = self.file + b"\n" if is_other else self.file
        files = {"file": ("a.pdf", content, "application/pdf")}
        return await org.client.post(self.path, files=files, headers=headers)


def _changes(kind: str, change_type: str | None = None) -> Callable[[Tenant], Awaitable[int]]:
    """Count the changes of a kind in the log."""

    async def count(org: Tenant) -> int:
        rows = await org.container.database.rows(
            "select count(*) from changes where org_id = $1 and kind = $2"
            " and ($3::text is null or change_type = $3)",
            *(org.org_id, kind, change_type),
        )
        return rows[0]["count"]

    return count


async def _webhook_resources(org: Tenant) -> dict[str, str]:
    await make_user(org)  # the event
    return await make_webhook_resources(org)


async def _virtual_account(org: Tenant) -> KeyedWrite:
    path = at(await make_receiver(org))
    return KeyedWrite(
        path, account_body(), account_body("BASE"), _changes("ACCOUNT.VIRTUAL_ACCOUNT")
    )


async def _file(org: Tenant) -> KeyedWrite:
    del org
    return KeyedWrite("/v2/files", None, None, _changes("FILE", "create"), file=PDF)


async def _external(org: Tenant) -> KeyedWrite:
    path = f"/v2/users/{await make_user(org)}/wallets/external"
    body = {"address": OUTSIDE, "chain": "POLYGON", "name": "Cold", "referenceId": "1"}
    return KeyedWrite(path, body, {**body, "name": "Warm"}, _changes("WALLET.EXTERNAL"), adds=0)


async def _note(org: Tenant) -> KeyedWrite:
    user = await make_user(org, funds="10")
    path = f"/v2/transactions/{(await make_swap(org, user))['id']}/notes"
    return KeyedWrite(path, {"text": "a"}, {"text": "b"}, _changes("TRANSACTION.NOTE"))


async def _owner(org: Tenant) -> KeyedWrite:
    path = f"/v2/users/{await make_business(org)}/kyc/ubos"
    return KeyedWrite(
        path, owner(shareProportion=1), owner(firstName="Grace"), _changes("KYC.DATA")
    )


async def _documents(org: Tenant) -> KeyedWrite:
    path = f"/v2/users/{await make_user(org)}/kyc/documents"
    body = [document(), document("ID_CARD")]
    return KeyedWrite(path, body, body[:1], _changes("KYC.DATA"))


async def _link(org: Tenant) -> KeyedWrite:
    body = {"userId": await make_user(org), "rails": ["USD"]}
    other = {**body, "rails": ["USD", "AFRICA_GENERAL"]}
    return KeyedWrite("/v2/kyc-link", body, other, _changes("KYC_LINK"))


async def _metric(org: Tenant) -> KeyedWrite:
    del org
    body = metric_body()
    return KeyedWrite(METRICS, body, {**body, "name": "Other"}, _changes("REPORT.METRIC"))


async def _schedule(org: Tenant) -> KeyedWrite:
    del org
    other = {**DAILY, "name": "Other"}
    return KeyedWrite(SCHEDULES, DAILY, other, _changes("REPORT.SCHEDULE"))


async def _webhook(org: Tenant) -> KeyedWrite:
    del org
    body = {"url": URL, "standardWebhooks": True}
    return KeyedWrite(WEBHOOKS, body, {"url": URL}, _changes("WEBHOOK", "create"))


async def _rotation(org: Tenant) -> KeyedWrite:
    body = {"url": URL, "standardWebhooks": True}
    webhook = (await org.post(WEBHOOKS, body))["id"]
    path = f"{WEBHOOKS}/{webhook}/rotate"
    rotation = {"overlapSeconds": 60}
    return KeyedWrite(path, rotation, {"overlapSeconds": 61}, _changes("WEBHOOK", "rotate"))


async def _test_event(org: Tenant) -> KeyedWrite:
    webhook = (await _webhook_resources(org))["webhook"]
    return KeyedWrite(f"{WEBHOOKS}/{webhook}/test", None, None, _changes("WEBHOOK", "test"))


async def _resend(org: Tenant) -> KeyedWrite:
    ids = await _webhook_resources(org)
    path = f"{WEBHOOKS}/{ids['webhook']}/deliveries/{ids['delivery']}/resend"
    return KeyedWrite(path, None, None, _changes("WEBHOOK.DELIVERY", "resend"))


async def _resend_since(org: Tenant) -> KeyedWrite:
    webhook = (await _webhook_resources(org))["webhook"]
    path, body = f"{WEBHOOKS}/{webhook}/resend", {"since": "2026-01-01", "only": "failed"}
    return KeyedWrite(path, body, {**body, "only": "all"}, _changes("WEBHOOK", "resend"))


async def _funding(org: Tenant) -> KeyedWrite:
    path = f"/v2/sandbox/users/{await make_user(org)}/wallets/fund"
    body = {"chain": "POLYGON", "currency": "usdc", "amount": "1"}
    return KeyedWrite(path, body, {**body, "amount": "2"}, _changes("WALLET.DEPOSIT"))


async def _fiat(org: Tenant) -> KeyedWrite:
    onramp = await make_onramp(org, await make_payer(org))
    path = f"/v2/sandbox/onramps/{onramp['id']}/deposit"
    return KeyedWrite(path, {}, {"amount": 1}, _changes("INCOMING_PAYMENT", "receive"))


async def _coins(org: Tenant) -> KeyedWrite:
    user = await make_payee(org)
    external = await register(org, user, OUTSIDE, name="a")
    ends = {"userId": None, "externalWalletId": external}
    account = await make_bank_account(org, user)
    offramp = await accept(org, await make_offramp(org, None, account, 10, source=ends))
    path = f"/v2/sandbox/offramps/{offramp['id']}/deposit"

    async def effects(org: Tenant) -> int:
        shown = (await org.get(f"/v2/transactions/{offramp['id']}"))["disbursements"]
        return len(shown) + await _changes("OFFRAMP", "coins_arrived")(org)

    return KeyedWrite(path, {}, {"amount": 1}, effects)


async def _clock(org: Tenant) -> KeyedWrite:
    async def effects(org: Tenant) -> int:
        return int((await org.container.orgs.clock_offset(org.org_id)).total_seconds())

    return KeyedWrite(ADVANCE, {"seconds": 60}, {"seconds": 61}, effects, adds=60)


# The kind of each in GET /v2/requests.
KEYED_WRITES: dict[str, tuple[str, Callable[[Tenant], Awaitable[KeyedWrite]]]] = {
    "transactions.addNote": ("TRANSACTION_NOTE", _note),
    "virtualAccounts.create": ("VIRTUAL_ACCOUNT", _virtual_account),
    "files.create": ("FILE", _file),
    "externalWallets.create": ("EXTERNAL_WALLET", _external),
    "kyc.addOwner": ("KYC_OWNER", _owner),
    "kyc.addDocuments": ("KYC_DOCUMENTS", _documents),
    "kycLinks.create": ("KYC_LINK", _link),
    "metrics.create": ("METRIC", _metric),
    "reportSchedules.create": ("REPORT_SCHEDULE", _schedule),
    "webhooks.create": ("WEBHOOK", _webhook),
    "webhooks.rotate": ("WEBHOOK_ROTATION", _rotation),
    "webhooks.test": ("WEBHOOK_TEST", _test_event),
    "webhooks.resendDelivery": ("WEBHOOK_RESEND", _resend),
    "webhooks.resendSince": ("WEBHOOK_RESEND", _resend_since),
    "sandbox.fundWallet": ("SANDBOX_DEPOSIT", _funding),
    "sandbox.depositFiat": ("SANDBOX_DEPOSIT", _fiat),
    "sandbox.depositCoins": ("SANDBOX_DEPOSIT", _coins),
    "sandbox.advanceClock": ("SANDBOX_CLOCK", _clock),
}
