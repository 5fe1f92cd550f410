"""Brute-force calculation of definitions: from the rows of tables, in Python, without views.

Numbers are fractions and dates come from the standard library's calendar.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from typing import Any
from zoneinfo import ZoneInfo

from landbridge.reporting.metrics.builtin.kinds import OUTCOME_OF, TYPES
from tests.reporting.metrics.builtin.history import History, rounded_ms

_RECORDS = """
select t.id, t.kind, t.status, t.user_id::text as user_id, t.created_at, t.source_asset,
    t.source_units, t.destination_asset, t.destination_units, t.details, t.facts, t.request,
    u.type as user_type, c.actor
from transfers t
join users u on u.org_id = t.org_id and u.id = t.user_id
join changes c on c.org_id = t.org_id and c.object_id = t.id and c.seq = 1
where t.org_id = $1
"""
_FEES = """
select coalesce(t.request ->> 'transfer', t.id::text) as id, e.asset, e.available
from entries e
join transfers t on t.org_id = e.org_id and t.id = e.transfer_id
where e.org_id = $1 and e.role = 'fees'
"""
_ENDS = """
select object_id::text as id, max(occurred_at) as at
from changes
where org_id = $1 and status_after = 'COMPLETED' and status_before is distinct from status_after
group by 1
"""
_COUNTRIES = {"usd": "USA", "mxn": "MEX", "eur": "OTHER", "usd-hka": "HKG", "none": "none"}
_UNITS = {"BANK": 100}


@dataclass(frozen=True, slots=True)
class ExpectedRecord:
    """Transaction, or another record, with everything that a definition can refer to."""

    at: datetime
    dims: Mapping[str, str]
    usd: Fraction
    amount: tuple[str, Fraction]
    fees: Mapping[str, Fraction]
    took_ms: int | None


async def payments(history: History) -> list[ExpectedRecord]:
    """Return all transactions of a history."""
    fees: defaultdict[str, defaultdict[str, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for row in await history.rows(_FEES):
        fees[row["id"]][row["asset"]] += coins(row["asset"], row["available"])
    ends = {row["id"]: row["at"] for row in await history.rows(_ENDS)}
    return [
        _payment(row, fees.get(str(row["id"]), {}), ends.get(str(row["id"])))
        for row in await history.rows(_RECORDS)
        if row["kind"] in TYPES
    ]


def _payment(row: Any, fees: Mapping[str, Fraction], end: datetime | None) -> ExpectedRecord:
    details, facts = _json(row["details"]), _json(row["facts"])
    known = {**details, **facts}
    source, chain = row["source_asset"].split(":")
    destination, other_chain = row["destination_asset"].split(":")
    bank = next(
        (c for c, at in ((destination, other_chain), (source, chain)) if at == "BANK"), "none"
    )
    bank = details.get("corridor") or bank
    request = _json(row["request"])
    starts: dict[str, Any] = request.get("source") or {}
    has_fee = bool(details.get("fees")) or details.get("fee") is not None
    payer = "sender" if has_fee else "none"
    if row["kind"] not in {"OFFRAMP", "WALLET.TRANSFER"} and int(details.get("fee_units") or 0) > 0:
        payer = "recipient"
    took = None
    if row["status"] == "COMPLETED" and end is not None:
        took = rounded_ms(max(ceil((end - row["created_at"]) / timedelta(milliseconds=1)), 0))
    return ExpectedRecord(
        at=row["created_at"],
        dims={
            "transactionType": TYPES[row["kind"]],
            "transactionStatus": row["status"],
            "outcome": OUTCOME_OF[row["kind"], row["status"]],
            "currency": source,
            "destinationCurrency": destination,
            "chain": chain if chain != "BANK" else other_chain,
            "country": _COUNTRIES[bank],
            "rail": details.get("payment_rail") or starts.get("transferType") or "none",
            "userType": row["user_type"],
            "userId": row["user_id"],
            "initiatedBy": _initiator(row["actor"]),
            "feePayer": payer,
        },
        usd=_worth(row, known),
        amount=(source, coins(row["source_asset"], row["source_units"])),
        fees=fees,
        took_ms=took,
    )


def _initiator(actor: str) -> str:
    name = actor.split(":", maxsplit=1)[0]
    return name if name in {"key", "member"} else "system"


def _worth(row: Any, known: Mapping[str, Any]) -> Fraction:
    if row["kind"] == "OFFRAMP":
        cents = Fraction(known["amount_units"], 10_000)
    elif row["kind"] == "ONRAMP" and known.get("worth_usd") is not None:
        cents = Fraction(known["worth_usd"]) * 100
    elif row["kind"] == "ONRAMP" and row["source_asset"] == "usd:BANK":
        cents = Fraction(int(row["source_units"]))
    elif row["kind"] == "ONRAMP":
        cents = Fraction(int(row["destination_units"]), 10_000)
    else:
        cents = Fraction(int(row["source_units"]), 10_000)
    return Fraction(floor(cents), 100)


def coins(asset: str, units: Decimal | int) -> Fraction:
    """Return an amount in smallest units in whole coins."""
    return Fraction(int(units), _UNITS.get(asset.split(":")[1], 1_000_000))


def _json(value: Any) -> dict[str, Any]:
    return json.loads(value) if isinstance(value, str) else value


def expected(
    found: Sequence[ExpectedRecord],
    definition: Mapping[str, Any],
    params: Mapping[str, Any],
    names: Mapping[str, str],
) -> dict[tuple[str, ...], Any]:
    """Return the values of all rows with records, by period and breakdowns."""
    zone = ZoneInfo(params.get("timeZone", "UTC"))
    groups: defaultdict[tuple[str, ...], list[ExpectedRecord]] = defaultdict(list)
    after, before = (moment(params[name], zone.key) for name in ("createdAfter", "createdBefore"))
    for each in found:
        if not after <= each.at < before or not matching(each, definition, params, names):
            continue
        day = _period(each.at.astimezone(zone).date(), params["calculationInterval"])
        groups[(day.isoformat(), *(each.dims[b] for b in params.get("breakdowns", ())))].append(
            each
        )
    measure = definition["measure"]
    parts = [measure[side] for side in ("left", "right") if side in measure] or [measure]
    return {
        key: value(rows, measure, names)
        for key, rows in groups.items()
        if any(_counts(row, part, names) for row in rows for part in parts)
    }


def moment(text: str, zone: str) -> datetime:
    """Return the instant of a time, or of the first midnight of a day in a zone."""
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=ZoneInfo(zone))


def matching(
    each: ExpectedRecord,
    definition: Mapping[str, Any],
    params: Mapping[str, Any],
    names: Mapping[str, str],
) -> bool:
    """Return whether a record passes the fixed filters and those of a request."""
    given = {name: values for name, values in params.items() if name in names}
    return all(_passes(each, one, names) for one in (definition.get("filters", {}), given))


def _counts(each: ExpectedRecord, part: Mapping[str, Any], names: Mapping[str, str]) -> bool:
    """Return whether a record is read for a number: of durations only those that completed."""
    has_number = part["function"] not in {"median", "p95"} or each.took_ms is not None
    return has_number and _passes(each, part.get("filters", {}), names)


def _passes(each: ExpectedRecord, filters: Mapping[str, Any], names: Mapping[str, str]) -> bool:
    for param, values in filters.items():
        if param == "amountUsd":
            if each.usd < Fraction(values.get("minimum", "0")):
                return False
            if each.usd > Fraction(values.get("maximum", "999999999")):
                return False
        elif values and each.dims[names[param]] not in values:
            return False
    return True


def _period(day: date, interval: str) -> date:
    if interval == "week":
        return day - timedelta(days=day.weekday())
    if interval == "month":
        return day.replace(day=1)
    if interval == "quarter":
        return day.replace(day=1, month=(day.month - 1) // 3 * 3 + 1)
    return day.replace(day=1, month=1) if interval == "year" else day


def value(
    rows: Sequence[ExpectedRecord], measure: Mapping[str, Any], names: Mapping[str, str]
) -> Any:
    """Return the value of a measure over the records of a row."""
    if measure["function"] in {"ratio", "difference"}:
        left, right = (value(rows, measure[side], names) for side in ("left", "right"))
        if left is None or right is None:
            return None
        if measure["function"] == "difference":
            return left - right
        if not right:
            return None if measure["ifZero"] == "null" else 0
        return _rounded(Fraction(left) / Fraction(right), measure)
    return _number([r for r in rows if _passes(r, measure.get("filters", {}), names)], measure)


def _number(rows: Sequence[ExpectedRecord], measure: Mapping[str, Any]) -> Any:
    ends = [each.dims.get("outcome") for each in rows]
    match measure["function"]:
        case "count":
            return len(rows)
        case "distinctUsers":
            return len({each.dims["userId"] for each in rows})
        case "successShare" | "failureShare":
            part = "completed" if measure["function"] == "successShare" else "failed"
            whole = ends.count("completed") + ends.count("failed")
            rule = {"digits": 4, "rounding": "halfUp"}
            return _rounded(Fraction(ends.count(part), whole), rule) if whole else None
        case "median" | "p95":
            took = sorted(each.took_ms for each in rows if each.took_ms is not None)
            percent = 50 if measure["function"] == "median" else 95
            return (
                Fraction(took[ceil(Fraction(percent * len(took), 100)) - 1], 1000) if took else None
            )
        case _:
            return _amount(rows, measure)


def _amount(rows: Sequence[ExpectedRecord], measure: Mapping[str, Any]) -> Any:
    pairs = [pair for each in rows for pair in _pairs(each, measure["of"])]
    function = measure["function"]
    if function in {"minimum", "maximum"} and not rows:
        return None
    if function in {"sum", "average"}:
        totals: defaultdict[str, Fraction] = defaultdict(Fraction)
        for currency, amount in pairs:
            totals[currency] += amount
        kept = {currency for currency, amount in totals.items() if amount}
        if len(kept) > 1:
            return None
        total = sum(totals.values(), Fraction())
        if function == "sum":
            return total
        return _rounded(total / len(rows), measure) if rows else None
    choose = min if function == "minimum" else max
    by_currency: defaultdict[str, list[Fraction]] = defaultdict(list)
    for currency, amount in pairs:
        by_currency[currency].append(amount)
    extremes = [choose(amounts) for amounts in by_currency.values()]
    return None if sum(1 for each in extremes if each) > 1 else choose(extremes)


def _pairs(each: ExpectedRecord, of: str) -> list[tuple[str, Fraction]]:
    if of == "amountUsd":
        return [("usd", each.usd)]
    if of == "amount":
        return [each.amount]
    fees = [(asset.split(":")[0], amount) for asset, amount in each.fees.items()]
    return (
        fees or [("none", Fraction())]
        if of == "fees"
        else [("usd", sum((a for _, a in fees), Fraction()))]
    )


def _rounded(value: Fraction, rule: Mapping[str, Any]) -> Fraction:
    scaled = abs(value) * 10 ** rule["digits"]
    whole, rest = floor(scaled), scaled - floor(scaled)
    up = {
        "down": False,
        "up": rest > 0,
        "halfUp": rest >= Fraction(1, 2),
        "halfEven": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole % 2 == 1),
    }[rule["rounding"]]
    sign = -1 if value < 0 else 1
    return sign * Fraction(whole + up, 10 ** rule["digits"])
