"""The inbox of payments that wait for an admin, and each of them with its votes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.approvals.model import COMMENT_LENGTH_MAX
from landbridge.core.errors import Busy, FieldInvalid, Refused
from landbridge.dashboard.approvals.payment_cards import RESOLUTION, PaymentCard, payment_cards
from landbridge.dashboard.approvals.resolution_pages import account_texts
from landbridge.dashboard.asker_names import Askers
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.queries import PAGE_SIZE, asked, listed
from landbridge.dashboard.visitors import PageRequest, Visitor
from landbridge.dashboard.words import later
from landbridge.web.inside import Interface

# What one can look for; `waiting` if nothing was chosen.
_SHOWN: Final[Mapping[str, Sequence[str]]] = {
    "waiting": ["PENDING"],
    "decided": ["APPROVED", "REJECTED", "EXPIRED"],
    "approved": ["APPROVED"],
    "rejected": ["REJECTED"],
    "expired": ["EXPIRED"],
}
# What a vote's text is called by the interface, and so which votes there are.
_VOTES: Final[Mapping[str, str]] = {"approve": "comment", "reject": "reason"}
_SAID: Final[Mapping[str, str]] = {
    "APPROVED": later("Approved."),
    "REJECTED": later("Rejected."),
    "PENDING": later("Your vote counts. More votes are needed."),
}
_UNPROCESSABLE = 422


@dataclass(frozen=True, slots=True)
class Decided:
    """What became of one of the payments that were chosen: its status, or why not.

    Without either the service was busy.
    """

    approval: Any
    status: str | None
    refusal: str | None


class ApprovalPages(Controller):
    """`/dashboard/approvals`."""

    path = "/approvals"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        askers: NamedDependency[Askers],
    ) -> Page:
        """Those that wait, or were decided, newest first."""
        values = await _inbox(request, interface, askers)
        status = _UNPROCESSABLE if values["wrong"] else 200
        return renderer.page(request, "approvals/list.html", status=status, **values)

    @post("/")
    async def vote_on_several(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        askers: NamedDependency[Askers],
    ) -> Page:
        """The same vote on each that was chosen; each is decided by itself."""
        form = await read_form(request)
        chosen = [each for each in dict.fromkeys(form.texts("approval")) if each][:PAGE_SIZE]
        try:
            verb = _verb_for(form, chosen)
        except FieldInvalid as problem:
            values = await _inbox(request, interface, askers)
            values |= {"chosen": chosen, "comment": form.text("comment")}
            return renderer.again(request, "approvals/list.html", problem, **values)
        decided = [
            await _decide(interface, each, verb, form.text("comment") or None) for each in chosen
        ]
        told = [each.approval for each in decided if each.approval is not None]
        wanted = [(each["type"], each["transferId"]) for each in told]
        values: dict[str, Any] = await _inbox(request, interface, askers)
        values |= {"decided": decided, "decided_cards": await payment_cards(interface, wanted)}
        return renderer.page(request, "approvals/list.html", **values)

    @get("/{approval_id:str}")
    async def show(
        self,
        request: PageRequest,
        approval_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        askers: NamedDependency[Askers],
    ) -> Page:
        """One, with its votes and what was said."""
        values = await _one(request, interface, askers, approval_id)
        return renderer.page(request, "approvals/one.html", **values)

    @post("/{approval_id:str}")
    async def vote(
        self,
        request: PageRequest,
        approval_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        askers: NamedDependency[Askers],
    ) -> Page:
        """Approve or reject it."""
        form = await read_form(request)
        try:
            verb = _verb(form)
            body = {_VOTES[verb]: form.maybe("comment")}
            path = f"/v2/transfer-approvals/{approval_id}/{verb}"
            status = (await interface.post(path, body))["status"]
        except Refused as error:
            values = await _one(request, interface, askers, approval_id)
            problem = _about_comment(error)
            values["comment"] = form.text("comment")
            return renderer.again(request, "approvals/one.html", problem, **values)
        return go(f"/dashboard/approvals/{approval_id}", said=_SAID[status])


async def _inbox(request: PageRequest, interface: Interface, askers: Askers) -> dict[str, Any]:
    """What the list shows, by the filters in the address."""
    told, visitor = asked(request, "show", "mine"), request.user
    shown = told.text("show") if told.text("show") in _SHOWN else "waiting"
    found, wrong = await listed(
        interface.get(
            "/v2/approvals",
            status=_SHOWN[shown],
            initiatorProfileId=str(visitor.caller.id) if told.text("mine") else None,
            limit=PAGE_SIZE,
            cursor=told.cursor,
        ),
        {"approvals": [], "count": 0, "nextCursor": None},
    )
    approvals = found["approvals"]
    wanted = [(each["transferType"], each["transferId"]) for each in approvals]
    cards = await payment_cards(interface, wanted)
    is_full = found["count"] == PAGE_SIZE
    return {
        "approvals": approvals,
        "cards": cards,
        "names": await askers.names(visitor.caller.org_id),
        "votable": {
            each["id"]
            for each in approvals
            if may_vote(each, visitor) and _is_shown(each, cards.get(each["transferId"]))
        },
        "asked": told,
        "shown": shown,
        "older": told.older(found["nextCursor"]) if is_full else None,
        "wrong": wrong,
        "chosen": [],
        "comment": "",
        "decided": [],
        "decided_cards": {},
    }


async def _one(
    request: PageRequest, interface: Interface, askers: Askers, approval_id: str
) -> dict[str, Any]:
    """What the page of one shows."""
    approval = await interface.get(f"/v2/approvals/{approval_id}")
    kind, transfer_id = approval["transferType"], approval["transferId"]
    cards = await payment_cards(interface, [(kind, transfer_id)])
    card = cards.get(transfer_id)
    has_account = card and card.resolution and card.resolution["accountId"]
    return {
        "approval": approval,
        "card": card,
        "accounts": await account_texts(interface, card) if has_account else {},
        "names": await askers.names(request.user.caller.org_id),
        "is_votable": may_vote(approval, request.user) and _is_shown(approval, card),
        "comment": "",
    }


async def _decide(
    interface: Interface, approval_id: str, verb: str, comment: str | None
) -> Decided:
    """Vote on one; what is refused is told, and stops none of the others."""
    approval = None
    try:
        approval = _short(await interface.get(f"/v2/approvals/{approval_id}"))
        path = f"/v2/transfer-approvals/{approval['id']}/{verb}"
        answered = await interface.post(path, {_VOTES[verb]: comment})
    except Refused as error:
        return Decided(approval, None, error.message)
    except Busy:
        return Decided(approval, None, None)
    return Decided(approval, answered["status"], None)


def may_vote(approval: Any, visitor: Visitor) -> bool:
    """Whether a vote is offered; whether it counts is decided when it is cast."""
    own_id = str(visitor.caller.id)
    return (
        visitor.is_admin
        and not visitor.caller.is_org_frozen
        and approval["status"] == "PENDING"
        and approval["initiatorProfileId"] != own_id
        and all(each["approverId"] != own_id for each in approval["votes"])
    )


def _is_shown(approval: Any, card: PaymentCard | None) -> bool:
    """Whether a decision on a payment can be seen: nobody approves what they can't see."""
    return card is not None or approval["transferType"] != RESOLUTION


def _short(approval: Any) -> dict[str, str]:
    return {
        "id": approval["id"],
        "type": approval["transferType"],
        "transferId": approval["transferId"],
    }


def _verb(form: Form) -> str:
    verb = form.text("vote")
    if verb not in _VOTES:
        raise FieldInvalid("Choose to approve or to reject.", field="comment")
    return verb


def _verb_for(form: Form, chosen: Sequence[str]) -> str:
    """The vote on all that were chosen; raises `FieldInvalid` for what none of them would take."""
    if not chosen:
        raise FieldInvalid("Choose at least one payment first.")
    if len(form.text("comment")) > COMMENT_LENGTH_MAX:
        sentence = f"A comment has at most {COMMENT_LENGTH_MAX} characters."
        raise FieldInvalid(sentence, field="comment")
    return _verb(form)


def _about_comment(error: Refused) -> Refused:
    """The same refusal, about the field as the page calls it."""
    if isinstance(error, FieldInvalid):
        return FieldInvalid(error.message, field="comment")
    return error
