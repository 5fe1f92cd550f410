"""The metric templates. Source: spec.md (Metric template list response), contract, reporting 2, 3.

The members of spec.md come first; `template`, `supportedParams` and `rules` beside them are what
other published samples of this interface print, for clients that were written after those.
"""

from datetime import date
from typing import Any

from landbridge.web.reply import WireStruct

INTERVALS = ("day", "week", "month", "quarter", "year")
TRANSACTION_TYPES = ("onramp", "offramp", "transfer")
TRANSACTION_STATUSES = (
    "AWAITING_FUNDS",
    "FIAT_INITIATED",
    "FIAT_PENDING",
    "FIAT_PROCESSED",
    "CRYPTO_INITIATED",
    "CRYPTO_PENDING",
    "FIAT_FAILED",
    "CRYPTO_FAILED",
    "QUOTE_FAILED",
    "NOT_INITIATED",
    "FIAT_RETURNED",
    "COMPLETED",
    "PENDING_APPROVAL",
    "INITIATED",
    "PENDING",
    "FAILED",
    "REJECTED",
)
BREAKDOWNS_MAX = 2
ROWS_MAX = 10_000


class Param(WireStruct, frozen=True):
    """A parameter of a template: `options` are the allowed values, `constraints` the bounds."""

    name: str
    type: str
    required: bool
    multiple: bool
    description: str
    options: list[str]
    constraints: dict[str, Any]


class Template(WireStruct, frozen=True):
    """A metric that can be calculated."""

    name: str
    template: str
    display_name: str
    description: str
    params: list[Param]
    supported_params: list[Param]
    supports_breakdowns: bool
    breakdown_options: list[str]
    rules: list[str]


def templates(today: date) -> list[Template]:
    """Every template; dates may not lie after `today`."""
    return [
        _template(
            "GROSS_VOLUME",
            "Gross Volume",
            "USD value of completed onramps and offramps, by the time they were created.",
            today,
            filters=[_types(), _users()],
            breakdowns=["transactionType", "userId"],
        ),
        _template(
            "TRANSACTION_COUNT",
            "Transaction Count",
            "Number of transactions by status and type.",
            today,
            filters=[_types(), _statuses(), _users()],
            breakdowns=["transactionType", "transactionStatus", "userId"],
        ),
        _template(
            "NEW_USERS",
            "New Users",
            "Number of users created.",
            today,
            filters=[],
            breakdowns=[],
        ),
    ]


def find_template(name: str, today: date) -> Template | None:
    """The template of this name."""
    return next((each for each in templates(today) if each.name == name), None)


def _template(
    name: str,
    display_name: str,
    description: str,
    today: date,
    *,
    filters: list[Param],
    breakdowns: list[str],
) -> Template:
    params = [
        *_period(today),
        *filters,
        *([_breakdowns(breakdowns)] if breakdowns else []),
        _limit(),
    ]
    return Template(
        name=name,
        template=name,
        display_name=display_name,
        description=description,
        params=params,
        supported_params=params,
        supports_breakdowns=bool(breakdowns),
        breakdown_options=breakdowns,
        rules=["createdBefore must be later than createdAfter"],
    )


def _period(today: date) -> list[Param]:
    latest = {"maxDate": today.isoformat()}
    return [
        Param(
            name="createdAfter",
            type="date",
            required=True,
            multiple=False,
            description="Start of the period, inclusive, UTC.",
            options=[],
            constraints=latest,
        ),
        Param(
            name="createdBefore",
            type="date",
            required=True,
            multiple=False,
            description="End of the period, exclusive, UTC.",
            options=[],
            constraints=latest,
        ),
        Param(
            name="calculationInterval",
            type="enum",
            required=True,
            multiple=False,
            description="Length of the intervals that the period is divided into.",
            options=list(INTERVALS),
            constraints={},
        ),
    ]


def _types() -> Param:
    return Param(
        name="transactionTypes",
        type="enum",
        required=False,
        multiple=True,
        description="Only transactions of these types; all if left out.",
        options=list(TRANSACTION_TYPES),
        constraints={},
    )


def _statuses() -> Param:
    return Param(
        name="transactionStatuses",
        type="enum",
        required=False,
        multiple=True,
        description="Only transactions in these statuses; all if left out.",
        options=list(TRANSACTION_STATUSES),
        constraints={},
    )


def _users() -> Param:
    return Param(
        name="userIds",
        type="array",
        required=False,
        multiple=True,
        description="Only transactions of these users, by id; all if left out.",
        options=[],
        constraints={},
    )


def _breakdowns(options: list[str]) -> Param:
    return Param(
        name="breakdowns",
        type="enum",
        required=False,
        multiple=True,
        description="One row per value of these dimensions in each interval.",
        options=options,
        constraints={"maxCount": BREAKDOWNS_MAX},
    )


def _limit() -> Param:
    return Param(
        name="limit",
        type="integer",
        required=False,
        multiple=False,
        description="At most this many rows, the newest.",
        options=[],
        constraints={"min": 1, "max": ROWS_MAX},
    )
