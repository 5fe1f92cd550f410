"""Routes beyond the published interface: limits, webhooks, and manual reviews.

A star follows the name of a required member.
"""

_LIST = "limit createdBefore createdAfter cursor"
_METRICS = "/v2/reporting/metrics"
# Parameters of all templates; each takes some of them, and declares the required ones.
_PARAMS = " ".join(
    f"params.{each}"
    for each in (
        *("createdAfter", "createdBefore", "calculationInterval", "timeZone", "transactionTypes"),
        *("transactionStatuses", "userIds", "breakdowns", "limit"),
        # Parameters of our own templates.
        *("sourceCurrencies", "destinationCurrencies", "chains", "currencies", "holders"),
        *("reasons", "approvalStatuses", "endpointIds"),
    )
)
_TEMPLATES = "/v2/reporting/templates"
_FILTERS = (
    *("transactionTypes", "transactionStatuses", "outcomes", "currencies"),
    *("destinationCurrencies", "chains", "countries", "rails", "userTypes", "userIds"),
    *("initiatedBy", "feePayers", "approvalStatuses", "endpointIds", "holders", "amountUsd"),
    *("amountUsd.minimum", "amountUsd.maximum"),
)


def _number(path: str) -> list[str]:
    return [
        f"{path}.function*",
        *(f"{path}.{each}" for each in ("of", "filters", "digits", "rounding")),
        *(f"{path}.filters.{each}" for each in _FILTERS),
    ]


_DEFINITION = " ".join(
    (
        *("definition.subject*", "definition.measure*", "definition.filters"),
        *("definition.breakdowns", "definition.intervals", "definition.params"),
        *(f"definition.filters.{each}" for each in _FILTERS),
        *_number("definition.measure"),
        *(f"definition.measure.{each}" for each in ("left", "right", "ifZero")),
        *_number("definition.measure.left"),
        *_number("definition.measure.right"),
    )
)
_SCHEDULES, _RUN = "/v2/reporting/schedules", "/v2/reporting/runs/{runId}"
_LINES, _DEPOSITS = "/v2/reviews/bank-lines", "/v2/reviews/deposits"
_RESOLUTIONS = "/v2/reviews/resolutions"
_RECEIVABLES = "/v2/reviews/receivables"
_DIFFERENCES = "/v2/reconciliation/differences"
_CLOSES = "/v2/reconciliation/closes"
_HALTS = "/v2/reconciliation/halts"


def _within(member: str, names: str) -> str:
    """Return the names of members of a member."""
    return "".join(f"{member}.{each} " for each in names.split())


_TRAVEL_WALLET = "/v2/users/{userId}/travel-rule-wallets/{walletAddress}"
_EXCHANGE = "/v2/travel-rule/exchanges/{exchangeId}"
_WEBHOOK = "/v2/webhooks/{webhookId}"
_ENDPOINT = "createEventSpelling description standardWebhooks"
_RULE = [
    "corridors",
    "id*",
    "kinds",
    "maxCount",
    "maxUsd",
    "over",
    "per",
    "rails",
    "userIds",
    "window*",
]
_PARTS = {
    "allow": ["destinations*", "over"],
    "block": ["destinations*", "over"],
    "coolDown": ["hours*", "maxUsd*", "over"],
    "rules": _RULE,
}
_MEMBERS = [
    *(f"limits.{part}" for part in _PARTS),
    *(f"limits.{part}.{each}" for part, names in _PARTS.items() for each in names),
]

QUERIES = {
    f"GET {_METRICS}/{{metricId}}/download": "format content",
    f"POST {_METRICS}/preview/download": "format content",
    "GET /v2/reporting/params/{name}/options": "page limit",
    "GET /v2/limits": "userId",
    "GET /v2/travel-rule/exchanges": "direction status transferId",
    "GET /v2/approvals": f"status initiatorProfileId {_LIST}",
    "GET /v2/transactions/summary": f"type userId currency minAmount maxAmount {_LIST}",
    "GET /v2/transactions": (
        f"id expand type status userId currency minAmount maxAmount metadata sort {_LIST}"
    ),
    "GET /v2/stuck": "cause type limit cursor",
    "GET /v2/disbursements": f"userId {_LIST}",
    "GET /v2/search": "q",
    "GET /v2/events": f"eventType objectId order {_LIST}",
    f"GET {_WEBHOOK}/deliveries": f"status eventType eventId {_LIST}",
    f"GET {_LINES}": f"status {_LIST}",
    f"GET {_DEPOSITS}": _LIST,
    f"GET {_RESOLUTIONS}": f"status {_LIST}",
    f"GET {_RECEIVABLES}": f"status transferId {_LIST}",
    "GET /v2/reviews/deposit-screenings": f"status {_LIST}",
    "GET /v2/reviews/payment-screenings": f"status {_LIST}",
    "GET /v2/reporting/statements": "userId walletId currency createdAfter createdBefore timeZone "
    "format detail",
    f"GET {_CLOSES}": _LIST,
    f"GET {_HALTS}": f"status {_LIST}",
    "GET /v2/reconciliation/runs": f"source {_LIST}",
    f"GET {_DIFFERENCES}": f"status kind source assigneeId recordId {_LIST}",
    "GET /v2/proofs/checkpoint": "since",
    "GET /v2/proofs/transfers/{transferId}": "userId",
    "GET /v2/proofs/reserves/{closeId}": "userId",
    **{
        f"GET {path}": "expand"
        for path in (
            "/v2/disbursements/{disbursementId}",
            "/v2/offramps/{transferId}",
            "/v2/onramps/{transferId}",
            "/v2/wallets/bridges/{transferId}",
            "/v2/wallets/swaps/{swapId}",
            "/v2/wallets/transfers/{transferId}",
            "/v2/wallets/transfers/batches/{transferId}",
        )
    },
}
BODIES = {
    "POST /v2/transactions/{transactionId}/metadata": ["metadata*"],
    "POST /v2/users/{userId}/accounts/{accountId}/metadata": ["metadata*"],
    "POST /v2/transactions/{transactionId}/notes": ["text*"],
    "POST /v2/users/{userId}/revealed-numbers": ["record* recordId* field* reason*"],
    "POST /v2/limits/simulate": [" ".join(["days", "limits*", *_MEMBERS])],
    "POST /v2/webhooks": [f"url* eventTypes {_ENDPOINT}"],
    f"PATCH {_WEBHOOK}": [f"url eventTypes status skipMissed {_ENDPOINT}"],
    f"POST {_WEBHOOK}/rotate": ["overlapSeconds", ""],
    f"POST {_WEBHOOK}/resend": ["since* only*"],
    f"POST {_DIFFERENCES}/{{differenceId}}/assign": ["memberId"],
    f"POST {_DIFFERENCES}/{{differenceId}}/resolve": ["reason* amount adjustLedger"],
    f"POST {_DIFFERENCES}/{{differenceId}}/accept": ["amount"],
    f"POST {_DIFFERENCES}/{{differenceId}}/reject": ["reason*"],
    f"POST {_CLOSES}": ["day* reason"],
    f"POST {_CLOSES}/{{closeId}}/confirm": ["digest*"],
    f"POST {_CLOSES}/{{closeId}}/reject": ["reason*"],
    f"POST {_HALTS}/{{haltId}}/lift": ["reason* amount"],
    f"POST {_HALTS}/{{haltId}}/accept": ["amount"],
    f"POST {_HALTS}/{{haltId}}/reject": ["reason*"],
    f"POST {_LINES}/{{lineId}}/resolve": ["comment* resolution* transferId depositId"],
    f"POST {_DEPOSITS}/{{incomingPaymentId}}/match": ["comment* transferId virtualAccountId"],
    f"POST {_DEPOSITS}/{{incomingPaymentId}}/return": ["comment*"],
    f"POST {_DEPOSITS}/{{incomingPaymentId}}/settle": ["comment*"],
    f"POST {_RESOLUTIONS}": [
        "requestId* transferId* action* evidence* transactionHash address accountId"
    ],
    f"POST {_METRICS}": [f"template* name* params* {_PARAMS}"],
    f"POST {_METRICS}/{{metricId}}": [f"name params templateVersion {_PARAMS}"],
    f"POST {_METRICS}/preview": [f"template definition {_DEFINITION} params* {_PARAMS}"],
    f"POST {_METRICS}/preview/download": [f"template definition {_DEFINITION} params* {_PARAMS}"],
    f"POST {_TEMPLATES}": [f"name* displayName* description definition* {_DEFINITION}"],
    f"POST {_TEMPLATES}/{{name}}": [f"displayName description definition {_DEFINITION}"],
    f"POST {_SCHEDULES}/{{scheduleId}}": ["templateVersion recipientIds"],
    "PUT /v2/reporting/time-zone": ["timeZone*"],
    "POST /v2/users/{userId}/kyc/shared-submissions": ["rails* shareToken*"],
    "POST /v2/users/{userId}/kyc/provider-links": ["rails*"],
    "PUT /v2/organization/address-policy": [
        "blockedAddresses allowedAddresses newAddressHours newAddressAmountMax"
    ],
    "PUT /v2/organization/swap-providers": [
        "choices* " + _within("choices", "chain* sourceCurrency* destinationCurrency* provider*")
    ],
    "PUT /v2/organization/travel-rule": ["jurisdiction*"],
    "PUT /v2/organization/travel-rule-exchange": [
        "isOn* requiresTravelAddress assets* counterparties* version "
        + _within("assets", "chain* currency* identifier*")
        + _within("counterparties", "host* name* amountUnit* policy")
    ],
    f"POST {_EXCHANGE}/approve": ["walletAddress"],
    f"POST {_EXCHANGE}/reject": ["comment*"],
    f"PUT {_TRAVEL_WALLET}": [
        "kind* owner* vaspName travelAddress person "
        + _within("person", "type* firstName lastName businessName dateOfBirth placeOfBirth")
        + _within("person", "govIdNumber address")
        + _within("person.address", "addressLine1* addressLine2 city* stateProvinceRegion*")
        + _within("person.address", "postalCode* country*")
    ],
    f"POST {_TRAVEL_WALLET}/prove": ["signature*"],
    f"POST {_SCHEDULES}": ["name* every* metricId template params at timeZone format recipientIds"],
}
# Returns 201 (contract, reporting 1).
CREATED = {f"POST {_METRICS}", f"POST {_SCHEDULES}", f"POST {_TEMPLATES}"}
# Responses of bytes instead of JSON.
BYTES = {
    f"GET {_RUN}/download",
    f"GET {_METRICS}/{{metricId}}/download",
    f"POST {_METRICS}/preview/download",
    "GET /v2/proofs/checkpoint",
    "GET /v2/proofs/transfers/{transferId}",
    "GET /v2/proofs/reserves/{closeId}",
}
BODILESS = {
    f"DELETE {_TEMPLATES}/{{name}}",
    f"DELETE {_METRICS}/{{metricId}}",
    f"DELETE {_SCHEDULES}/{{scheduleId}}",
    f"DELETE {_WEBHOOK}",
    f"POST {_TRAVEL_WALLET}/challenge",
    f"POST {_WEBHOOK}/test",
    "POST /v2/offramps/{transferId}/quote/renew",
    f"POST {_WEBHOOK}/deliveries/{{deliveryId}}/resend",
}
OTHERS = {
    "GET /v2/reporting/time-zone",
    "GET /v2/organization/address-policy",
    "GET /v2/organization/swap-providers",
    "GET /v2/organization/travel-rule",
    "GET /v2/organization/travel-rule-exchange",
    "GET /v2/travel-rule/exchanges",
    f"GET {_EXCHANGE}",
    f"GET {_EXCHANGE}/message",
    "GET /v2/travel-rule/messages/{messageId}",
    "GET /v2/travel-rule/waiting",
    f"GET {_TRAVEL_WALLET}",
    f"GET {_METRICS}",
    f"GET {_METRICS}/{{metricId}}",
    f"GET {_METRICS}/{{metricId}}/results",
    f"GET {_SCHEDULES}",
    f"GET {_SCHEDULES}/{{scheduleId}}",
    f"GET {_SCHEDULES}/{{scheduleId}}/runs",
    f"GET {_RUN}",
    "GET /v2/webhooks",
    "GET /v2/transactions/{transactionId}",
    "GET /v2/transactions/{transactionId}/notes",
    "GET /v2/balances",
    "GET /v2/events/{eventId}",
    f"GET {_WEBHOOK}",
    f"GET {_WEBHOOK}/deliveries/{{deliveryId}}",
    "GET /v2/approvals/{approvalId}",
    f"GET {_LINES}/{{lineId}}",
    "GET /v2/reconciliation/sources",
    f"GET {_DIFFERENCES}/{{differenceId}}",
    f"GET {_CLOSES}/{{closeId}}",
    f"GET {_DEPOSITS}/{{incomingPaymentId}}",
    f"GET {_RECEIVABLES}/{{receivableId}}",
    "GET /v2/reviews/deposit-screenings/{screeningId}",
    "GET /v2/reviews/payment-screenings/{paymentScreeningId}",
    f"GET {_RESOLUTIONS}/{{resolutionId}}",
    f"GET {_RESOLUTIONS}/actions/{{transferId}}",
}
