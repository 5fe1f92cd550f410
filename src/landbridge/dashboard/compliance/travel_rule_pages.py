"""Data about a counterparty wallet that a payment or deposit waits for, and inquiries of others."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from litestar import Controller, get, post
from litestar.params import FromPath
from msgspec import to_builtins

from landbridge.customers.travel_exchanges.api import (
    ExchangeList,
    ExchangeMessageReply,
    ExchangeReply,
)
from landbridge.customers.travel_exchanges.model import ExchangeDirection, ExchangeStatus
from landbridge.customers.travel_rule.api import WaitingTransferList
from landbridge.customers.travel_rule.waiting import WaitingTransferReply
from landbridge.customers.travel_rule.wallet_api import OwnershipChallengeReply, WalletDataReply
from landbridge.dashboard.countries import countries
from landbridge.dashboard.json_text import JsonObject, as_object, pretty
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.dashboard.page_visitor import check_may_edit
from landbridge.dashboard.users.nested_fields import flatten, nest, submitted_values
from landbridge.platform.core.errors import FieldInvalid, Refused, ResourceNotFound, RoleNotAllowed
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.internal_client import InternalClient

_WAITING: Final = "/v2/travel-rule/waiting"
_TEMPLATE: Final = "compliance/travel_rule.html"
KINDS: Final = {
    "SELF_HOSTED": _("Self-hosted: its owner has the keys"),
    "HOSTED": _("Hosted: a provider has the keys"),
}
OWNERS: Final = {"USER": _("The user"), "THIRD_PARTY": _("Another person or business")}
PERSONS: Final = {"individual": _("Individual"), "business": _("Business")}
# What the user's own data lack is entered with the user's data.
_OF_USER: Final = frozenset({"originator.name", "originator.address", "originator.identity"})


@dataclass(frozen=True, slots=True)
class _WaitingTransfer:
    """Transfer that waits, as the API lists it; `user_id` is empty if it is no user's yet."""

    found: WaitingTransferReply
    user_id: str

    @property
    def address(self) -> str:
        """Return the counterparty wallet."""
        if self.found.wallet_address is None:
            raise ResourceNotFound("the chain names no sender of this deposit")
        return self.found.wallet_address

    @property
    def wallet(self) -> str:
        """Return the API's path of the data."""
        if not self.user_id:
            raise FieldInvalid("userId is required", field="userId")
        return f"/v2/users/{self.user_id}/travel-rule-wallets/{self.address}"

    @property
    def origin(self) -> str:
        """Return the page of the payment or of the screened deposit."""
        if self.found.direction == "payment":
            return f"/dashboard/transactions/{self.found.transfer_id}"
        return f"/dashboard/reviews/deposit-screenings/{self.found.screening_id}"


class TravelRulePages(Controller):
    """`/dashboard/travel-rule/{id of a screening}`."""

    path = "/travel-rule/{screening_id:str}"

    @get("/")
    async def show(self, request: PageRequest, screening_id: FromPath[str]) -> Page:
        """Show what is missing, and a form with what is known about the wallet."""
        check_may_edit(request.user)
        waiting = await _find(
            request.interface, screening_id, request.query_params.get("userId", "")
        )
        return await _page(request, waiting)

    @post("/")
    async def save(self, request: PageRequest, screening_id: FromPath[str]) -> Page:
        """State what the wallet is; the payment or deposit is checked again."""
        form = await read_form(request)
        waiting = await _find(request.interface, screening_id, form.text("userId"))
        try:
            await request.interface.put(waiting.wallet, _body(form))
        except Refused as problem:
            entered = submitted_values(form)
            return await _page(request, waiting, entered=entered, problem=problem)
        return redirect(waiting.origin, notice=_("Travel rule data saved. They are checked now."))

    @post("/challenge")
    async def challenge(self, request: PageRequest, screening_id: FromPath[str]) -> Page:
        """Show a message for the owner of the wallet to sign."""
        form = await read_form(request)
        waiting = await _find(request.interface, screening_id, form.text("userId"))
        found = await request.interface.submit(
            OwnershipChallengeReply, f"{waiting.wallet}/challenge", {}
        )
        return await _page(request, waiting, message=found.message)

    @post("/prove")
    async def prove(self, request: PageRequest, screening_id: FromPath[str]) -> Page:
        """Check the signature; the payment or deposit is checked again."""
        form = await read_form(request)
        waiting = await _find(request.interface, screening_id, form.text("userId"))
        try:
            await request.interface.post(
                f"{waiting.wallet}/prove", {"signature": form.text("signature")}
            )
        except Refused as problem:
            return await _page(request, waiting, message=form.raw("message"), problem=problem)
        return redirect(waiting.origin, notice=_("Ownership of the wallet proven"))


async def find_waiting(interface: InternalClient, transfer_id: UUID) -> WaitingTransferReply | None:
    """Return what a payment waits for; None if it does not wait for such data."""
    found = await interface.read(WaitingTransferList, _WAITING)
    return next((each for each in found.transfers if each.transfer_id == transfer_id), None)


async def _find(interface: InternalClient, screening_id: str, user_id: str) -> _WaitingTransfer:
    found = await interface.read(WaitingTransferList, _WAITING)
    for each in found.transfers:
        if str(each.screening_id) == screening_id:
            return _WaitingTransfer(each, str(each.user_id or user_id))
    raise ResourceNotFound("This payment or deposit waits for no data.")


async def _known(interface: InternalClient, waiting: _WaitingTransfer) -> WalletDataReply | None:
    """Return what the user has stated about the wallet; None if nothing."""
    if not waiting.user_id:
        return None
    try:
        return await interface.read(WalletDataReply, waiting.wallet)
    except ResourceNotFound:
        return None


async def _page(
    request: PageRequest,
    waiting: _WaitingTransfer,
    *,
    entered: Mapping[str, str] | None = None,
    message: str = "",
    problem: Refused | None = None,
) -> Page:
    """Return the page with what was entered or is known about the wallet, and a message to sign."""
    known = await _known(request.interface, waiting)
    values = _values(request, waiting, flatten(to_builtins(known)) if entered is None else entered)
    values |= {"message": message, "is_known": known is not None}
    if problem is None:
        return request.page(_TEMPLATE, **values)
    return request.with_problem(_TEMPLATE, problem, **values)


def _values(
    request: PageRequest, waiting: _WaitingTransfer, form_values: Mapping[str, str]
) -> dict[str, object]:
    missing = waiting.found.missing
    return {
        "waiting": waiting.found,
        "user_id": waiting.user_id,
        "address": waiting.address,
        "origin": waiting.origin,
        "form_values": form_values,
        "wallet_kinds": KINDS,
        "owners": OWNERS,
        "persons": PERSONS,
        "countries": countries(request.user.language),
        "needs_proof": "ownershipProof" in missing,
        "lacks_user_data": waiting.found.direction == "payment"
        and not _OF_USER.isdisjoint(missing),
    }


def _body(form: Form) -> JsonObject:
    """Return the body of the request; a person only if something of one was entered."""
    submitted = submitted_values(form)
    body: JsonObject = {
        "kind": form.text("kind"),
        "owner": form.text("owner"),
        **nest(submitted, "vaspName", "travelAddress", "person"),
    }
    # The type is always chosen: alone it is no person.
    if as_object(body.get("person")).keys() == {"type"} and body["owner"] != "THIRD_PARTY":
        del body["person"]
    return body


_API: Final = "/v2/travel-rule/exchanges"
_HOME: Final = "/dashboard/inquiries"
_INQUIRY_TEMPLATE: Final = "compliance/inquiry.html"
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
        values = await _inquiry_values(request.interface, exchange_id)
        return request.page(_INQUIRY_TEMPLATE, **values)

    @post("/{exchange_id:str}/approve")
    async def approve(self, request: PageRequest, exchange_id: FromPath[str]) -> Page:
        """Approve the inquiry of another provider."""
        form = await read_form(request)
        address = form.text("walletAddress")
        body = {"walletAddress": address} if address else {}
        try:
            await request.interface.post(f"{_API}/{exchange_id}/approve", body)
        except Refused as problem:
            values = await _inquiry_values(request.interface, exchange_id)
            return request.with_problem(_INQUIRY_TEMPLATE, problem, **values)
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
            values = await _inquiry_values(request.interface, exchange_id)
            return request.with_problem(_INQUIRY_TEMPLATE, problem, **values)
        return redirect(f"{_HOME}/{exchange_id}", notice=_("Inquiry rejected"))


async def _inquiry_values(interface: InternalClient, exchange_id: str) -> dict[str, object]:
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
