"""The rows that the contract asks for, made the long way from a list of records."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any
from uuid import UUID

from landbridge.flows.batches.model import KIND as BATCH
from landbridge.flows.bridges.model import KIND as BRIDGE
from landbridge.flows.offramps.model import KIND as OFFRAMP
from landbridge.flows.onramps.model import KIND as ONRAMP
from landbridge.flows.swaps.model import KIND as SWAP
from landbridge.flows.wallet_transfers.model import KIND as TRANSFER

from .past import Paid

# As in the contract's lists; rows come in the reverse of these.
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


def a_past(random: Random, users: Sequence[UUID]) -> list[Paid]:
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


def a_question(random: Random, users: Sequence[UUID], *, has_statuses: bool) -> dict[str, Any]:
    """Parameters of any kind; a range of it is up to the whole past and a bit more."""
    begin = START + timedelta(hours=random.randrange(-50, DAYS * 24))
    end = begin + timedelta(minutes=random.randrange(1, DAYS * 24 * 60))
    is_by_day = random.random() < 0.5
    asked: dict[str, Any] = {
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
            asked["transactionStatuses"] = random.sample(STATUSES, random.randrange(1, 6))
    if random.random() < 0.6:
        asked["transactionTypes"] = random.sample(TYPES, random.randrange(1, 4))
    if random.random() < 0.4:
        asked["userIds"] = [str(each) for each in random.sample(users, random.randrange(1, 3))]
    asked["breakdowns"] = random.sample(dimensions, random.randrange(3))
    return asked


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


def by_hand(
    past: Sequence[Paid], asked: dict[str, Any], *, of_volume: bool
) -> list[dict[str, Any]]:
    """The rows that the contract asks for, made the long way."""
    after, before = _moment(asked["createdAfter"]), _moment(asked["createdBefore"])
    interval = asked["calculationInterval"]
    types = asked.get("transactionTypes") or (TYPES[:2] if of_volume else TYPES)
    statuses = asked.get("transactionStatuses") or STATUSES
    sums: Counter[tuple[Any, ...]] = Counter()
    for each in past:
        dims = {
            "transactionType": each.type,
            "transactionStatus": each.counted,
            "userId": str(each.user),
        }
        is_asked = (
            after <= each.at < before
            and each.type in types
            and each.counted in statuses
            and str(each.user) in asked.get("userIds", [str(each.user)])
            and (not of_volume or each.status == "COMPLETED")
        )
        if is_asked:
            key = (_period(each.at, interval), *(dims[name] for name in asked["breakdowns"]))
            sums[key] += each.cents if of_volume else 1
    days = (after + timedelta(hours=hour) for hour in range((DAYS + 4) * 24 * 3))
    moments = [*(each for each in days if each < before), before - timedelta(microseconds=1)]
    buckets = sorted({_period(each, interval) for each in moments}, reverse=True)
    place = asked["breakdowns"].index("userId") + 1 if "userId" in asked["breakdowns"] else 0
    values = {
        "transactionType": [each for each in TYPES[::-1] if each in types],
        "transactionStatus": [each for each in STATUSES[::-1] if each in statuses],
        "userId": sorted(asked.get("userIds") or {key[place] for key in sums}, reverse=True),
    }
    keys: list[tuple[Any, ...]] = [(each,) for each in buckets]
    for name in asked["breakdowns"]:
        keys = [(*key, value) for key in keys for value in values[name]]
    rows: list[dict[str, Any]] = []
    for key in keys[: asked["limit"]]:
        dims = dict(zip(asked["breakdowns"], key[1:], strict=True))
        row = {"periodStart": key[0].isoformat(), **dims}
        dollars = Decimal(sums[key]) / 100
        row |= (
            {"grossVolume": dollars, "grossVolumeUsd": dollars}
            if of_volume
            else {"transactionCount": sums[key]}
        )
        rows.append(row)
    return rows
