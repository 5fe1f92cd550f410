"""Published names and types of replies about payments, in the notation of `comparison`.

Source: contract, interface/crypto-transfer, interface/cross-chain-bridge, interface/onramp,
interface/offramp, interface/transfer-approvals and interface/wallet (deposits), lifecycles 1 to 8.

The interface declares few members as nullable. Here they are null where it says so, and where a
value does not exist yet or at all (lifecycles 1.1: `failedReason`; 3: hashes; 7 and 8: filled
when), because every member is always present.
"""

from typing import Any

from tests.contract.comparison import Omitted, OrNull

_AMOUNT = {"amount": "string", "currency": "string"}
_PERSON = {
    "email": "string",
    "lastName": "string?",
    "firstName": "string?",
    "businessName": "string?",
}
# An external address has no user.
_USER = OrNull(_PERSON)
_DECIDED = frozenset({"PENDING_APPROVAL", "REJECTED", "EXPIRED"})
_KINDS = frozenset({"WALLET.TRANSFER", "WALLET.TRANSFER.BATCH", "WALLET.BRIDGE", "OFFRAMP"})


def record(kind: str, details: dict[str, Any]) -> dict[str, Any]:
    """Return the shape of a transfer record."""
    return {"transferType": frozenset({kind}), "transferDetails": details}


def page(name: str, shape: Any) -> dict[str, Any]:
    """Return the shape of a list by its envelope; an empty one has no cursor."""
    return {"count": "integer", name: [shape], "nextCursor": Omitted("date-time")}


# Approvals.
_VOTE = {
    "approverId": "uuid",
    "vote": frozenset({"APPROVE", "REJECT"}),
    "comment": "string?",
    "createdAt": "date-time",
}
_PENDING = {
    "id": "uuid",
    "transferId": "uuid",
    "status": frozenset({"PENDING", "APPROVED", "REJECTED", "EXPIRED"}),
    "createdAt": "date-time",
    "updatedAt": "date-time",
    "transferType": _KINDS,
}
APPROVAL = Omitted(
    {
        **_PENDING,
        "fromDashboard": "boolean",
        "initiatorProfileId": "uuid",
        # Only while it waits, and where it was refused (lifecycles 2).
        "votes": OrNull([_VOTE]),
    }
)
_ACKNOWLEDGED = {"success": "boolean", "message": "string"}
APPROVALS = {**_ACKNOWLEDGED, "count": "integer", "approvals": [_PENDING]}
ONE_APPROVAL = {**_ACKNOWLEDGED, "approval": {**_PENDING, "votes": [_VOTE]}}
# PENDING while more votes are required is our own.
APPROVED = {
    **_ACKNOWLEDGED,
    "approvalId": "uuid",
    "status": frozenset({"APPROVED", "PENDING"}),
    "timestamp": "date-time",
}
REJECTED = {**APPROVED, "status": frozenset({"REJECTED"}), "reason": "string"}

# Transfers and batches.
_SENT = frozenset(
    {"NOT_INITIATED", "CREATED", "INITIATED", "PENDING", "COMPLETED", "FAILED", "UNKNOWN"}
)
_RECORD = {
    "id": "uuid",
    "requestId": "uuid",
    "createdAt": "date-time",
    "updatedAt": "date-time",
    "failedReason": "string?",
}
_COINS = {"chain": "string", "currency": "string", "contractAddress": "string"}
_WALLET_TYPE = "string?"
_HASHES = {"transactionHash": "string?", "userOpHash": "string?"}
TRANSFER = record(
    "WALLET.TRANSFER",
    {
        **_RECORD,
        **_COINS,
        "status": _SENT | _DECIDED,
        "source": {
            "userId": "uuid",
            "walletAddress": "string",
            "walletType": "string",
            "user": _USER,
        },
        "destination": {
            "userId": "uuid?",
            "walletType": _WALLET_TYPE,
            "walletAddress": "string",
            "user": _USER,
        },
        "amount": "number",
        "amountIncludeDeveloperFee": "number",
        "receipt": {**_HASHES, "transactionHash": Omitted("string")},
        "developerFee": OrNull(
            {
                "feeId": "uuid",
                "feeType": frozenset({"FIX", "PERCENT"}),
                "feeAmount": "number",
                "feePercent": "number?",
                "status": "string",
                "transactionHash": Omitted("string"),
                "failedReason": "string?",
            }
        ),
        "approval": APPROVAL,
    },
)
BATCH = record(
    "WALLET.TRANSFER.BATCH",
    {
        **_RECORD,
        **_COINS,
        "status": _SENT | _DECIDED,
        "source": {
            "userId": "uuid",
            "walletAddress": "string",
            "walletType": frozenset({"INDIVIDUAL", "BUSINESS"}),
        },
        "destination": {
            "batch": [{"amount": "string", "userId": "uuid?", "walletAddress": "string"}]
        },
        "receipt": {**_HASHES, "approval": APPROVAL},
    },
)

# Bridges.
_BRIDGED = frozenset(
    {
        *("NOT_INITIATED", "OPEN_QUOTE", "CREATED", "SOURCE_INITIATED", "SOURCE_PENDING"),
        *("SOURCE_PROCESSED", "SOURCE_FAILED", "DESTINATION_INITIATED", "DESTINATION_PENDING"),
        *("COMPLETED", "DESTINATION_FAILED", "QUOTE_FAILED", "UNKNOWN"),
    }
)
_OPERATION = OrNull({"transactionHash": "string?", "userOpHash": "string?", "chain": "string?"})
_QUOTE = {
    "sendGross": _AMOUNT,
    "sendNet": _AMOUNT,
    "receiveGross": _AMOUNT,
    "receiveNet": _AMOUNT,
    "rate": "string",
    "expiresAt": "date-time",
}
_RAIL_QUOTE = {**_QUOTE, "railFee": _AMOUNT}
_BRIDGE_END = {"walletAddress": "string", "chain": "string", "currency": "string"}
BRIDGE = record(
    "WALLET.BRIDGE",
    {
        **_RECORD,
        "amount": "number",
        "status": _BRIDGED | _DECIDED,
        "source": {"userId": "uuid", **_BRIDGE_END},
        "destination": {"userId": "uuid?", **_BRIDGE_END},
        "receipt": {
            "transactionHash": Omitted("string"),
            "operations": {"mint": _OPERATION, "burn": _OPERATION, "approve": _OPERATION},
        },
        "fee": "number?",
        # Created after the approval (lifecycles 2).
        "quoteInformation": OrNull(_RAIL_QUOTE),
        # From lifecycles 2, not from the shape.
        "approval?": APPROVAL,
    },
)

# Onramps.
_ONRAMPED = frozenset(
    {
        *("NOT_INITIATED", "CREATED", "OPEN_QUOTE", "FIAT_INITIATED", "AWAITING_FUNDS"),
        *("FIAT_PENDING", "FIAT_PROCESSED", "CRYPTO_INITIATED", "CRYPTO_PENDING", "COMPLETED"),
        *("FIAT_FAILED", "FIAT_RETURNED", "CRYPTO_FAILED", "QUOTE_FAILED", "EXPIRED", "UNKNOWN"),
    }
)
_BANK_INFO = {
    **dict.fromkeys(("bankName", "senderName", "routingNumber", "accountNumber"), "string?"),
    **dict.fromkeys(("accountType", "imad", "omad"), "string?"),
    **dict.fromkeys(("fedBatchId", "traceNumber"), Omitted("string")),
    "bankAddress": "string?",
    "description": "string?",
    "paymentRail": "string",
    # From lifecycles 7, not from the shape.
    "referenceNumber?": "string?",
}
# Details that a currency does not have are omitted.
_NUMBERS = OrNull({"routingNumber": "string", "accountNumber": "string"})
_DEPOSIT_INFO = OrNull(
    {
        "bankName": "string",
        "bankAddress": "string",
        "swiftCode": "string?",
        "beneficiary": {"name": "string", "address": "string"},
        "ach": _NUMBERS,
        "wire": _NUMBERS,
        "rtp": _NUMBERS,
        "reference": "string",
        "depositBy": "date-time",
        "instruction": "string",
    }
)
ONRAMP = record(
    "ONRAMP",
    {
        **_RECORD,
        # IN_REVIEW: lifecycles 7.
        "status": _ONRAMPED | {"IN_REVIEW"},
        "source": {
            "userId": "uuid",
            "currency": "string",
            "amount": "number",
            "accountId": "uuid?",
            "user": _PERSON,
            "bankInfo": OrNull(_BANK_INFO),
        },
        "destination": {
            "userId": "uuid",
            "currency": "string",
            "chain": "string",
            "walletAddress": "string",
            "externalWalletId": "uuid?",
            "amount": "number",
            "user": _PERSON,
        },
        "receipt": {"transactionHash": Omitted("string"), "userOpHash?": "string?"},
        # The published object has no members; the fee is in the quote.
        "developerFee": OrNull({}),
        "quoteInformation": _RAIL_QUOTE,
        "depositInfo": _DEPOSIT_INFO,
        # From the samples (lifecycles 7), not from the shape.
        "virtualAccountId?": "uuid?",
        # Our own, as in offramps (decision 10).
        "amount_in_usd?": "number",
    },
)
ACCEPTED_ONRAMP = {**ONRAMP, "depositInfo": _DEPOSIT_INFO}

# Offramps.
_OFFRAMPED = frozenset(
    {
        *("NOT_INITIATED", "CREATED", "OPEN_QUOTE", "CRYPTO_INITIATED", "AWAITING_FUNDS"),
        *("CRYPTO_PENDING", "CRYPTO_PROCESSED", "FIAT_INITIATED", "FIAT_PENDING", "COMPLETED"),
        *("FIAT_FAILED", "CRYPTO_RETURNED", "CRYPTO_FAILED", "QUOTE_FAILED", "IN_REVIEW"),
    }
)
_TRACKING = {
    **dict.fromkeys(("imad", "omad"), "string?"),
    **dict.fromkeys(("fedBatchId", "traceNumber"), Omitted("string")),
    # Those of banks outside the USD rail are our own.
    "paymentRail": "string",
    # From older documents (lifecycles 8).
    "uetr?": "string?",
}
OFFRAMP = record(
    "OFFRAMP",
    {
        **_RECORD,
        "status": _OFFRAMPED | _DECIDED,
        "source": {
            "userId": "uuid",
            "chain": "string",
            "currency": "string",
            "amount": "number",
            "walletAddress": "string",
            "user": _PERSON,
            "externalWalletId?": "uuid?",
        },
        "destination": {
            "userId": "uuid",
            "amount": "number",
            "currency": "string",
            "user": _PERSON,
            "accountId": "uuid",
            "sameDayAch": "boolean",
        },
        "receipt": {"transactionHash": "string?", "paymentTracking": OrNull(_TRACKING)},
        "developerFee": OrNull(
            {
                "id": "uuid",
                "transactionHash": "string?",
                "fees": [
                    {
                        "type": frozenset({"PERCENTAGE", "FLAT"}),
                        "value": "string",
                        "amount": "string",
                        "walletAddress": "string",
                    }
                ],
            }
        ),
        "quoteInformation": OrNull(_QUOTE),
        "depositInformation": [
            {
                "id": "uuid",
                "fromAddress": "string",
                "toAddress": "string",
                "currency": "string",
                "contractAddress": "string",
                "rawAmount": "string",
                "amount": "number",
                "chain": "string",
                "collected": "boolean",
                "collectable": "boolean",
                "expiresAt": "date-time",
                "transactionHash": "string?",
            }
        ],
        # From the specification, in its spelling.
        "amount_in_usd?": "number",
        # From lifecycles 2, not from the shape.
        "approval?": APPROVAL,
    },
)

RATE = {
    "fromCurrency": "string",
    "toCurrency": "string",
    "conversionRate": "string",
    "conversionRates": [{"transferType": "string", "conversionRate": "string"}],
}

_WALLETS = frozenset({"POLYGON", "SOLANA", "ETHEREUM", "BASE"})
DEPOSIT = {
    "id": "uuid",
    "userId": "uuid",
    "createdAt": "date-time",
    "updatedAt": "date-time",
    "wallet": {
        "id": "uuid",
        "address": "string",
        "chain": _WALLETS,
        "walletType": frozenset({"INDIVIDUAL"}),
    },
    "transaction": {
        # Coins that moved in the ledger alone, as in swaps, have neither hash nor sender.
        "transactionHash": Omitted("string"),
        "chain": _WALLETS,
        "currency": "string",
        "status": frozenset({"COMPLETED", "CONFIRMED"}),
        "sourceAddress": Omitted("string"),
        "destinationAddress": "string",
        "contractAddress": "string",
        "amount": "string",
        "unitAmount": "string",
    },
}
# Under both of its names (lifecycles 1.3).
DEPOSITS = {**page("records", DEPOSIT), "deposits": [DEPOSIT]}

# Reviews are entirely our own.
_RFI = {
    "id": "uuid",
    "status": frozenset({"OPEN", "ANSWERED", "CLOSED"}),
    "question": "string?",
    "answer": "string?",
    "comment": "string?",
    "fileIds": ["string"],
    "openedBy": "string",
    "createdAt": "date-time",
    "updatedAt": "date-time",
    "answeredAt": "date-time?",
    "closedAt": "date-time?",
}
REVIEW = {
    "transferId": "uuid",
    "transferType": frozenset({"ONRAMP", "OFFRAMP"}),
    "status": "string",
    "userId": "uuid",
    "createdAt": "date-time",
    "updatedAt": "date-time",
    "rfi": OrNull(_RFI),
    "rfis": [_RFI],
}
