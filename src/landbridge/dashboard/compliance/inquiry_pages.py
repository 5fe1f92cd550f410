"""Inquiries of the travel rule: those of other providers, which people answer, and ours."""

from collections.abc import Mapping
from typing import Final

from litestar import Controller, get, post
from litestar.params import FromPath

from landbridge.customers.travel_exchanges.api import (
    ExchangeList,
    ExchangeMessageReply,
    ExchangeReply,
)
from landbridge.customers.travel_exchanges.model import ExchangeDirection, ExchangeStatus
from landbridge.dashboard.json_text import pretty
from landbridge.dashboard.page_request import Page, PageRequest, read_form, redirect
from landbridge.platform.core.errors import Refused, ResourceNotFound, RoleNotAllowed
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient

_API: Final = "/v2/travel-rule/exchanges"
_HOME: Final = "/dashboard/inquiries"
_TEMPLATE: Final = "compliance/inquiry.html"
# By direction and status, in words.
STATES: Final[Mapping[tuple[str, str], str]] = {
    (ExchangeDirection.OUTGOING, ExchangeStatus.OPEN): _("The other provider has not answered"),
    (ExchangeDirection.OUTGOING, ExchangeStatus.APPROVED): _("The other provider approved it"),
    (ExchangeDirection.OUTGOING, ExchangeStatus.REJECTED): _("The other provider rejected it"),
    (ExchangeDirection.OUTGOING, ExchangeStatus.CONFIRMED): _("Approved, sent and confirmed"),
    (ExchangeDirection.OUTGOING, ExchangeStatus.CANCELLED): _("Nothing was sent"),
    (ExchangeDirection.INCOMING, ExchangeStatus.OPEN): _("Waits for your answer"),
    (ExchangeDirection.INCOMING, ExchangeStatus.APPROVED): _("Approved: waits for the coins"),
    (ExchangeDirection.INCOMING, ExchangeStatus.REJECTED): _("Rejected"),
    (ExchangeDirection.INCOMING, ExchangeStatus.CONFIRMED): _("The other provider sent the coins"),
    (ExchangeDirection.INCOMING, ExchangeStatus.CANCELLED): _("The other provider sends nothing"),
}
# What the other provider does not have yet.
PENDING: Final[Mapping[str, str]] = {
    "INQUIRY": _("The inquiry has not arrived yet, and is sent again"),
    "RESOLUTION": _("The answer has not arrived yet, and is sent again"),
    "CONFIRMATION": _("The confirmation has not arrived yet, and is sent again"),
}
# Problems of sending, as the worker stores them.
PROBLEMS: Final[Mapping[str, str]] = {
    "the answer was not valid": _("The other provider's answer was not valid."),
    "no connection could be made": _("No connection could be made."),
    "the name does not resolve": _("The name does not resolve."),
}


def exchange_state(exchange: ExchangeReply) -> str:
    """Return the state of an exchange in words, to be translated."""
    return STATES[exchange.direction, exchange.status]


class InquiryPages(Controller):
    """`/dashboard/inquiries`."""

    path = "/inquiries"

    @get("/")
    async def page(self, request: PageRequest) -> Page:
        """List the newest inquiries in both directions, or those that wait for an answer here."""
        shows_open = request.query_params.get("show") == "open"
        filters = {"direction": "INCOMING", "status": "OPEN"} if shows_open else {}
        found = (await request.interface.read(ExchangeList, _API, **filters)).exchanges
        return request.page(
            "compliance/inquiries.html",
            exchanges=found,
            state_of=exchange_state,
            show="open" if shows_open else "all",
        )

    @get("/{exchange_id:str}")
    async def show(self, request: PageRequest, exchange_id: FromPath[str]) -> Page:
        """Show one inquiry with its data, and the forms to answer it."""
        values = await _values(request.interface, exchange_id)
        return request.page(_TEMPLATE, **values)

    @post("/{exchange_id:str}/approve")
    async def approve(self, request: PageRequest, exchange_id: FromPath[str]) -> Page:
        """Approve the inquiry of another provider."""
        form = await read_form(request)
        address = form.text("walletAddress")
        body = {"walletAddress": address} if address else {}
        try:
            await request.interface.post(f"{_API}/{exchange_id}/approve", body)
        except Refused as problem:
            values = await _values(request.interface, exchange_id)
            return request.with_problem(_TEMPLATE, problem, **values)
        return redirect(f"{_HOME}/{exchange_id}", notice=_("Inquiry approved"))

    @post("/{exchange_id:str}/reject")
    async def reject(self, request: PageRequest, exchange_id: FromPath[str]) -> Page:
        """Reject the inquiry of another provider."""
        form = await read_form(request)
        try:
            await request.interface.post(
                f"{_API}/{exchange_id}/reject", {"comment": form.text("comment")}
            )
        except Refused as problem:
            values = await _values(request.interface, exchange_id)
            return request.with_problem(_TEMPLATE, problem, **values)
        return redirect(f"{_HOME}/{exchange_id}", notice=_("Inquiry rejected"))


async def _values(interface: InternalClient, exchange_id: str) -> dict[str, object]:
    found = await interface.read(ExchangeReply, f"{_API}/{exchange_id}")
    try:
        # Numbers as they were sent: some are no numbers of Python's own JSON.
        found_message = await interface.read(ExchangeMessageReply, f"{_API}/{exchange_id}/message")
        message = pretty(found_message.ivms101)
    except (RoleNotAllowed, ResourceNotFound):
        message = None
    return {
        "exchange": found,
        "state": exchange_state(found),
        "pending_labels": PENDING,
        "problem_labels": PROBLEMS,
        "message": message,
        "is_waiting": (found.direction, found.status) == ("INCOMING", "OPEN"),
    }
