"""Requests of the recorded examples, as an integrator would write them."""

from collections.abc import Mapping
from typing import Any
from uuid import uuid4

from tests.contract.resources import Things

_FEBRUARY = {
    "createdAfter": "2026-02-01",
    "createdBefore": "2026-03-01",
    "calculationInterval": "month",
}
_RULES = {
    "rules": [
        {"id": "user-day", "per": "USER", "window": "DAY", "maxUsd": "200"},
        {"id": "large", "window": "PAYMENT", "maxUsd": "100", "over": "APPROVE"},
    ]
}
OWNER: Mapping[str, Any] = {
    "firstName": "Grace",
    "lastName": "Example",
    "dateOfBirth": "1985-05-05",
    "govIdNumber": "X1234567",
    "hasControl": True,
    "isSigner": False,
}

# By operation. In addition to those of `tests.contract.resources`, which are as short as possible.
BODIES: Mapping[str, Any] = {
    "addressPolicy.replace": {"newAddressHours": 24},
    "swapProviders.replace": {
        "choices": [
            {
                "chain": "POLYGON",
                "sourceCurrency": "usdc",
                "destinationCurrency": "usdt",
                "provider": "TREASURY",
            }
        ]
    },
    "bankLines.resolve": {"resolution": "HANDLED", "comment": "Booked by hand, ticket 4711"},
    "depositReviews.return": {"comment": "The sender asked for it back"},
    "depositReviews.settle": {"comment": "The bank confirmed the return by phone"},
    "kyc.updateDocument": {"number": "P7654321"},
    "kycReviews.decide": {"decision": "revoke", "note": "The passport was reported stolen"},
    "limits.simulate": {"days": 30, "limits": _RULES},
    "metrics.create": {"template": "NEW_USERS", "name": "New users", "params": _FEBRUARY},
    "metrics.downloadPreview": {"template": "NEW_USERS", "params": _FEBRUARY},
    "metrics.preview": {"template": "NEW_USERS", "params": _FEBRUARY},
    "metrics.update": {"name": "New users by month"},
    "reportSchedules.create": {
        "name": "New users of the day",
        "every": "day",
        "template": "NEW_USERS",
        "params": {"calculationInterval": "day"},
    },
    "reportTemplates.create": {
        "name": "PAYOUTS_TO_MEXICO",
        "displayName": "Payouts to Mexico",
        "definition": {
            "subject": "transactions",
            "measure": {"function": "count"},
            "filters": {"transactionTypes": ["offramp"], "countries": ["MEX"]},
        },
    },
    "reportTemplates.update": {"displayName": "Number of payouts to Mexico"},
    "reportTimeZone.replace": {"timeZone": "America/New_York"},
    "sandbox.advanceClock": {"seconds": 60},
    "reconciliation.resolveDifference": {
        "reason": "Coins of the address from before its first comparison",
        "amount": "-5",
    },
    "reconciliation.acceptDifference": {"amount": "-5"},
    "reconciliation.rejectDifference": {"reason": "The opening statement shows 4 usdc"},
    "reconciliation.signClose": {"reason": "The missing coins are investigated"},
    "reconciliation.liftHalt": {"reason": "The coins are at a new address", "amount": "7"},
    "reconciliation.acceptLift": {"amount": "7"},
    "reconciliation.rejectLift": {"reason": "The new address has 4 usdg"},
    "reconciliation.rejectClose": {"reason": "The difference was explained this morning"},
    "sandbox.setLatency": {"chains": "instant", "rails": "instant"},
    "accounts.changeMetadata": {"metadata": {"payeeId": "1742"}},
    "transactions.changeMetadata": {"metadata": {"orderId": "4711"}},
    "transactions.addNote": {"text": "The bank confirms the wire for tomorrow."},
    "transferApprovals.approve": {"comment": "Invoice 4711"},
    "transferApprovals.reject": {"reason": "There is no such invoice"},
    "transferReviews.openRfi": {"question": "Where do these funds come from?"},
    "transferReviews.answerRfi": {"answer": "From the sale of a car; the contract is attached."},
    "transferReviews.closeRfi": {"comment": "The contract is genuine"},
    "users.freeze": {"reason": "The phone was reported stolen"},
    "users.revealNumber": {"field": "govIdNumber", "reason": "Request 4711 of the auditor"},
    "users.update": {"email": "ada.new@example.com"},
    "webhooks.create": {
        "url": "https://example.com/landbridge",
        "eventTypes": ["OFFRAMP.*", "ONRAMP.*"],
        "description": "Payments",
    },
    "webhooks.resendSince": {"since": "2026-03-01", "only": "failed"},
    "webhooks.update": {"description": "Payments of the shop"},
}


def match_body(things: Things) -> dict[str, Any]:
    """Return the body that matches a held deposit."""
    return {"transferId": things.by_kind["onramp"], "comment": "The reference has a typing error"}


def swap_request(user: str) -> dict[str, Any]:
    """Return the body that quotes a swap."""
    return {
        "requestId": str(uuid4()),
        "source": {"userId": user, "chain": "POLYGON", "currency": "usdc", "amount": "10"},
        "destination": {"chain": "POLYGON", "currency": "usdt"},
        "metadata": {"orderId": "4711"},
    }
