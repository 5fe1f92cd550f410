"""Labels and units of the members of a result's rows, as pages and e-mails show them."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from landbridge.platform.formats.translations import later as _
from landbridge.reporting.metrics.custom.tallies import VALUE

# Unit of members that are shares from 0 to 1, which are shown in percent.
PERCENT: Final = "%"

# Label and unit of each member of a row.
MEASURES: Mapping[str, tuple[str, str]] = {
    "grossVolumeUsd": (_("Gross volume"), "USD"),
    "transactionCount": (_("Transactions"), ""),
    "newUserCount": (_("New users"), ""),
    "swapCount": (_("Swaps"), ""),
    "volumeUsd": (_("Volume"), "USD"),
    "sourceAmount": (_("Amount out"), ""),
    "destinationAmount": (_("Amount in"), ""),
    "feeCount": (_("Fees charged"), ""),
    "feesUsd": (_("Fees earned"), "USD"),
    "fees": (_("Fees (currency)"), ""),
    "completedCount": (_("Completed transactions"), ""),
    "failedCount": (_("Failed transactions"), ""),
    "unfinishedCount": (_("In progress"), ""),
    "successRate": (_("Success rate"), PERCENT),
    "failureRate": (_("Failure rate"), PERCENT),
    "p50Seconds": (_("Median time"), "s"),
    "p95Seconds": (_("95th percentile time"), "s"),
    "approvalCount": (_("Approvals"), ""),
    "decidedCount": (_("Decided approvals"), ""),
    "attemptCount": (_("Attempts"), ""),
    "deliveredCount": (_("Successful deliveries"), ""),
    "refusedCount": (_("4xx"), ""),
    "unansweredCount": (_("No response"), ""),
    "givenUpCount": (_("Retries exhausted"), ""),
    "balanceUsd": (_("Balance (USD)"), "USD"),
    "balance": (_("Balance (currency)"), ""),
    # The value of an organisation's own template.
    VALUE: (_("Value"), ""),
}


def in_unit(value: Decimal, unit: str) -> Decimal:
    """Return a row's value for display in its unit: a share is multiplied by 100."""
    return value.scaleb(2) if unit == PERCENT else value
