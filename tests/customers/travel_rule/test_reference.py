"""docs/reference/travel-rule.md equals the table of jurisdictions."""

import os
from collections.abc import Iterator

from landbridge.customers.travel_rule.jurisdictions import TIERS, RequiredItem, RuleTier
from tests.sources import ROOT

PAGE = ROOT / "docs" / "reference" / "travel-rule.md"


def test_the_table_of_the_page_is_that_of_the_code() -> None:
    begin, end = "<!-- tiers:begin -->\n", "<!-- tiers:end -->"
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    created = "\n".join(_rows())
    due = f"{before}{begin}\n{created}\n\n{end}{after}"
    if os.environ.get("WRITE_FIGURES"):
        PAGE.write_text(due, encoding="utf-8")
        text = due
    assert text == due, "Run the tests with WRITE_FIGURES=1 to renew the table of travel-rule.md."


def _rows() -> Iterator[str]:
    yield "| | Wallet | Amount | Required | Source |"
    yield "|---|---|---|---|---|"
    for jurisdiction, tiers in TIERS.items():
        for each in tiers:
            items = ", ".join(f"`{item}`" for item in RequiredItem if item in each.requires)
            source = f"{each.source}, in force since {each.since}"
            yield f"| `{jurisdiction}` | `{each.kind}` | {_amount(each)} | {items} | {source} |"


def _amount(tier: RuleTier) -> str:
    if not tier.bound:
        return "any"
    words = "from" if tier.includes_bound else "above"
    return f"{words} {tier.currency.upper()} {tier.bound:,}"
