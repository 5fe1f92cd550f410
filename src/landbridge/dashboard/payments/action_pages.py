"""Actions on a payment: accept, refresh or renew its quote, cancel or withdraw it, and more."""

from collections.abc import Mapping

from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from landbridge.dashboard.page_request import Form, Page, PageRequest, read_form, redirect
from landbridge.dashboard.payments.kinds import PaymentFormKind, find_kind_by_type
from landbridge.dashboard.payments.payment_details import PaymentReply, read_payment
from landbridge.dashboard.transactions.repeat_links import repeat_link
from landbridge.ledger.errors import TransactionNotFound
from landbridge.payments.approvals.voting import Voting
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.formats.translations import later as _
from landbridge.platform.http.path_params import known_id


class PaymentActions(Controller):
    """`/dashboard/transactions/{id}/…`: posts only; the page of the payment has the buttons."""

    path = "/transactions/{payment_id:str}"

    @post("/accept")
    async def accept(self, request: PageRequest, payment_id: FromPath[str]) -> Page:
        """Accept the quote."""
        action = PaymentAction(request, payment_id)
        return await action.call("accept", notice=_("Quote accepted"))

    @post("/refresh")
    async def refresh(self, request: PageRequest, payment_id: FromPath[str]) -> Page:
        """Refresh the quote."""
        action = PaymentAction(request, payment_id)
        return await action.call("refresh", notice=_("Quote refreshed"))

    @post("/renew")
    async def renew(self, request: PageRequest, payment_id: FromPath[str]) -> Page:
        """Quote an expired payment again, and show the new one."""
        action = PaymentAction(request, payment_id)
        return await action.call("renew", notice=_("Quoted again"))

    @post("/cancel")
    async def cancel(self, request: PageRequest, payment_id: FromPath[str]) -> Page:
        """Cancel a payment that is in review."""
        action = PaymentAction(request, payment_id)
        return await action.call("cancel", notice=_("Payment cancelled"))

    @post("/withdraw")
    async def withdraw(
        self, request: PageRequest, payment_id: FromPath[str], voting: NamedDependency[Voting]
    ) -> Page:
        """Withdraw the visitor's own payment that awaits approval."""
        return await PaymentAction(request, payment_id).withdraw(voting)

    @post("/deposit")
    async def deposit(self, request: PageRequest, payment_id: FromPath[str]) -> Page:
        """Simulate the expected deposit or a deviating one; sandbox only."""
        action = PaymentAction(request, payment_id)
        return await action.deposit()


class PaymentAction:
    """An action on one payment; a refusal is shown on the payment's page."""

    def __init__(self, request: PageRequest, payment_id: str) -> None:
        self._request = request
        self._interface = request.interface
        self._id = known_id(payment_id, "transaction", TransactionNotFound)

    async def call(self, name: str, *, notice: str) -> Page:
        """Call the API action `name` of the payment."""
        form = await read_form(self._request)
        kind = find_kind_by_type(form.text("kind"))
        segment: str = getattr(kind, name)
        if not segment:
            raise FieldInvalid("This action is not available for this payment type.", field="kind")
        try:
            reply = await self._interface.submit(PaymentReply, f"{kind.path}/{self._id}/{segment}")
        except Refused as error:
            return await self._with_problem(kind, form, error)
        return _redirect(reply.transfer_details.id, notice)

    async def withdraw(self, voting: Voting) -> Page:
        """Withdraw the request for the payment's approval."""
        form = await read_form(self._request)
        kind = find_kind_by_type(form.text("kind"))
        try:
            await voting.withdraw(self._request.user.caller, self._id)
        except Refused as error:
            return await self._with_problem(kind, form, error)
        return _redirect(self._id, _("Payment withdrawn"))

    async def deposit(self) -> Page:
        """Send the simulated deposit of the form to the sandbox API."""
        form = await read_form(self._request)
        kind = find_kind_by_type(form.text("kind"))
        if not kind.deposit:
            raise FieldInvalid("This payment is not awaiting a deposit.", field="kind")
        try:
            await self._interface.post(f"{kind.deposit}/{self._id}/deposit", _deposit(form))
        except Refused as error:
            return await self._with_problem(kind, form, error)
        return _redirect(self._id, _("Deposit simulated"))

    async def _with_problem(self, kind: PaymentFormKind, form: Form, error: Refused) -> Page:
        payment = await read_payment(self._interface, kind.transfer_type, self._id)
        return self._request.with_problem(
            "payments/refused.html",
            error,
            payment=payment,
            repeat=repeat_link(kind.transfer_type, payment.transfer_details),
            kind=kind.transfer_type,
            form=form,
        )


def _redirect(payment_id: object, notice: str) -> Page:
    return redirect(f"/dashboard/transactions/{payment_id}", notice=notice)


def _deposit(form: Form) -> Mapping[str, str]:
    """Return the deposit's body; omitted fields take the expected values."""
    fields = {
        "amount": form.number("amount") or None,
        "paymentRail": form.maybe("paymentRail"),
        "reference": "" if form.is_ticked("forgets") else None,
    }
    return {name: value for name, value in fields.items() if value is not None}
