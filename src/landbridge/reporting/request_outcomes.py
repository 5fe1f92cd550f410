"""Outcome of a request: the resource created under its id, in its current state.

Payments, users, bank accounts, settlement rules, simulated deposits, terms links and each operation
with stored keys have separate id spaces, so one request id may have created several resources. The
first one in this order is returned.
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

from landbridge.customers.bank_accounts.records import find_created as find_created_account
from landbridge.customers.users.records import find_created as find_created_user
from landbridge.customers.users.terms import find_created as find_created_agreement
from landbridge.ledger.model import Transfer
from landbridge.ledger.service import Ledger
from landbridge.payments.incoming_payments.model import TRANSITIONS as RECEIPT_MOVES
from landbridge.payments.incoming_payments.service import IncomingPayments
from landbridge.payments.virtual_accounts.deposits import find_created as find_created_deposit
from landbridge.payments.virtual_accounts.deposits import simulated_reference
from landbridge.payments.virtual_accounts.rules import find_created as find_created_rule
from landbridge.platform.changes.service import last_change_at
from landbridge.platform.core.created_resource import CreatedResource
from landbridge.platform.core.errors import ResourceNotFound
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.files.model import file_id
from landbridge.platform.http.responses import Moment, WireStruct, reply_of
from landbridge.platform.idempotency.model import IdempotencyKey
from landbridge.platform.idempotency.service import find_key
from landbridge.providers.simulation.scripted_outcomes import ScriptedOutcomes

_SIMULATED = "SIMULATED_DEPOSIT"

# Path of each payment kind that a request can create.
_RECORDS = {
    "WALLET.SWAP": "/v2/wallets/swaps/{id}",
    "WALLET.TRANSFER": "/v2/wallets/transfers/{id}",
    "WALLET.TRANSFER.BATCH": "/v2/wallets/transfers/batches/{id}",
    "WALLET.BRIDGE": "/v2/wallets/bridges/{id}",
    "OFFRAMP": "/v2/offramps/{id}",
    "ONRAMP": "/v2/onramps/{id}",
    "RESOLUTION": "/v2/reviews/resolutions/{id}",
}
_ACCOUNT = "/v2/users/{owner_id}/accounts/{id}"
_DEPOSIT = "/v2/users/{owner_id}/virtual-accounts/{id}"


class RequestReply(WireStruct, frozen=True):
    """Resource created by a request, in its current state: read it in full at `href`.

    `kind` is that of a payment, as in `transferType`, or `RESOLUTION`, `USER`, `BANK_ACCOUNT`,
    `SETTLEMENT_RULE`, `SIMULATED_DEPOSIT`, `TERMS_LINK`, or one of the kinds of requests whose
    header `Idempotency-Key` is their only id. `status` is null for kinds without one and for these.
    `isFinal` is true if the request has no further effect. `outcomePlan` is the sandbox's scripted
    plan, if the request had one.
    """

    request_id: UUID
    kind: str
    id: UUID
    href: str
    status: str | None
    created_at: Moment
    updated_at: Moment
    is_final: bool
    outcome_plan: str | None


@dataclass(frozen=True, slots=True)
class _ResourceKind:
    """Kind of resource other than a payment, with its lookup function and its path."""

    kind: str
    href: str
    # Looks up the resource by the request id, with one SQL statement.
    find_created: Callable[[Tx, UUID, UUID], Awaitable[CreatedResource | None]]


_RESOURCE_KINDS = (
    _ResourceKind("USER", "/v2/users/{id}", find_created_user),
    _ResourceKind("BANK_ACCOUNT", _ACCOUNT, find_created_account),
    _ResourceKind(
        "SETTLEMENT_RULE", "/v2/virtual-accounts/settlement-rules/{id}", find_created_rule
    ),
    _ResourceKind(_SIMULATED, _DEPOSIT, find_created_deposit),
    _ResourceKind("TERMS_LINK", "/v2/tos-link/{id}", find_created_agreement),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestOutcomes:
    """Looks up outcomes of requests of all organisations."""

    database: Database
    ledger: Ledger
    incoming_payments: IncomingPayments
    scripted_outcomes: ScriptedOutcomes
    transitions: Mapping[str, Transitions[Any]]

    async def find(self, org_id: UUID, request_id: UUID) -> RequestReply:
        """Return the resource created under this id; raises `ResourceNotFound` if there is none."""
        record = await self.ledger.find_request(org_id, request_id)
        if record is not None and record.kind in _RECORDS:
            return await self._record(record, request_id)
        for kind in _RESOURCE_KINDS:
            created = await self._created(kind, org_id, request_id)
            if created is None:
                continue
            if kind.kind == _SIMULATED:
                return await self._deposit(org_id, request_id, created)
            path = kind.href.format(id=created.id, owner_id=created.owner_id)
            return _outcome(kind.kind, path, request_id, created)
        keyed = await self.database.read(lambda tx: find_keyed(tx, org_id, request_id))
        if keyed is None:
            raise ResourceNotFound(f"nothing came of a request {request_id}")
        key, created = keyed
        kind, path = kind_and_path(key)
        return _outcome(kind, path, request_id, created)

    async def _created(
        self, kind: _ResourceKind, org_id: UUID, request_id: UUID
    ) -> CreatedResource | None:
        return await self.database.single(lambda tx: kind.find_created(tx, org_id, request_id))

    async def _record(self, record: Transfer, request_id: UUID) -> RequestReply:
        plans = await self.scripted_outcomes.list_plans(record.org_id, [record.id])
        plan = plans.get(record.id)
        return reply_of(
            record,
            RequestReply,
            request_id=request_id,
            href=_RECORDS[record.kind].format(id=record.id),
            is_final=self.transitions[record.kind].is_terminal(record.status),
            outcome_plan=None if plan is None else plan.text,
        )

    async def _deposit(
        self, org_id: UUID, request_id: UUID, created: CreatedResource
    ) -> RequestReply:
        """Return the onramp of a simulated deposit, or else the deposit's own progress."""
        incoming_payment = await self.incoming_payments.find(
            org_id, simulated_reference(request_id)
        )
        if incoming_payment is not None and incoming_payment.transfer_id is not None:
            record = await self.ledger.find(org_id, incoming_payment.transfer_id)
            if record is not None and record.kind in _RECORDS:
                return await self._record(record, request_id)
        progress = None if incoming_payment is None else incoming_payment.status
        deposit = replace(
            created,
            status=progress,
            is_final=progress is not None and RECEIPT_MOVES.is_terminal(progress),
        )
        path = _DEPOSIT.format(id=created.id, owner_id=created.owner_id)
        return _outcome(_SIMULATED, path, request_id, deposit)


def _outcome(kind: str, path: str, request_id: UUID, created: CreatedResource) -> RequestReply:
    return reply_of(
        created, RequestReply, request_id=request_id, kind=kind, href=path, outcome_plan=None
    )


# Kind and path by operation. A path without a placeholder is that of a list or of the request.
KEYED_OPERATIONS: Mapping[str, tuple[str, str]] = {
    "externalWallets.create": ("EXTERNAL_WALLET", "/v2/users/{owner_id}/wallets/external/{id}"),
    "files.create": ("FILE", "/v2/files/{file_id}"),
    "kyc.addDocuments": ("KYC_DOCUMENTS", "/v2/users/{owner_id}/kyc/documents"),
    "kyc.addOwner": ("KYC_OWNER", "/v2/users/{owner_id}/kyc/ubos/{id}"),
    "kycLinks.create": ("KYC_LINK", "/v2/kyc-link"),
    "metrics.create": ("METRIC", "/v2/reporting/metrics/{id}"),
    "reportSchedules.create": ("REPORT_SCHEDULE", "/v2/reporting/schedules/{id}"),
    "sandbox.advanceClock": ("SANDBOX_CLOCK", "/v2/sandbox/clock/advance"),
    "sandbox.depositCoins": ("SANDBOX_DEPOSIT", "/v2/offramps/{id}"),
    "sandbox.depositFiat": ("SANDBOX_DEPOSIT", "/v2/onramps/{id}"),
    "sandbox.fundWallet": ("SANDBOX_DEPOSIT", "/v2/users/{id}/wallets/deposits"),
    "transactions.addNote": ("TRANSACTION_NOTE", "/v2/transactions/{owner_id}/notes"),
    "virtualAccounts.create": ("VIRTUAL_ACCOUNT", "/v2/users/{owner_id}/virtual-accounts/{id}"),
    "webhooks.create": ("WEBHOOK", "/v2/webhooks/{id}"),
    "webhooks.resendDelivery": ("WEBHOOK_RESEND", "/v2/webhooks/{owner_id}/deliveries/{id}"),
    "webhooks.resendSince": ("WEBHOOK_RESEND", "/v2/webhooks/{id}/deliveries"),
    "webhooks.rotate": ("WEBHOOK_ROTATION", "/v2/webhooks/{id}"),
    "webhooks.test": ("WEBHOOK_TEST", "/v2/webhooks/{id}"),
}


async def find_keyed(
    tx: Tx, org_id: UUID, request_id: UUID
) -> tuple[IdempotencyKey, CreatedResource] | None:
    """Return the key and the object of a request, those of the first operation if several match.

    If changes of an object are not recorded, the time of its last change is that of the request.
    """
    key = await find_key(tx, org_id, request_id)
    if key is None:
        return None
    changed_at = await last_change_at(tx, org_id, key.object_id)
    created = CreatedResource(
        id=key.object_id,
        created_at=key.created_at,
        updated_at=max(key.created_at, changed_at or key.created_at),
        owner_id=key.owner_id,
    )
    return key, created


def kind_and_path(key: IdempotencyKey) -> tuple[str, str]:
    """Return the kind of a key's request, and the path of the resource that it created."""
    kind, path = KEYED_OPERATIONS[key.operation]
    return kind, path.format(
        id=key.object_id, owner_id=key.owner_id, file_id=file_id(key.object_id)
    )
