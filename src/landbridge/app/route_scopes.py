"""Scope that an API key needs for each route, by operation id.

The application refuses to start with a route that is not here, so that a new one is never open to
every key by omission. A dry run of a payment needs only `read`: it writes nothing.
"""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, cast

from litestar.connection import ASGIConnection
from litestar.handlers.base import BaseRouteHandler
from litestar.routes import HTTPRoute

from landbridge.payments.engine.request_options import is_dry_run
from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.http.caller import KeyScope

# Pages, and the framework's own copies of the public document.
_WITHOUT_KEYS = ("/dashboard", "/openapi")

_OPERATIONS = {
    KeyScope.READ: {
        "accounts": "list retrieve",
        "addressPolicy": "retrieve",
        "swapProviders": "retrieve",
        "approvals": "list retrieve",
        "auditLog": "list",
        "balances": "retrieve",
        "batches": "list retrieve",
        "bridges": "list retrieve",
        "chains": "list listOrders retrieve",
        "deposits": "list retrieve",
        "disbursements": "list retrieve",
        "events": "list retrieve",
        "externalWallets": "list retrieve",
        "files": "retrieve download",
        "kyc": "listStatuses retrieve listDocuments retrieveDocument retrieveRequirements "
        "retrieveStatus listOwners retrieveOwner",
        "limits": "retrieve simulate",
        "metrics": "list preview downloadPreview retrieve download retrieveResults listOptions",
        "offramps": "list retrieveRate retrieve",
        "onramps": "list retrieveRate retrieve",
        "proofs": "retrieveCheckpoint retrieveTransfer retrieveReserves",
        "providers": "list",
        "reconciliation": "listSources listRuns listDifferences retrieveDifference "
        "listCloses retrieveClose listHalts",
        "reportRuns": "retrieve download",
        "reportSchedules": "list retrieve listRuns",
        "reportTemplates": "list retrieve",
        "reportTimeZone": "retrieve",
        "requestLog": "list retrieve",
        "requests": "retrieve",
        "sandbox": "retrieveLatency listOutcomes",
        "service": "ping pingWithoutVersion",
        "settlementRules": "list retrieve",
        "statements": "download",
        "swaps": "list retrieve",
        "termsLinks": "retrieve",
        "transactions": "search listNotes listStateMachines listStuck list retrieve summarise",
        "transferApprovals": "retrieve",
        "travelRule": "listWaiting retrieve retrieveMessage retrieveWallet listExchanges "
        "retrieveExchange retrieveExchangeMessage retrieveExchangeSetting",
        "transfers": "list retrieve",
        "users": "list retrieve retrieveFreeze retrieveParticulars revealNumber",
        "virtualAccounts": "list retrieve",
        "wallets": "retrieveBalance",
        "webhooks": "list retrieve listDeliveries retrieveDelivery",
    },
    KeyScope.PAY: {
        "accounts": "changeMetadata create delete verifyPayee",
        "batches": "create",
        "bridges": "create accept",
        "externalWallets": "create",
        "files": "create delete",
        "kyc": "update addDocuments updateDocument submit submitByOldPath submitShared "
        "openProviderLink addOwner updateOwner",
        "kycLinks": "create",
        "offramps": "create cancel accept renewQuote",
        "onramps": "create cancel accept refreshQuote",
        "sandbox": "advanceClock setLatency depositCoins depositFiat changeRfi fundWallet",
        "swaps": "create accept",
        "termsLinks": "create accept",
        "transactions": "addNote changeMetadata",
        "transfers": "create",
        "travelRule": "replaceWallet createChallenge proveOwnership",
        "users": "create update freeze unfreeze",
        "virtualAccounts": "create deactivate reactivate simulateDeposit update",
        "wallets": "addChains",
    },
    KeyScope.APPROVE: {
        "transferApprovals": "list approve reject",
    },
    KeyScope.REVIEW: {
        "accountReviews": "list decide",
        "bankLines": "list retrieve resolve",
        "depositReviews": "list retrieve match return settle",
        "kycReviews": "list retrieve decide",
        "depositScreenings": "list retrieve",
        "paymentScreenings": "list retrieve",
        "receivables": "list retrieve",
        "reconciliation": "assignDifference resolveDifference acceptDifference rejectDifference "
        "signClose confirmClose rejectClose liftHalt acceptLift rejectLift",
        "resolutions": "list create listActions retrieve",
        "travelRule": "approveInquiry rejectInquiry",
        "transferReviews": "list retrieve openRfi answerRfi closeRfi",
    },
    KeyScope.ADMIN: {
        "addressPolicy": "replace",
        "swapProviders": "replace",
        "metrics": "create delete update",
        "reportSchedules": "create delete update",
        "reportTemplates": "create delete update",
        "reportTimeZone": "replace",
        "settlementRules": "create delete update",
        "travelRule": "replace replaceExchangeSetting",
        "users": "erasePersonalData",
        "virtualAccounts": "removeSettlementRule applySettlementRule",
        "webhooks": "create delete update resendDelivery resendSince rotate test",
    },
}

SCOPES: Mapping[str, KeyScope] = MappingProxyType(
    {
        f"{resource}.{verb}": scope
        for scope, resources in _OPERATIONS.items()
        for resource, verbs in resources.items()
        for verb in verbs.split()
    }
)


def needed_scope(
    request: ASGIConnection[Any, Any, Any, Any], handler: BaseRouteHandler
) -> KeyScope:
    """Return the scope that a key needs for this request."""
    operation_id = cast("Any", handler).operation_id
    if operation_id is None:  # OPTIONS, and the document of the API
        return KeyScope.READ
    scope = SCOPES[operation_id]
    return KeyScope.READ if scope is KeyScope.PAY and is_dry_run(request, handler) else scope


def check_scopes(routes: Iterable[Any]) -> None:
    """Raise `InvariantBroken` unless the table has exactly the routes that require a key."""
    found = {
        cast("Any", handler).operation_id or f"{route.path} {handler}"
        for route in routes
        if isinstance(route, HTTPRoute) and not route.path.startswith(_WITHOUT_KEYS)
        for handler in route.route_handlers
        if not handler.opt.get("public") and "OPTIONS" not in handler.http_methods
    }
    differing = found ^ set(SCOPES)
    if differing:
        raise InvariantBroken(f"routes and their scopes differ: {differing}")
