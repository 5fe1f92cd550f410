"""Pages of payments awaiting approval, and of each approval with its votes."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from litestar import Controller, get, post
from litestar.params import FromPath

from landbridge.dashboard.approvals.payment_cards import RESOLUTION, PaymentCard, payment_cards
from landbridge.dashboard.approvals.resolution_pages import account_texts
from landbridge.dashboard.list_queries import PAGE_SIZE, load_list, read_list_query
from landbridge.dashboard.number_formats import NumberFormat
from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.dashboard.page_visitor import PageVisitor, renew_counts
from landbridge.dashboard.payment_lines import currency_name, payment_lines
from landbridge.payments.approvals.api import ApprovalVoteReply
from landbridge.payments.approvals.inbox_api import ListedApproval, ListedApprovalPage
from landbridge.payments.approvals.model import COMMENT_LENGTH_MAX
from landbridge.payments.transactions.schemas import TransactionReply
from landbridge.platform.core.errors import Busy, FieldInvalid, Refused
from landbridge.platform.formats.translations import later
from landbridge.platform.http.internal_client import InternalClient

_API: Final = "/v2/approvals"
# Status filters; `waiting` is the default.
_STATUS_FILTERS: Final[Mapping[str, Sequence[str]]] = {
    "waiting": ["PENDING"],
    "decided": ["APPROVED", "REJECTED", "EXPIRED"],
    "approved": ["APPROVED"],
    "rejected": ["REJECTED"],
    "expired": ["EXPIRED"],
}
# API field of the comment for each vote.
_VOTES: Final[Mapping[str, str]] = {"approve": "comment", "reject": "reason"}
_VOTE_NOTICES: Final[Mapping[str, str]] = {
    "APPROVED": later("Approved"),
    "REJECTED": later("Rejected"),
    "PENDING": later("Vote recorded. More votes are needed."),
}


@dataclass(frozen=True, slots=True)
class ApprovalResult:
    """Result of a vote on one of several payments: its new status, or the refusal.

    Neither is set if the service was busy.
    """

    approval: ListedApproval | None
    status: str | None
    refusal: str | None


@dataclass(frozen=True, slots=True)
class SelectableAmount:
    """Amount of a row that can be selected: its digits, for a script that adds them exactly."""

    digits: str
    currency: str

    @classmethod
    def of(
        cls, line: TransactionReply | None, card: PaymentCard | None
    ) -> "SelectableAmount | None":
        """Return what the row shows as sent; None if the payment is not visible."""
        if line is not None:
            amount, unit = line.source.amount, line.source.currency
        elif card is not None and card.amount:
            amount, unit = card.amount, card.unit
        else:
            return None
        return cls(f"{Decimal(str(amount)):f}", currency_name(unit.partition(" ")[0]))


class ApprovalPages(Controller):
    """`/dashboard/approvals`."""

    path = "/approvals"

    @get("/")
    async def page(self, request: PageRequest) -> Page:
        """List pending or decided approvals, newest first."""
        return request.page("approvals/list.html", **await _inbox(request))

    @post("/")
    async def vote_on_several(self, request: PageRequest) -> Page:
        """Cast the same vote on each chosen payment, independently."""
        form = await read_form(request)
        chosen = [each for each in dict.fromkeys(form.texts("approval")) if each][:PAGE_SIZE]
        try:
            verb = _bulk_verb(form, chosen)
        except FieldInvalid as problem:
            values = await _inbox(request)
            values |= {"chosen": chosen, "comment": form.text("comment")}
            return request.with_problem("approvals/list.html", problem, **values)
        results = [
            await _vote(request.interface, each, verb, form.text("comment") or None)
            for each in chosen
        ]
        await renew_counts(request)
        approvals = [each.approval for each in results if each.approval is not None]
        payments = [(each.transfer_type, each.transfer_id) for each in approvals]
        values = await _inbox(request)
        values |= {
            "results": results,
            "result_cards": await payment_cards(request.interface, payments),
        }
        return request.page("approvals/list.html", **values)

    @get("/{approval_id:str}")
    async def show(self, request: PageRequest, approval_id: FromPath[str]) -> Page:
        """Show one approval with its votes and comments."""
        return request.page("approvals/one.html", **await _approval_values(request, approval_id))

    @post("/{approval_id:str}")
    async def vote(self, request: PageRequest, approval_id: FromPath[str]) -> Page:
        """Approve or reject it."""
        form = await read_form(request)
        try:
            verb = _verb(form)
            body = {_VOTES[verb]: form.maybe("comment")}
            path = f"/v2/transfer-approvals/{approval_id}/{verb}"
            status = (await request.interface.submit(ApprovalVoteReply, path, body)).status
        except Refused as error:
            values = await _approval_values(request, approval_id)
            problem = _as_comment_error(error)
            values["comment"] = form.text("comment")
            return request.with_problem("approvals/one.html", problem, **values)
        return redirect(f"/dashboard/approvals/{approval_id}", notice=_VOTE_NOTICES[status])


async def _inbox(request: PageRequest) -> dict[str, object]:
    """Return the values of the list, by the filters of the URL."""
    query, visitor = read_list_query(request, "show", "mine"), request.user
    status_filter = query.text("show") if query.text("show") in _STATUS_FILTERS else "waiting"
    found, filter_error = await load_list(
        request.interface.read(
            ListedApprovalPage,
            _API,
            status=_STATUS_FILTERS[status_filter],
            initiatorProfileId=str(visitor.caller.id) if query.text("mine") else None,
            limit=PAGE_SIZE,
            cursor=query.cursor,
        ),
        ListedApprovalPage(count=0, approvals=[]),
    )
    approvals = found.approvals
    payments = [(each.transfer_type, each.transfer_id) for each in approvals]
    cards, lines = await asyncio.gather(
        payment_cards(request.interface, payments),
        payment_lines(request.interface, {each for _, each in payments}),
    )
    is_full = found.count == PAGE_SIZE
    return {
        "approvals": approvals,
        "amounts": {
            each.id: SelectableAmount.of(lines.get(each.transfer_id), cards.get(each.transfer_id))
            for each in approvals
        },
        "cards": cards,
        "lines": lines,
        "names": await request.actor_names(),
        "votable": {
            each.id
            for each in approvals
            if may_vote(each, visitor) and _is_visible(each, cards.get(each.transfer_id))
        },
        "list_query": query,
        "status_filter": status_filter,
        "older": query.older(found.next_cursor) if is_full else None,
        "filter_error": filter_error,
        "number_format": NumberFormat.of(visitor.language),
        "chosen": [],
        "comment": "",
        "results": [],
        "result_cards": {},
    }


async def _approval_values(request: PageRequest, approval_id: str) -> dict[str, object]:
    """Return the values of one approval's page."""
    approval = await request.interface.read(ListedApproval, f"{_API}/{approval_id}")
    kind, transfer_id = approval.transfer_type, approval.transfer_id
    cards = await payment_cards(request.interface, [(kind, transfer_id)], with_history=True)
    card = cards.get(transfer_id)
    lines = await payment_lines(request.interface, {transfer_id})
    has_account = card and card.resolution and card.resolution.account_id
    return {
        "approval": approval,
        "card": card,
        "line": lines.get(transfer_id),
        "accounts": (
            await account_texts(request.interface, card, request.user.language)
            if has_account
            else {}
        ),
        "names": await request.actor_names(),
        "is_votable": may_vote(approval, request.user) and _is_visible(approval, card),
        "comment": "",
    }


async def _vote(
    interface: InternalClient, approval_id: str, verb: str, comment: str | None
) -> ApprovalResult:
    """Vote on one payment; a refusal is returned, so that the other votes continue."""
    approval = None
    try:
        approval = await interface.read(ListedApproval, f"{_API}/{approval_id}")
        path = f"/v2/transfer-approvals/{approval.id}/{verb}"
        vote = await interface.submit(ApprovalVoteReply, path, {_VOTES[verb]: comment})
    except Refused as error:
        return ApprovalResult(approval, None, error.message)
    except Busy:
        return ApprovalResult(approval, None, None)
    return ApprovalResult(approval, vote.status, None)


def may_vote(approval: ListedApproval, visitor: PageVisitor) -> bool:
    """Return whether voting is offered; the API decides whether the vote counts."""
    own_id = visitor.caller.id
    return (
        visitor.is_admin
        and not visitor.caller.is_org_frozen
        and approval.status == "PENDING"
        and approval.initiator_profile_id != own_id
        and all(each.approver_id != own_id for each in approval.votes)
    )


def _is_visible(approval: ListedApproval, card: PaymentCard | None) -> bool:
    """Return whether the payment's decision is visible: nobody approves what they cannot see."""
    return card is not None or approval.transfer_type != RESOLUTION


def _verb(form: Form) -> str:
    verb = form.text("vote")
    if verb not in _VOTES:
        raise FieldInvalid("Choose approve or reject.", field="comment")
    return verb


def _bulk_verb(form: Form, chosen: Sequence[str]) -> str:
    """Return the vote on all chosen payments; raise `FieldInvalid` if it is not a vote."""
    if not chosen:
        raise FieldInvalid("Select at least one payment first.", field="approval")
    if len(form.text("comment")) > COMMENT_LENGTH_MAX:
        sentence = f"A comment has at most {COMMENT_LENGTH_MAX} characters."
        raise FieldInvalid(sentence, field="comment")
    return _verb(form)


def _as_comment_error(error: Refused) -> Refused:
    """Return the refusal with the page's name of the field."""
    if isinstance(error, FieldInvalid):
        return FieldInvalid(error.message, field="comment")
    return error
