"""Creation in a sandbox: applies the scripted outcomes of a request to its payment."""

from dataclasses import dataclass, replace
from typing import Any

import msgspec
from typing_extensions import override

from landbridge.ledger.model import CreateTransfer, Transfer
from landbridge.payments.engine.create_transfer import (
    CreationOptions,
    DraftBuilder,
    TransferCreation,
    TransferDraft,
)
from landbridge.payments.engine.scripted_outcomes import check_without_orders
from landbridge.payments.limits.errors import LimitExceeded
from landbridge.payments.quotes.errors import QuoteNotReady
from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.core.transitions import Transitions
from landbridge.platform.db.pool import Tx
from landbridge.platform.http.caller import Caller
from landbridge.providers.simulation.outcome_catalog import REVIEWED, OutcomeEffect, ScriptedStep
from landbridge.providers.simulation.outcome_plans import HEADER
from landbridge.providers.simulation.scripted_outcomes import (
    OutcomePlan,
    ScriptedOutcomes,
    add_plan,
)


@dataclass(frozen=True)
class ScriptedTransferCreation(TransferCreation):
    """Creates payments of any flow, and applies the outcome plans of their requests."""

    scripted_outcomes: ScriptedOutcomes

    @override
    async def create(
        self,
        caller: Caller,
        build_draft: DraftBuilder,
        transitions: Transitions[Any],
        options: CreationOptions,
    ) -> Transfer:
        """Create a payment, and store its outcome plan in the same transaction.

        Raises as `TransferCreation.create`, and the error that the plan scripts for the creation.
        """
        plan = self.scripted_outcomes.parse_header(options.request_options.scripted, options.kind)
        if plan is None:
            return await self.create_from_draft(caller, build_draft, transitions, options)
        needs_approval = options.needs_approval or _requires_approval(plan, options.kind)
        request = add_plan(options.request, plan)
        options = replace(options, request=request, needs_approval=needs_approval)

        async def build_scripted(needs_approval: bool) -> TransferDraft:  # noqa: FBT001  as every builder
            draft = await build_draft(needs_approval)
            if not draft.has_orders:
                check_without_orders(plan)
            creation = _apply(
                plan,
                replace(draft.creation, request=request),
                needs_approval=needs_approval,
                is_committed=draft.is_committed,
            )

            async def write_related(tx: Tx) -> None:
                if draft.write_related is not None:
                    await draft.write_related(tx)
                await self.scripted_outcomes.store_plan(tx, creation.org_id, creation.id, plan)

            return replace(draft, creation=creation, write_related=write_related)

        return await self.create_from_draft(caller, build_scripted, transitions, options)


def _requires_approval(plan: OutcomePlan, kind: str) -> bool:
    """Return whether the plan makes a payment of this kind require an approval."""
    planned = plan.outcomes.get(ScriptedStep.SCREENING)
    return kind not in REVIEWED and planned is not None and planned.effect is OutcomeEffect.REVIEW


def _apply(
    plan: OutcomePlan, creation: CreateTransfer, *, needs_approval: bool, is_committed: bool
) -> CreateTransfer:
    """Apply an outcome plan to a create command.

    Raises `QuoteNotReady` and `LimitExceeded` as the plan says, and `FieldInvalid` for a quote that
    should be expired in a payment that is quoted only after its approval.
    """
    quote, screening = (
        plan.outcomes.get(ScriptedStep.QUOTE),
        plan.outcomes.get(ScriptedStep.SCREENING),
    )
    if quote is not None and quote.effect is OutcomeEffect.REFUSE:
        raise QuoteNotReady(quote.outcome.reason)
    if is_committed and screening is not None and screening.effect is OutcomeEffect.REFUSE:
        raise LimitExceeded(screening.outcome.reason)
    if quote is None:
        return creation
    if needs_approval:
        raise FieldInvalid(
            f"{HEADER}: {quote} is for a payment without an approval: this one is quoted "
            "after its approval",
            field=HEADER,
        )
    over = {"quote_expires_at": msgspec.to_builtins(creation.at)}
    return replace(creation, due_at=creation.at, details={**creation.details, **over})
