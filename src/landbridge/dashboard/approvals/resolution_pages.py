"""Resolutions: the list, and for each payment what can be decided on it and what was."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final

from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.core.errors import FieldInvalid, Refused
from landbridge.core.ids import as_uuid
from landbridge.dashboard.approvals.payment_cards import PaymentCard, payment_cards
from landbridge.dashboard.asker_names import Askers
from landbridge.dashboard.forms import Form, new_request_id, read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.payments.choices import account_text
from landbridge.dashboard.payments.holdings import accounts_of
from landbridge.dashboard.queries import PAGE_SIZE, asked, listed
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later
from landbridge.web.inside import Interface

_SHOWN: Final[Mapping[str, Sequence[str]]] = {
    "waiting": ["PENDING_APPROVAL"],
    "decided": ["APPROVED", "COMPLETED", "VOID", "REJECTED", "EXPIRED"],
}
# Those of which a payment has at most one, and none can be requested meanwhile.
_OPEN: Final = frozenset({"PENDING_APPROVAL", "APPROVED"})
# Where the order is a bank's, which has no transaction hash; all others are a chain's.
_BANK_ORDERS: Final = frozenset(
    {
        ("OFFRAMP", "FIAT_INITIATED"),
        ("OFFRAMP", "FIAT_PENDING"),
        ("ONRAMP", "FIAT_FAILED"),
        ("ONRAMP", "CRYPTO_FAILED"),
    }
)
# What may be told beside the action and its evidence, if anything was typed.
_FURTHER: Final = ("transactionHash", "address", "accountId")
_RESOLUTIONS, _HERE = "/v2/reviews/resolutions", "/dashboard/reviews/resolutions"
_ONE = "approvals/resolution.html"
_UNPROCESSABLE = 422


class ResolutionPages(Controller):
    """`/dashboard/reviews/resolutions`."""

    path = "/reviews/resolutions"

    @get("/")
    async def page(
        self,
        request: PageRequest,
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        askers: NamedDependency[Askers],
    ) -> Page:
        """Those that wait for an approval, or were decided, newest first."""
        query = asked(request, "show")
        shown = query.text("show") if query.text("show") in _SHOWN else "waiting"
        found, wrong = await listed(
            interface.get(_RESOLUTIONS, status=_SHOWN[shown], limit=PAGE_SIZE, cursor=query.cursor),
            {"resolutions": [], "count": 0, "nextCursor": None},
        )
        payments = {(each["transferType"], each["transferId"]) for each in found["resolutions"]}
        is_full = found["count"] == PAGE_SIZE
        return renderer.page(
            request,
            "approvals/resolutions.html",
            status=_UNPROCESSABLE if wrong else 200,
            resolutions=found["resolutions"],
            cards=await payment_cards(interface, payments),
            names=await askers.names(request.user.caller.org_id),
            asked=query,
            shown=shown,
            older=query.older(found["nextCursor"]) if is_full else None,
            wrong=wrong,
        )

    @get("/{transfer_id:str}")
    async def show(
        self,
        request: PageRequest,
        transfer_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        askers: NamedDependency[Askers],
    ) -> Page:
        """One payment, what can be decided on it, and its resolutions so far."""
        values = await _values(request, interface, askers, transfer_id)
        return renderer.page(request, _ONE, **values)

    @post("/{transfer_id:str}")
    async def request(
        self,
        request: PageRequest,
        transfer_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
        askers: NamedDependency[Askers],
    ) -> Page:
        """Request a resolution; sent twice, it is requested once."""
        form = await read_form(request)
        try:
            await interface.post(_RESOLUTIONS, _body(form, transfer_id))
        except Refused as problem:
            values = await _values(request, interface, askers, transfer_id, form)
            return renderer.again(request, _ONE, problem, **values)
        said = later("Resolution requested. It waits for the approval of a second person.")
        return go(f"{_HERE}/{transfer_id}", said=said)


def _body(form: Form, transfer_id: str) -> Mapping[str, str]:
    """What the interface is asked; raises `FieldInvalid` where no action was chosen."""
    if not form.text("action"):
        raise FieldInvalid("Choose what is to be done.", field="action")
    return {
        "requestId": str(form.uuid("requestId")),
        "transferId": transfer_id,
        "action": form.text("action"),
        "evidence": form.text("evidence"),
        **{name: form.text(name) for name in _FURTHER if form.text(name)},
    }


async def _values(
    request: PageRequest,
    interface: Interface,
    askers: Askers,
    transfer_id: str,
    typed: Form | None = None,
) -> dict[str, Any]:
    """What the page of one payment shows; raises `TransactionNotFound`."""
    found = await interface.get(f"{_RESOLUTIONS}/actions/{transfer_id}")
    form = typed or Form()
    resolutions = found["resolutions"]
    cards, approvals, names = await asyncio.gather(
        payment_cards(interface, [(found["transferType"], found["transferId"])]),
        _approvals(interface, resolutions),
        askers.names(request.user.caller.org_id),
    )
    card = cards.get(found["transferId"])
    is_fiat_refund = found["transferType"] == "ONRAMP"
    wants_account = any(each["accountId"] for each in resolutions) or (
        is_fiat_refund and any(each["action"] == "REDIRECT" for each in found["actions"])
    )
    return {
        "found": found,
        "actions": [each["action"] for each in found["actions"]],
        "resolutions": resolutions,
        "open": next((each for each in resolutions if each["status"] in _OPEN), None),
        "card": card,
        "approvals": approvals,
        "names": names,
        "accounts": await account_texts(interface, card) if wants_account else {},
        "is_fiat_refund": is_fiat_refund,
        "has_hash": (found["transferType"], found["status"]) not in _BANK_ORDERS,
        "typed": form,
        # One that was refused stays as it is, so that it is never done twice.
        "request_id": as_uuid(form.text("requestId")) or new_request_id(),
    }


async def _approvals(
    interface: Interface, resolutions: Sequence[Mapping[str, Any]]
) -> Mapping[str, Any]:
    """The approvals of resolutions with their votes, by resolution."""
    ids = [each["approvalId"] for each in resolutions if each["approvalId"]]
    found = await asyncio.gather(*(interface.get(f"/v2/approvals/{each}") for each in ids))
    return {each["transferId"]: each for each in found}


async def account_texts(interface: Interface, card: PaymentCard | None) -> Mapping[str, str]:
    """Bank accounts that a payment's user is paid on, each in one line, by id."""
    if card is None or card.payer_id is None:
        return {}
    try:
        accounts = await accounts_of(interface, card.payer_id, "offramp")
    except Refused:
        return {}
    return {each["accountId"]: account_text(each) for each in accounts}
