"""Outcomes of requests without an id but the header `Idempotency-Key`."""

from collections.abc import Mapping
from uuid import UUID

from landbridge.platform.changes.service import last_change_at
from landbridge.platform.core.created_resource import CreatedResource
from landbridge.platform.db.pool import Tx
from landbridge.platform.files.model import file_id
from landbridge.platform.idempotency.model import IdempotencyKey
from landbridge.platform.idempotency.service import find_key

# Kind and path by operation. A path without an id is that of the list, or of the request itself.
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
    """Return the key and the object of a request; of several operations, the first one's.

    An object that does not record its changes was last changed by the request.
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
    """Return the kind of a key's request, and the path of what it wrote."""
    kind, path = KEYED_OPERATIONS[key.operation]
    return kind, path.format(
        id=key.object_id, owner_id=key.owner_id, file_id=file_id(key.object_id)
    )
