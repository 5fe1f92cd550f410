"""Routes of account statements: /v2/reporting/statements. Ours."""

from collections.abc import Callable
from datetime import datetime, timedelta
from functools import cache
from typing import Annotated, Any, TypeVar
from zoneinfo import ZoneInfo, available_timezones

from litestar import Controller, MediaType, Response, get
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, FieldsInvalid
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import DATE_OR_TIME, IDENTIFIER, ZONE_NAME, one_of, query
from landbridge.platform.http.list_query import optional_id, parse_choice, required_text
from landbridge.platform.http.responses import encode
from landbridge.providers.chains.tokens import CURRENCIES
from landbridge.reporting.date_params import (
    TIME_ZONE,
    is_bare_date,
    local_day,
    parse_bound,
    start_of_day,
)
from landbridge.reporting.file_downloads import FileDownloads, StreamedFile, file_headers
from landbridge.reporting.rollups.model import UTC_ZONE
from landbridge.reporting.statements.csv_file import csv_pages
from landbridge.reporting.statements.model import (
    Statement,
    StatementDetail,
    StatementFormat,
    StatementRequest,
)
from landbridge.reporting.statements.schemas import StatementReply, statement_reply
from landbridge.reporting.statements.service import Statements

T = TypeVar("T")

AFTER, BEFORE = "createdAfter", "createdBefore"

# Zone names that are not accepted; the first one is the zone of the server.
_NO_ZONES = {"localtime", "Factory"}

_UserId = Annotated[
    str | None,
    query("userId", IDENTIFIER, description="Whose statement it is; required.", is_required=True),
]
_WalletId = Annotated[
    str | None, query("walletId", IDENTIFIER, description="Only this wallet of the user.")
]

_Currency = Annotated[
    str | None,
    query("currency", one_of(CURRENCIES), description="Only this currency, as in usdc."),
]

_After = Annotated[
    str | None,
    query(
        "createdAfter",
        DATE_OR_TIME,
        is_required=True,
        description="Where it begins, inclusive: a date of timeZone, or an ISO 8601 time with an "
        "offset; required.",
    ),
]

_Before = Annotated[
    str | None,
    query(
        "createdBefore",
        DATE_OR_TIME,
        is_required=True,
        description="Where it ends, exclusive: today's date at the latest, or a time of today; "
        "required.",
    ),
]

_TimeZone = Annotated[
    str | None,
    query(
        "timeZone",
        ZONE_NAME,
        description="In which dates are understood and times shown: a name of IANA's, as in "
        "Europe/Berlin; UTC if left out.",
    ),
]

_Format = Annotated[
    str | None,
    query("format", one_of(StatementFormat), description="json (if left out), csv or pdf."),
]

_Detail = Annotated[
    str | None,
    query(
        "detail",
        one_of(StatementDetail),
        description="payments (if left out): a line for each payment; steps: a line for each of "
        "its movements.",
    ),
]


class StatementQueryParser:
    """Collects problems with parameters, each with a sentence."""

    def __init__(self) -> None:
        self.wrong: dict[str, str] = {}

    def read(self, reading: Callable[[], T]) -> T | None:
        """Return the result of `reading`; None if it reports a problem."""
        try:
            return reading()
        except FieldInvalid as error:
            self.wrong.setdefault(str(error.field), error.message)
            return None


def parse_statement_query(
    *,
    user_id: str | None,
    wallet_id: str | None,
    currency: str | None,
    created_after: str | None,
    created_before: str | None,
    time_zone: str | None,
    file_format: str | None,
    detail: str | None,
    now: datetime,
) -> StatementRequest:
    """Parse the request; raises `FieldsInvalid`. `now` is organisation time."""
    parser = StatementQueryParser()
    user = parser.read(lambda: optional_id("userId", required_text("userId", user_id)))
    wallet = parser.read(lambda: optional_id("walletId", wallet_id))
    coin = parser.read(
        lambda: None if currency is None else parse_choice("currency", currency, CURRENCIES)
    )
    format_ = parser.read(lambda: _format(file_format))
    detail_ = parser.read(lambda: _detail(detail))
    zone = parser.read(lambda: _zone(time_zone))
    # If the zone is invalid, it is reported, and the dates are still validated, in UTC.
    days = zone.key if zone else UTC_ZONE
    after = parser.read(lambda: _bound(AFTER, created_after, days, now))
    before = parser.read(lambda: _bound(BEFORE, created_before, days, now))
    if after is not None and before is not None and before <= after:
        parser.wrong[BEFORE] = "createdBefore must be later than createdAfter"
    if parser.wrong:
        raise FieldsInvalid(parser.wrong)
    # Not None here, because every missing parameter was reported as a problem.
    assert user
    assert format_
    assert detail_
    assert zone
    assert after
    assert before
    return StatementRequest(
        format=format_,
        detail=detail_,
        user_id=user,
        wallet_id=wallet,
        currency=coin,
        after=after,
        before=before,
        zone=zone,
    )


def _format(text: str | None) -> StatementFormat:
    return StatementFormat.JSON if text is None else parse_choice("format", text, StatementFormat)


def _detail(text: str | None) -> StatementDetail:
    if text is None:
        return StatementDetail.PAYMENTS
    return parse_choice("detail", text, StatementDetail)


def _zone(text: str | None) -> ZoneInfo:
    name = UTC_ZONE if text is None else text
    if name not in _zones():
        raise FieldInvalid(
            "timeZone must be a name of IANA's database, as in UTC or Europe/Berlin",
            field=TIME_ZONE,
        )
    return ZoneInfo(name)


def _bound(name: str, text: str | None, zone: str, now: datetime) -> datetime:
    """Parse a date, today at the latest, or an instant no later than today's end."""
    value = required_text(name, text)
    try:
        bound = parse_bound(value, zone)
        # Check that the bound exists in this zone: its calendar may end some hours earlier.
        bound.astimezone(ZoneInfo(zone))
    except ValueError as error:
        raise FieldInvalid(f"{name} {error}", field=name) from error
    except OverflowError as error:
        raise FieldInvalid(f"{name} lies too far away", field=name) from error
    today = local_day(now, zone)
    latest = today if is_bare_date(value) else today + timedelta(days=1)
    if bound > start_of_day(latest, zone):
        raise FieldInvalid(f"{name} must not lie after today, {today}", field=name)
    return bound


@cache
def _zones() -> frozenset[str]:
    return frozenset(available_timezones() - _NO_ZONES)


class StatementRoutes(Controller):
    """Account statements."""

    path = "/v2/reporting/statements"
    tags = ("Reporting",)

    @get(
        summary="Make an account statement",
        responses={
            200: ResponseSpec(
                StatementReply, description="The statement, or its file", generate_examples=False
            )
        },
        costly=True,
        operation_id="statements.download",
    )
    async def make(  # noqa: PLR0917  as many as there are filters
        self,
        request: ApiRequest,
        statements: NamedDependency[Statements],
        clock: NamedDependency[Clock],
        file_downloads: NamedDependency[FileDownloads],
        user_id: _UserId = None,
        wallet_id: _WalletId = None,
        currency: _Currency = None,
        created_after: _After = None,
        created_before: _Before = None,
        time_zone: _TimeZone = None,
        file_format: _Format = None,
        detail: _Detail = None,
    ) -> Response[Any]:
        """Return the movements of a user's wallets between two balances that tie to the ledger.

        JSON and PDF hold at most 10,000 lines; CSV is unlimited.
        """
        statement_request = parse_statement_query(
            user_id=user_id,
            wallet_id=wallet_id,
            currency=currency,
            created_after=created_after,
            created_before=created_before,
            time_zone=time_zone,
            file_format=file_format,
            detail=detail,
            now=clock.now(request.user.clock_offset),
        )
        statement = await statements.open(request.user, statement_request)
        match statement_request.format:
            case StatementFormat.JSON:
                content = encode(statement_reply(statement, await statements.whole(statement)))
                return await file_downloads.of_bytes(
                    request.user.org_id, content, MediaType.JSON, {}
                )
            case StatementFormat.CSV:
                pages = csv_pages(statements, statement)
                chunks = file_downloads.bounded(request.user.org_id, pages)
                first = await anext(chunks)
                return StreamedFile(_name(statement), "text/csv", first, chunks)
            case StatementFormat.PDF:
                content = await statements.printed(statement)
                headers = file_headers(_name(statement))
                return await file_downloads.of_bytes(
                    request.user.org_id, content, "application/pdf", headers
                )


def _name(statement: Statement) -> str:
    request = statement.request
    days = "_".join(statement.format_moment(each)[:10] for each in (request.after, request.before))
    return f"statement_{request.user_id}_{days}.{request.format}"
