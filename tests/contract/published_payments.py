"""Published names of queries and bodies about payments, and all operations on payments.

Source: contract, interface/crypto-transfer, interface/cross-chain-bridge, interface/onramp,
interface/offramp, interface/transfer-approvals and interface/wallet (deposits). A star follows a
required name, a question mark one of our own. Replies are in `published_replies`.
"""

_LIST = "limit createdBefore createdAfter cursor?"
_TRANSFERS = "/v2/wallets/transfers"
_BATCHES = "/v2/wallets/transfers/batches"
_BRIDGES = "/v2/wallets/bridges"
_ONRAMPS = "/v2/onramps"
_OFFRAMPS = "/v2/offramps"
_APPROVALS = "/v2/transfer-approvals"
_DEPOSITS = "/v2/users/{userId}/wallets/deposits"
_REVIEWS = "/v2/reviews/transfers"
_SANDBOX = "/v2/sandbox"
_ONE = "{transferId}"


def _within(name: str, members: str) -> str:
    return " ".join([name, *(f"{name.rstrip('*')}.{each}" for each in members.split())])


QUERIES = {
    **{
        f"GET {path}": f"userId {_LIST}"
        for path in (_TRANSFERS, _BATCHES, _BRIDGES, _ONRAMPS, _OFFRAMPS)
    },
    **{f"POST {path}": "dryRun?" for path in (_TRANSFERS, _BATCHES, _BRIDGES, _ONRAMPS, _OFFRAMPS)},
    f"GET {_ONRAMPS}/rates": "fromCurrency toCurrency",
    f"GET {_OFFRAMPS}/rates": "fromCurrency toCurrency",
    f"GET {_APPROVALS}": "limit offset",
    f"GET {_DEPOSITS}": f"chain currency status minAmount {_LIST}",
    f"GET {_REVIEWS}": f"status {_LIST}",
}

_FEE = _within("fee", "type* value*")
_TRANSFER = " ".join(
    [
        # The published shape omits amount, currency and chain; they are not guessed here.
        "requestId* currency* amount* chain* requireApproval metadata",
        _within("source*", "userId*"),
        _within("destination*", "userId walletAddress"),
        _FEE,
    ]
)
_BATCH = " ".join(
    [
        "requestId* currency* chain* requireApproval metadata",
        _within("source*", "userId*"),
        _within("destination*", "batch* batch.userId batch.walletAddress batch.amount*"),
    ]
)
_BRIDGE = " ".join(
    [
        "requestId* amount* requireApproval metadata",
        _within("source*", "userId* chain* currency*"),
        _within("destination*", "userId chain* currency* walletAddress"),
    ]
)
_ONRAMP = " ".join(
    [
        "requestId* purposeOfPayment isInstant metadata",
        _within("source*", "amount currency* transferType accountId userId*"),
        _within("destination*", "amount currency chain userId externalWalletId"),
        _FEE,
    ]
)
_REFERENCES = "achReference sepaReference wireMessage paymentReference swiftReference swiftCharges"
_OFFRAMP = " ".join(
    [
        "requestId* purposeOfPayment supportingDocumentType supportingDocumentUrl description",
        # From the specification, and from documents newer than the published shapes.
        "requireApproval",
        # Of our own, in every create.
        "metadata",
        # Published without members: null is accepted, everything else is refused.
        "fee",
        _within("source*", "amount currency* chain* userId externalWalletId returnAddress"),
        _within("destination*", f"amount currency* accountId* userId sameDayAch {_REFERENCES}"),
        _within("developerFee", "fees* fees.type* fees.value* fees.walletAddress*"),
        _within(
            "supportingInformation",
            "detailedPurposeOfPayment beneficiaryDetails documents documents.fileId*"
            " documents.type* documents.description",
        ),
        _within(
            "supportingInformation.beneficiaryDetails",
            "legalEntityName jurisdictionOfIncorporation natureOfBusiness"
            " relationshipToBeneficiary website",
        ),
    ]
)

# For an optional body, the second variant is no body.
BODIES = {
    f"POST {_TRANSFERS}": [_TRANSFER],
    f"POST {_BATCHES}": [_BATCH],
    f"POST {_BRIDGES}": [_BRIDGE],
    f"POST {_ONRAMPS}": [_ONRAMP],
    f"POST {_OFFRAMPS}": [_OFFRAMP],
    f"POST {_APPROVALS}/{{approvalId}}/approve": ["comment", ""],
    f"POST {_APPROVALS}/{{approvalId}}/reject": ["reason", ""],
    f"POST {_REVIEWS}/{_ONE}/rfi": ["question*"],
    f"POST {_REVIEWS}/{_ONE}/rfi/answer": ["answer* fileIds"],
    f"POST {_REVIEWS}/{_ONE}/rfi/close": ["comment", ""],
    f"POST {_SANDBOX}/transfers/{_ONE}/rfi": ["action*"],
    f"POST {_SANDBOX}/latency": ["chains rails"],
    f"POST {_SANDBOX}/onramps/{_ONE}/deposit": [
        "amount reference paymentRail "
        + _within("source", "name bankName routingNumber accountNumber")
    ],
    f"POST {_SANDBOX}/offramps/{_ONE}/deposit": ["amount"],
}
# JSON types of amounts; ours also accepts strings for numbers, and numbers for fee strings.
AMOUNTS = {
    f"POST {_TRANSFERS}": {"amount": "number", "fee.value": "number"},
    f"POST {_BATCHES}": {"destination.batch.amount": "string"},
    f"POST {_BRIDGES}": {"amount": "number"},
    f"POST {_ONRAMPS}": {
        "source.amount": "number",
        "destination.amount": "number",
        "fee.value": "number",
    },
    f"POST {_OFFRAMPS}": {
        "source.amount": "number",
        "destination.amount": "number",
        "developerFee.fees.value": "string",
    },
    "POST /v2/virtual-accounts/settlement-rules": {
        "rules.value": "number",
        "rules.tiers.value": "number",
    },
}
BODILESS = {
    f"POST {_BRIDGES}/{_ONE}/accept",
    f"POST {_ONRAMPS}/{_ONE}/quote/accept",
    f"POST {_ONRAMPS}/{_ONE}/quote/refresh",
    f"POST {_ONRAMPS}/{_ONE}/cancel",
    f"POST {_OFFRAMPS}/{_ONE}/quote/accept",
    f"POST {_OFFRAMPS}/{_ONE}/cancel",
}
OTHERS = {
    *(f"GET {path}/{_ONE}" for path in (_TRANSFERS, _BATCHES, _BRIDGES, _ONRAMPS, _OFFRAMPS)),
    f"GET {_APPROVALS}/{{approvalId}}",
    f"GET {_DEPOSITS}/{{depositId}}",
    f"GET {_REVIEWS}/{_ONE}",
    f"GET {_SANDBOX}/outcomes",
    f"GET {_SANDBOX}/latency",
}
