"""Making a payment, or trying it first: what goes to the interface and what comes of it."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final, cast

import msgspec

from landbridge.core.errors import FieldInvalid, Refused
from landbridge.dashboard.forms import Form
from landbridge.dashboard.payments.kinds import Kind
from landbridge.web.inside import Interface
from landbridge.web.reply import encode

HEADER: Final = "Landbridge-Sandbox"
ALREADY_USED: Final = "TRANSACTION_REQUEST_ALREADY_EXISTS"
_decoder = msgspec.json.Decoder(Any, float_hook=Decimal)


async def create(
    interface: Interface,
    kind: Kind,
    body: Mapping[str, Any],
    *,
    plan: str | None,
    is_dry: bool = False,
) -> Mapping[str, Any]:
    """What the create answers; `is_dry` writes nothing. Refusals name inputs of ours."""
    headers = {"content-type": "application/json"} | ({HEADER: plan} if plan else {})
    answer = await interface.send(
        "POST",
        kind.path,
        query={"dryRun": "true"} if is_dry else {},
        body=encode(body),
        headers=headers,
    )
    return cast("Mapping[str, Any]", _decoder.decode(answer.body))


def on_our_inputs(kind: Kind, error: Refused) -> Refused:
    """The refusal, about the input that a page of ours has for it."""
    if error.field is not None:
        head = error.field.partition("[")[0]
        error.field = kind.fields.get(error.field) or kind.fields.get(head) or error.field
    elif error.name == "INSUFFICIENT_BALANCE":
        error.field = "amount"
    return error


async def outcomes(interface: Interface, kind: Kind) -> Mapping[str, Sequence[Mapping[str, Any]]]:
    """What a sandbox can make of the steps of this kind, by step."""
    told = await interface.get("/v2/sandbox/outcomes")
    found: dict[str, list[Mapping[str, Any]]] = {}
    for each in told["outcomes"]:
        if kind.transfer_type in each["transferTypes"]:
            found.setdefault(each["step"], []).append(each)
    return found


def plan_of(form: Form) -> str | None:
    """The plan that was chosen: `forced.<step>` and `delay.<step>`."""
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
        raise FieldInvalid("Write a delay as in 3d.", field="forced")
    return plan or None
