"""Plans of PostgreSQL."""

from typing import Any


def rows_read(plan: dict[str, Any]) -> float:
    """Return the rows read by all parts of a plan, including those filtered out."""
    own = plan["Actual Rows"] + plan.get("Rows Removed by Filter", 0)
    return own * plan["Actual Loops"] + sum(rows_read(each) for each in plan.get("Plans", ()))
