"""Routes that no published interface has: limits, and what banks say that waits for a person.

A star stands behind what is required.
"""

_LIST = "limit createdBefore createdAfter cursor"
_LINES, _DEPOSITS = "/v2/reviews/bank-lines", "/v2/reviews/deposits"
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
    "GET /v2/limits": "userId",
    f"GET {_LINES}": f"status {_LIST}",
    f"GET {_DEPOSITS}": _LIST,
    **{
        f"GET {path}": "expand"
        for path in (
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
    "POST /v2/limits/rehearse": [" ".join(["days", "limits*", *_MEMBERS])],
    f"POST {_LINES}/{{lineId}}/resolve": ["comment* resolution*"],
    f"POST {_DEPOSITS}/{{receiptId}}/match": ["comment* transferId virtualAccountId"],
    f"POST {_DEPOSITS}/{{receiptId}}/return": ["comment*"],
}
OTHERS = {f"GET {_LINES}/{{lineId}}", f"GET {_DEPOSITS}/{{receiptId}}"}
