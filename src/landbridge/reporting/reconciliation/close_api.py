"""Routes of daily closes: /v2/reconciliation/closes. Ours.

Every role and key reads; reviewers sign and confirm, two for each day.
"""

from datetime import date
from uuid import UUID

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.pagination import PositionWindow
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.list_query import position_after
from landbridge.platform.http.path_params import known_id
from landbridge.reporting.reconciliation.close_schemas import (
    CloseConfirmation,
    ClosePage,
    CloseRejection,
    CloseReply,
    CloseSignature,
    CloseWithContent,
    close_reply,
    content_reply,
)
from landbridge.reporting.reconciliation.four_eyes import deciding_person
from landbridge.reporting.reconciliation.service import LedgerReconciliation


class CloseRoutes(Controller):
    """Daily closes."""

    path = "/v2/reconciliation/closes"
    tags = ("Reconciliation",)

    @post(status_code=200, summary="Sign a day's close", operation_id="reconciliation.signClose")
    async def sign(
        self,
        request: ApiRequest,
        data: JSONBody[CloseSignature],
        reconciliation: NamedDependency[LedgerReconciliation],
    ) -> CloseWithContent:
        """Sign the close of a day that has ended; a second person confirms it.

        A day has one close: a repeated request is refused, unless it was rejected.
        """
        person, day = deciding_person(request.user), parse_day(data.day)
        return content_reply(await reconciliation.closes.sign(person, day, data.reason))

    @get(summary="List daily closes", operation_id="reconciliation.listCloses")
    async def page(
        self,
        request: ApiRequest,
        reconciliation: NamedDependency[LedgerReconciliation],
        position_window: NamedDependency[PositionWindow],
    ) -> ClosePage:
        """List closes of any status, the latest signature first."""
        found = await reconciliation.closes.page(request.user.org_id, position_window)
        return ClosePage(
            count=len(found),
            closes=[close_reply(each) for each in found],
            next_cursor=position_after(found, lambda each: each.signed_at),
        )

    @get(
        "/{closeId:str}",
        summary="Retrieve a daily close",
        operation_id="reconciliation.retrieveClose",
    )
    async def retrieve(
        self,
        request: ApiRequest,
        closeId: FromPath[str],
        reconciliation: NamedDependency[LedgerReconciliation],
    ) -> CloseWithContent:
        """Return a close with what was signed."""
        return content_reply(await reconciliation.closes.get(request.user.org_id, _known(closeId)))

    @post(
        "/{closeId:str}/confirm",
        status_code=200,
        summary="Confirm a daily close",
        operation_id="reconciliation.confirmClose",
    )
    async def confirm(
        self,
        request: ApiRequest,
        closeId: FromPath[str],
        data: JSONBody[CloseConfirmation],
        reconciliation: NamedDependency[LedgerReconciliation],
    ) -> CloseReply:
        """Confirm what another person has signed. It never changes again."""
        person, close_id = deciding_person(request.user), _known(closeId)
        return close_reply(await reconciliation.closes.confirm(person, close_id, data.digest))

    @post(
        "/{closeId:str}/reject",
        status_code=200,
        summary="Reject a daily close",
        operation_id="reconciliation.rejectClose",
    )
    async def reject(
        self,
        request: ApiRequest,
        closeId: FromPath[str],
        data: JSONBody[CloseRejection],
        reconciliation: NamedDependency[LedgerReconciliation],
    ) -> CloseReply:
        """Reject a close that waits, or withdraw your own; the day can be signed again."""
        person, close_id = deciding_person(request.user), _known(closeId)
        return close_reply(await reconciliation.closes.reject(person, close_id, data.reason))


def parse_day(text: str) -> date:
    """Parse a day such as 2026-01-31; raises `FieldInvalid`."""
    try:
        day = date.fromisoformat(text)
        if day.isoformat() != text:  # another ISO form, such as 2026-W05-6
            raise ValueError(text)  # noqa: TRY301  same sentence as any other wrong form
    except ValueError as error:
        raise FieldInvalid("day must be a date such as 2026-01-31", field="day") from error
    return day


def _known(text: str) -> UUID:
    return known_id(text, "close")
