"""Settlement rule form: splits, each with one value or with tiers by amount.

Only the upper bound of a tier is entered. A tier begins where the previous one ends; the last tier
has no upper bound.
"""

from collections.abc import Mapping
from decimal import Decimal, InvalidOperation

from landbridge.dashboard.number_formats import number_text
from landbridge.dashboard.page_request import Form, parse_integer
from landbridge.payments.virtual_accounts.rule_parsing import PARTS_MAX, TIERS_MAX
from landbridge.payments.virtual_accounts.rule_schemas import RuleReply
from landbridge.platform.core.errors import FieldInvalid


def part_count(submitted: Mapping[str, str]) -> int:
    """Return the number of splits to show; 1 if the submitted number is invalid."""
    try:
        return _parsed_part_count(submitted)
    except FieldInvalid:
        return 1


def tier_count(submitted: Mapping[str, str], part: int) -> int:
    """Return the tiers to show for a split; 0 if it has one value or the number is invalid."""
    try:
        return _parsed_tier_count(submitted, part)
    except FieldInvalid:
        return 0


def apply_button(submitted: dict[str, str], button: str) -> bool:
    """Add a split or tier, or remove the tiers; return False for any other button."""
    verb, _, index = button.partition(":")
    if verb == "part":
        submitted["parts"] = str(min(part_count(submitted) + 1, PARTS_MAX))
        return True
    if verb not in {"tier", "untier"}:
        return False
    try:
        part = parse_integer(index, "do", minimum=0, maximum=PARTS_MAX - 1)
    except FieldInvalid:
        return False
    count = tier_count(submitted, part)
    # A single tier would be the same as one value.
    tiers = min(max(count + 1, 2), TIERS_MAX)
    submitted[f"tiers-{part}"] = "0" if verb == "untier" else str(tiers)
    return True


def rule_body(submitted: Mapping[str, str]) -> dict[str, object]:
    """Return the request body of the form; raises `FieldInvalid` if a value is not a number."""
    return {
        "requestId": submitted.get("requestId") or None,
        "chain": submitted.get("chain") or None,
        "includeHIFIFee": bool(submitted.get("includeHIFIFee")),
        "rules": [_part(submitted, index) for index in range(_parsed_part_count(submitted))],
    }


def number_fields(form: Form) -> list[str]:
    """Return the names of the submitted numbers: values, and upper bounds of tiers."""
    return [name for name in form.fields if name.endswith((".value", ".max"))]


def rule_fields(rule: RuleReply, language: str) -> dict[str, str]:
    """Return the form values of an existing rule, with numbers in the reader's format."""
    values = {
        "chain": rule.chain.value,
        "includeHIFIFee": "yes" if rule.includes_fee else "",
        "parts": str(len(rule.rules)),
    }
    for index, part in enumerate(rule.rules):
        name = f"rules[{index}]"
        values |= {
            f"{name}.type": part.type.value,
            f"{name}.walletAddress": part.wallet_address,
            f"{name}.value": _text(part.value, language),
            f"tiers-{index}": str(len(part.tiers or ())),
        }
        for number, tier in enumerate(part.tiers or ()):
            values |= {
                f"{name}.tiers[{number}].max": number_text(tier.max, language),
                f"{name}.tiers[{number}].value": _text(tier.value, language),
            }
    return values


def _parsed_part_count(submitted: Mapping[str, str]) -> int:
    return parse_integer(
        submitted.get("parts", ""), "parts", minimum=1, maximum=PARTS_MAX, default=1
    )


def _parsed_tier_count(submitted: Mapping[str, str], part: int) -> int:
    name = f"tiers-{part}"
    return parse_integer(submitted.get(name, ""), name, minimum=0, maximum=TIERS_MAX, default=0)


def _part(submitted: Mapping[str, str], index: int) -> dict[str, object]:
    name = f"rules[{index}]"
    count = _parsed_tier_count(submitted, index)
    part: dict[str, object] = {
        "type": submitted.get(f"{name}.type") or None,
        "walletAddress": submitted.get(f"{name}.walletAddress", ""),
        "calculationModel": "TIERED" if count else "FIXED",
    }
    if not count:
        return part | {"value": _number(submitted, f"{name}.value")}
    upper_bound = ""
    tiers: list[dict[str, object]] = []
    for number in range(count):
        tier = f"{name}.tiers[{number}]"
        lower_bound, upper_bound = upper_bound, submitted.get(f"{tier}.max", "")
        tiers.append(
            {"min": lower_bound, "max": upper_bound, "value": _number(submitted, f"{tier}.value")}
        )
    return part | {"tiers": tiers}


def _number(submitted: Mapping[str, str], name: str) -> Decimal:
    try:
        number = Decimal(submitted.get(name, ""))
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise FieldInvalid(f"{name} must be a number, for example 0.01", field=name)
    return number


def _text(number: Decimal | None, language: str) -> str:
    return "" if number is None else number_text(f"{number:f}", language)
