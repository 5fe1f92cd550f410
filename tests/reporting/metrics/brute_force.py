"""Brute-force calculation of the contract's rows from a list of records."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any
from uuid import UUID

from landbridge.payments.batches.model import KIND as BATCH
from landbridge.payments.bridges.model import KIND as BRIDGE
from landbridge.payments.offramps.model import KIND as OFFRAMP
from landbridge.payments.onramps.model import KIND as ONRAMP
from landbridge.payments.swaps.model import KIND as SWAP
from landbridge.payments.transfers.model import KIND as TRANSFER
from tests.reporting.metrics.record_history import Paid

# As in the contract's lists; rows come in reverse order.
TYPES = ("onramp", "offramp", "transfer")
STATUSES = (
    *("AWAITING_FUNDS", "FIAT_INITIATED", "FIAT_PENDING", "FIAT_PROCESSED", "CRYPTO_INITIATED"),
    *("CRYPTO_PENDING", "FIAT_FAILED", "CRYPTO_FAILED", "QUOTE_FAILED", "NOT_INITIATED"),
    *("FIAT_RETURNED", "COMPLETED", "PENDING_APPROVAL", "INITIATED", "PENDING", "FAILED"),
    "REJECTED",
)
_STATUSES_OF = {
    ONRAMP: ("COMPLETED", "COMPLETED", "OPEN_QUOTE", "UNKNOWN", "FIAT_RETURNED", "IN_REVIEW"),
    OFFRAMP: ("COMPLETED", "COMPLETED", "CRYPTO_PROCESSED", "CRYPTO_RETURNED", "EXPIRED"),
    TRANSFER: ("COMPLETED", "COMPLETED", "CREATED", "UNKNOWN", "FAILED", "INITIATED"),
    BATCH: ("COMPLETED", "PENDING", "REJECTED", "PENDING_APPROVAL"),
    SWAP: ("COMPLETED", "FAILED"),
    BRIDGE: ("COMPLETED", "SOURCE_FAILED"),
}
START = datetime(2025, 10, 1, tzinfo=UTC)
DAYS = 60


def histories(random: Random, users: Sequence[UUID]) -> list[Paid]:
    """Records of all kinds, in statuses of each."""
    kinds = [random.choice(list(_STATUSES_OF)) for _ in range(300)]
    return [
        Paid(
            at=START + timedelta(seconds=random.randrange(DAYS * 86_400)),
            kind=kind,
            status=random.choice(_STATUSES_OF[kind]),
            user=random.choice(users),
            cents=random.randrange(1, 10_000_000),
        )
        for kind in kinds
    ]


def valid_params(random: Random, users: Sequence[UUID], *, has_statuses: bool) -> dict[str, Any]:
    """Generate valid parameters; their range covers up to the whole past and a bit more."""
    begin = START + timedelta(hours=random.randrange(-50, DAYS * 24))
    end = begin + timedelta(minutes=random.randrange(1, DAYS * 24 * 60))
    is_by_day = random.random() < 0.5
    params: dict[str, Any] = {
        "createdAfter": begin.date().isoformat() if is_by_day else begin.isoformat(),
        "createdBefore": (end.date() + timedelta(days=1)).isoformat()
        if is_by_day
        else end.isoformat(),
        "calculationInterval": random.choice(["day", "week", "month", "quarter", "year"]),
        "limit": random.choice([1, 7, 500, 10_000]),
    }
    dimensions = ["transactionType", "userId"]
    if has_statuses:
        dimensions.append("transactionStatus")
        if random.random() < 0.4:
            params["transactionStatuses"] = random.sample(STATUSES, random.randrange(1, 6))
    if random.random() < 0.6:
        params["transactionTypes"] = random.sample(TYPES, random.randrange(1, 4))
    if random.random() < 0.4:
        params["userIds"] = [str(each) for each in random.sample(users, random.randrange(1, 3))]
    params["breakdowns"] = random.sample(dimensions, random.randrange(3))
    return params


def _moment(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _period(at: datetime, interval: str) -> date:
    day = at.astimezone(UTC).date()
    match interval:
        case "day":
            return day
        case "week":
            return date.fromisocalendar(*day.isocalendar()[:2], 1)
        case "month":
            return date(day.year, day.month, 1)
        case "quarter":
            return date(day.year, (1, 1, 1, 4, 4, 4, 7, 7, 7, 10, 10, 10)[day.month - 1], 1)
        case _:
            return date(day.year, 1, 1)


def expected_rows(
    history: Sequence[Paid], params: dict[str, Any], *, of_volume: bool
) -> list[dict[str, Any]]:
    """Return the rows that the contract requires, by brute force."""
    after, before = _moment(params["createdAfter"]), _moment(params["createdBefore"])
    interval = params["calculationInterval"]
    types = params.get("transactionTypes") or (TYPES[:2] if of_volume else TYPES)
    statuses = params.get("transactionStatuses") or STATUSES
    sums: Counter[tuple[Any, ...]] = Counter()
    for each in history:
        dims = {
            "transactionType": each.type,
            "transactionStatus": each.counted,
            "userId": str(each.user),
        }
        is_asked = (
            after <= each.at < before
            and each.type in types
            and each.counted in statuses
            and str(each.user) in params.get("userIds", [str(each.user)])
            and (not of_volume or each.status == "COMPLETED")
        )
        if is_asked:
            key = (_period(each.at, interval), *(dims[name] for name in params["breakdowns"]))
            sums[key] += each.cents if of_volume else 1
    days = (after + timedelta(hours=hour) for hour in range((DAYS + 4) * 24 * 3))
    moments = [*(each for each in days if each < before), before - timedelta(microseconds=1)]
    buckets = sorted({_period(each, interval) for each in moments}, reverse=True)
    place = params["breakdowns"].index("userId") + 1 if "userId" in params["breakdowns"] else 0
    values = {
        "transactionType": [each for each in TYPES[::-1] if each in types],
        "transactionStatus": [each for each in STATUSES[::-1] if each in statuses],
        "userId": sorted(params.get("userIds") or {key[place] for key in sums}, reverse=True),
    }
    keys: list[tuple[Any, ...]] = [(each,) for each in buckets]
    for name in params["breakdowns"]:
        keys = [(*key, value) for key in keys for value in values[name]]
    rows: list[dict[str, Any]] = []
    for key in keys[: params["limit"]]:
        dims = dict(zip(params["breakdowns"], key[1:], strict=True))
        row = {"periodStart": key[0].isoformat(), **dims}
        dollars = Decimal(sums[key]) / 100
        row |= (
            {"grossVolume": dollars, "grossVolumeUsd": dollars}
            if of_volume
            else {"transactionCount": sums[key]}
        )
        rows.append(row)
    return rows
