"""Routes of account statements: /v2/reporting/statements. Ours."""

from typing import Annotated, Any

from litestar import Controller, MediaType, Response, get
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec

from landbridge.platform.core.clock import Clock
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import DATE_OR_TIME, IDENTIFIER, ZONE_NAME, one_of, query
from landbridge.platform.http.responses import encode
from landbridge.providers.chains.tokens import CURRENCIES
from landbridge.reporting.file_downloads import FileDownloads, StreamedFile, file_headers
from landbridge.reporting.statements.csv_file import csv_pages
from landbridge.reporting.statements.model import Statement, StatementDetail, StatementFormat
from landbridge.reporting.statements.query_parsing import parse_statement_query
from landbridge.reporting.statements.schemas import StatementReply, statement_reply
from landbridge.reporting.statements.service import Statements

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
