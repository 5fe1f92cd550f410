"""What can be done with a payment that was begun: accept its quote, renew it, give it up."""

from collections.abc import Mapping
from typing import Any

from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.core.errors import FieldInvalid, Refused
from landbridge.dashboard.forms import Form, read_form
from landbridge.dashboard.pages import Page, Renderer, go
from landbridge.dashboard.payments.kinds import Kind, kind_of_type
from landbridge.dashboard.visitors import PageRequest
from landbridge.dashboard.words import later as _
from landbridge.ledger.errors import TransactionNotFound
from landbridge.web.inside import Interface
from landbridge.web.paths import known_id


class PaymentActions(Controller):
    """`/dashboard/transactions/{id}/…`: posts only; the page of the payment has the buttons."""

    path = "/transactions/{payment_id:str}"

    @post("/accept")
    async def accept(
        self,
        request: PageRequest,
        payment_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Takes the quote."""
        act = Act(request, renderer, interface, payment_id)
        return await act.verb("accept", said=_("The quote was accepted."))

    @post("/refresh")
    async def refresh(
        self,
        request: PageRequest,
        payment_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Makes the quote anew."""
        act = Act(request, renderer, interface, payment_id)
        return await act.verb("refresh", said=_("The quote was made anew."))

    @post("/cancel")
    async def cancel(
        self,
        request: PageRequest,
        payment_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Gives up what is in review."""
        act = Act(request, renderer, interface, payment_id)
        return await act.verb("cancel", said=_("It was cancelled."))

    @post("/deposit")
    async def deposit(
        self,
        request: PageRequest,
        payment_id: FromPath[str],
        renderer: NamedDependency[Renderer],
        interface: NamedDependency[Interface],
    ) -> Page:
        """Lets what is waited for arrive, or something else; in a sandbox only."""
        act = Act(request, renderer, interface, payment_id)
        return await act.deposit()


class Act:
    """Something done with one payment; what is refused is said beside the payment."""

    def __init__(
        self, request: PageRequest, renderer: Renderer, interface: Interface, payment_id: str
    ) -> None:
        self._request = request
        self._renderer = renderer
        self._interface = interface
        self._id = known_id(payment_id, "transaction", TransactionNotFound)

    async def verb(self, name: str, *, said: str) -> Page:
        """Post to the address below the payment that `name` has there."""
        form = await read_form(self._request)
        kind = kind_of_type(form.text("kind"))
        below: str = getattr(kind, name)
        if not below:
            raise FieldInvalid("This kind of payment knows no such step.", field="kind")
        try:
            await self._interface.post(f"{kind.path}/{self._id}/{below}")
        except Refused as error:
            return await self._again(kind, form, error)
        return self._back(said)

    async def deposit(self) -> Page:
        """Post to the sandbox what the form says has arrived."""
        form = await read_form(self._request)
        kind = kind_of_type(form.text("kind"))
        if not kind.deposit:
            raise FieldInvalid("Nothing is waited for here.", field="kind")
        try:
            await self._interface.post(f"{kind.deposit}/{self._id}/deposit", _deposit(form))
        except Refused as error:
            return await self._again(kind, form, error)
        return self._back(_("The deposit was made up."))

    def _back(self, said: str) -> Page:
        return go(f"/dashboard/transactions/{self._id}", said=said)

    async def _again(self, kind: Kind, form: Form, error: Refused) -> Page:
        payment = await self._interface.get(f"{kind.path}/{self._id}")
        return self._renderer.again(
            self._request,
            "payments/refused.html",
            error,
            payment=payment,
            kind=kind.transfer_type,
            form=form,
        )


def _deposit(form: Form) -> Mapping[str, Any]:
    """Left out is what is waited for."""
    told = {
        "amount": form.maybe("amount"),
        "paymentRail": form.maybe("paymentRail"),
        "reference": "" if form.is_ticked("forgets") else None,
    }
    return {name: value for name, value in told.items() if value is not None}
