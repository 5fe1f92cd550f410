"""The form of a settlement rule: parts, each with one value or with tiers of the amount.

A tier is asked only for where it ends: it begins where the one before it ends, and the last has no
end.
"""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

from landbridge.core.errors import FieldInvalid
from landbridge.dashboard.forms import whole_number
from landbridge.virtual_accounts.rule_reading import PARTS_MAX, TIERS_MAX


def part_count(told: Mapping[str, str]) -> int:
    """How many parts the form shows: one, if what was told is no such number."""
    try:
        return _parts(told)
    except FieldInvalid:
        return 1


def tier_count(told: Mapping[str, str], part: int) -> int:
    """How many tiers a part shows; none if it has one value, or what was told is no such number."""
    try:
        return _tiers(told, part)
    except FieldInvalid:
        return 0


def pressed(told: dict[str, str], button: str) -> bool:
    """Add a part or a tier, or take the tiers away; False if the button was none of these."""
    verb, _, place = button.partition(":")
    if verb == "part":
        told["parts"] = str(min(part_count(told) + 1, PARTS_MAX))
        return True
    if verb not in {"tier", "untier"}:
        return False
    try:
        part = whole_number(place, "do", least=0, most=PARTS_MAX - 1)
    except FieldInvalid:
        return False
    count = tier_count(told, part)
    # One tier would be one value.
    more = min(max(count + 1, 2), TIERS_MAX)
    told[f"tiers-{part}"] = "0" if verb == "untier" else str(more)
    return True


def rule_body(told: Mapping[str, str]) -> dict[str, Any]:
    """The request that the form makes; raises `FieldInvalid` for what is no number."""
    return {
        "requestId": told.get("requestId") or None,
        "chain": told.get("chain") or None,
        "includeHIFIFee": bool(told.get("includeHIFIFee")),
        "rules": [_part(told, place) for place in range(_parts(told))],
    }


def rule_fields(rule: Mapping[str, Any]) -> dict[str, str]:
    """A rule as its form shows it."""
    told = {
        "chain": rule["chain"],
        "includeHIFIFee": "yes" if rule["includeHIFIFee"] else "",
        "parts": str(len(rule["rules"])),
    }
    for place, part in enumerate(rule["rules"]):
        name = f"rules[{place}]"
        told |= {
            f"{name}.type": part["type"],
            f"{name}.walletAddress": part["walletAddress"],
            f"{name}.value": _text(part["value"]),
            f"tiers-{place}": str(len(part["tiers"] or ())),
        }
        for step, tier in enumerate(part["tiers"] or ()):
            told |= {
                f"{name}.tiers[{step}].max": tier["max"],
                f"{name}.tiers[{step}].value": _text(tier["value"]),
            }
    return told


def _parts(told: Mapping[str, str]) -> int:
    return whole_number(told.get("parts", ""), "parts", least=1, most=PARTS_MAX, default=1)


def _tiers(told: Mapping[str, str], part: int) -> int:
    name = f"tiers-{part}"
    return whole_number(told.get(name, ""), name, least=0, most=TIERS_MAX, default=0)


def _part(told: Mapping[str, str], place: int) -> dict[str, Any]:
    name = f"rules[{place}]"
    count = _tiers(told, place)
    part: dict[str, Any] = {
        "type": told.get(f"{name}.type") or None,
        "walletAddress": told.get(f"{name}.walletAddress", ""),
        "calculationModel": "TIERED" if count else "FIXED",
    }
    if not count:
        return part | {"value": _number(told, f"{name}.value")}
    below = ""
    tiers: list[dict[str, Any]] = []
    for step in range(count):
        tier = f"{name}.tiers[{step}]"
        least, below = below, told.get(f"{tier}.max", "")
        tiers.append({"min": least, "max": below, "value": _number(told, f"{tier}.value")})
    return part | {"tiers": tiers}


def _number(told: Mapping[str, str], name: str) -> Decimal:
    try:
        number = Decimal(told.get(name, ""))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise FieldInvalid(f"{name} must be a number, as in 0.01", field=name)
    return number


def _text(number: Any) -> str:
    return "" if number is None else f"{Decimal(str(number)):f}"
