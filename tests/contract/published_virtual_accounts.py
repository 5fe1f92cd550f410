"""Published names and types about virtual accounts and settlement rules.

Source: contract, interface/virtual-account and interface/settlement-rules. A star follows a
required name, a question mark one of our own.
"""

from tests.contract.comparison import Omitted, OrNull

_LIST = "limit createdBefore createdAfter cursor?"
_ACCOUNTS = "/v2/users/{userId}/virtual-accounts"
_RULES = "/v2/virtual-accounts/settlement-rules"
_ROUTE = "sourceCurrency* destinationCurrency* destinationChain externalWalletId"
_RULE = (
    "requestId* chain* includeHIFIFee* rules* rules.type* rules.calculationModel* rules.value"
    " rules.tiers rules.tiers.min* rules.tiers.max* rules.tiers.value* rules.walletAddress*"
)

QUERIES = {
    f"GET {_ACCOUNTS}": f"sourceCurrency destinationCurrency destinationChain {_LIST}",
    f"GET {_ACCOUNTS}/{{accountId}}": "limit createdBefore createdAfter",
    f"GET {_RULES}": f"chain {_LIST}",
}
BODIES = {
    f"POST {_ACCOUNTS}": [_ROUTE],
    f"POST {_ACCOUNTS}/{{accountId}}/update": [_ROUTE],
    f"POST {_ACCOUNTS}/{{accountId}}/simulate-deposit": [
        (
            "amount* paymentRail* requestId* source* source.routingNumber* source.accountNumber*"
            " source.name* source.bankName* userId reference description"
        )
    ],
    f"POST {_RULES}": [_RULE],
    f"POST {_RULES}/{{ruleId}}/update": [_RULE],
}
BODILESS = {
    f"POST {_ACCOUNTS}/{{accountId}}/deactivate",
    f"POST {_ACCOUNTS}/{{accountId}}/reactivate",
    f"POST {_ACCOUNTS}/{{accountId}}/settlement-rules/{{ruleId}}",
    f"DELETE {_ACCOUNTS}/{{accountId}}/settlement-rules",
    f"DELETE {_RULES}/{{ruleId}}",
}
OTHERS = {f"GET {_RULES}/{{ruleId}}"}

# Members of replies with their types, in the notation of `comparison`.
_NUMBERS = {"routingNumber": "string", "accountNumber": "string"}
_SOURCE = (
    *("bankName", "senderName", "routingNumber", "accountNumber", "accountType"),
    *("imad", "omad", "bankAddress", "description", "paymentRail"),
)
MICRO_DEPOSIT = {
    "id?": "uuid",  # the amount within the bounds
    "createdAt": "date-time",
    "currency": "string",
    "amount": "integer",
    "sourceBankInfo": {
        **dict.fromkeys(_SOURCE, "string?"),
        **dict.fromkeys(("fedBatchId", "traceNumber"), Omitted("string")),
    },
}
ACCOUNT = {
    "id": "uuid",
    "createdAt": "date-time",
    "updatedAt": "date-time",
    "userId": "uuid",
    "source": {"paymentRail": ["string"], "currency": "string"},
    "destination": {
        "chain": "string",
        "currency": "string",
        "walletAddress": "string",
        "externalWalletId": "string?",
    },
    "status": "string",
    "microDeposits": {"count": "integer", "data": [MICRO_DEPOSIT]},
    "depositInstructions": {
        "bankName": "string",
        "bankAddress": "string",
        "swiftCode": "string",
        "beneficiary": {"name": "string", "address": "string"},
        "ach": _NUMBERS,
        "wire": _NUMBERS,
        "rtp": _NUMBERS,
        "reference": "string",
        "depositBy": "date-time",
        "instruction": "string",
    },
    "settlementRuleId": "uuid?",
}
# Members that the interface does not require, and that we have no value for.
LEFT_OUT = {"depositInstructions.reference", "depositInstructions.depositBy"}
RULE = {
    "id": "uuid",
    "chain": "string",
    "includeHIFIFee": "boolean",
    "rules": [
        {
            "type": "string",
            "calculationModel": "string",
            "value": "number?",
            "tiers": OrNull([{"min": "string", "max": "string", "value": "number"}]),
            "walletAddress": "string",
        }
    ],
}
