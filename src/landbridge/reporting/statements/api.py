"""Routes of account statements: /v2/reporting/statements. Ours."""

from collections.abc import AsyncGenerator, AsyncIterator
from typing import Annotated, Any

from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.openapi.datastructures import ResponseSpec
from litestar.params import QueryParameter

from landbridge.core.clock import Clock
from landbridge.reporting.files import Outgoing, Streamed, file_headers
from landbridge.reporting.statements.asking import asked
from landbridge.reporting.statements.csv_file import csv_pages
from landbridge.reporting.statements.model import Format, Statement
from landbridge.reporting.statements.service import Statements
from landbridge.reporting.statements.shapes import StatementReply, statement_reply
from landbridge.web.caller import ApiRequest
from landbridge.web.reply import Reply

_UserId = Annotated[
    str | None, QueryParameter(name="userId", description="Whose statement it is; required.")
]
_WalletId = Annotated[
    str | None, QueryParameter(name="walletId", description="Only this wallet of the user.")
]
_Currency = Annotated[
    str | None, QueryParameter(name="currency", description="Only this currency, as in usdc.")
]
_After = Annotated[
    str | None,
    QueryParameter(
        name="createdAfter",
        description="Where it begins, inclusive: a date of timeZone, or an ISO 8601 time with an "
        "offset; required.",
    ),
]
_Before = Annotated[
    str | None,
    QueryParameter(
        name="createdBefore",
        description="Where it ends, exclusive: today's date at the latest, or a time of today; "
        "required.",
    ),
]
_TimeZone = Annotated[
    str | None,
    QueryParameter(
        name="timeZone",
        description="In which dates are understood and times shown: a name of IANA's, as in "
        "Europe/Berlin; UTC if left out.",
    ),
]
_Format = Annotated[
    str | None,
    QueryParameter(name="format", description="json (if left out), csv or pdf."),
]


class StatementRoutes(Controller):
    """Account statements."""

    path = "/v2/reporting/statements"
    tags = ("Reporting",)

    @get(
        summary="Make an account statement",
        responses={200: ResponseSpec(StatementReply, description="The statement, or its file")},
    )
    async def make(  # noqa: PLR0917  as many as there are filters
        self,
        request: ApiRequest,
        statements: NamedDependency[Statements],
        clock: NamedDependency[Clock],
        outgoing: NamedDependency[Outgoing],
        user_id: _UserId = None,
        wallet_id: _WalletId = None,
        currency: _Currency = None,
        created_after: _After = None,
        created_before: _Before = None,
        time_zone: _TimeZone = None,
        file_format: _Format = None,
    ) -> Response[Any]:
        """What came and went in a user's wallets, between two balances that tie to the ledger.

        JSON and PDF take 10,000 lines; CSV takes as many as there are.
        """
        wanted = asked(
            user_id=user_id,
            wallet_id=wallet_id,
            currency=currency,
            created_after=created_after,
            created_before=created_before,
            time_zone=time_zone,
            file_format=file_format,
            now=clock.now(request.user.clock_offset),
        )
        statement = await statements.open(request.user, wanted)
        match wanted.format:
            case Format.JSON:
                whole = await statements.whole(statement)
                return Reply(statement_reply(statement, whole))
            case Format.CSV:
                pages = _encoded(csv_pages(statements, statement))
                chunks = outgoing.bounded(request.user.org_id, pages)
                first = await anext(chunks)
                return Streamed(_name(statement), "text/csv", first, chunks)
            case Format.PDF:
                made = await statements.printed(statement)
                headers = file_headers(_name(statement))
                return Response(made, media_type="application/pdf", headers=headers)


def _name(statement: Statement) -> str:
    asked_ = statement.asked
    days = "_".join(statement.told(each)[:10] for each in (asked_.after, asked_.before))
    return f"statement_{asked_.user_id}_{days}.{asked_.format}"


async def _encoded(pages: AsyncIterator[str]) -> AsyncGenerator[bytes]:
    async for page in pages:
        yield page.encode()
