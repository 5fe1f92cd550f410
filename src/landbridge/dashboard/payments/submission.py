"""Submission of a payment form to the API, for real or as a dry run."""

from collections.abc import Mapping, Sequence
from typing import Final

from landbridge.dashboard.page_request import Form
from landbridge.dashboard.payments.kinds import PaymentFormKind
from landbridge.dashboard.payments.payment_details import PaymentReply
from landbridge.platform.core.errors import FieldInvalid, Refused
from landbridge.platform.http.internal_client import InternalClient
from landbridge.sandbox.outcomes_api import OutcomeReply, OutcomesReply

HEADER: Final = "Landbridge-Sandbox"
ALREADY_USED: Final = "TRANSACTION_REQUEST_ALREADY_EXISTS"


async def create(
    interface: InternalClient,
    kind: PaymentFormKind,
    body: Mapping[str, object],
    *,
    plan: str | None,
    is_dry: bool = False,
) -> PaymentReply:
    """Send the create request; `is_dry` writes nothing. Refusals name inputs of the form."""
    return await interface.submit(
        PaymentReply,
        kind.path,
        body,
        query={"dryRun": "true"} if is_dry else {},
        headers={HEADER: plan} if plan else {},
    )


def with_form_fields(kind: PaymentFormKind, error: Refused) -> Refused:
    """Return the refusal with its API field replaced by the form's input."""
    if error.field is not None:
        head = error.field.partition("[")[0]
        error.field = kind.fields.get(error.field) or kind.fields.get(head) or error.field
    elif error.name == "INSUFFICIENT_BALANCE":
        error.field = "amount"
    return error


async def outcomes(
    interface: InternalClient, kind: PaymentFormKind
) -> Mapping[str, Sequence[OutcomeReply]]:
    """Return the sandbox outcomes of this kind of payment, by step."""
    reply = await interface.read(OutcomesReply, "/v2/sandbox/outcomes")
    found: dict[str, list[OutcomeReply]] = {}
    for each in reply.outcomes:
        if kind.transfer_type in each.transfer_types:
            found.setdefault(each.step, []).append(each)
    return found


def plan_of(form: Form) -> str | None:
    """Return the chosen outcomes of `forced.<step>` and `delay.<step>` as a header value."""
    parts: list[str] = []
    for name in form.fields:
        step = name.removeprefix("forced.")
        outcome = form.text(name)
        if step == name or not outcome:
            continue
        delay = form.text(f"delay.{step}")
        parts.append(f"{step}={outcome}" + (f":{delay}" if delay else ""))
    plan = "; ".join(parts)
    if not plan.isascii() or not plan.isprintable():
        raise FieldInvalid("Enter a delay, for example 3d.", field="forced")
    return plan or None
