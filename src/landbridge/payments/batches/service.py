"""Batch service: create, get, list. The worker and approvers do everything else.

All or nothing: every recipient is checked before anything is held, the sum is held at once, and one
chain transaction pays all of them or none.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

import msgspec

from landbridge.ledger.errors import InsufficientBalance
from landbridge.ledger.model import CreateTransfer
from landbridge.ledger.service import Ledger
from landbridge.payments.approvals.model import ON_CHAIN_LIFETIME, Approval
from landbridge.payments.approvals.service import Approvals
from landbridge.payments.batches.model import (
    KIND,
    BatchDetails,
    BatchPaymentItem,
    BatchTransfer,
    as_batch,
    as_outgoing_transfer,
)
from landbridge.payments.engine.amounts import insufficient_balance_text, parse_amount
from landbridge.payments.engine.create_transfer import (
    CreationOptions,
    TransferCreation,
    TransferDraft,
)
from landbridge.payments.engine.outgoing_transfers import (
    TRANSITIONS,
    hold_journals,
    initial_status,
    planned_steps,
    total,
)
from landbridge.payments.engine.parties import PartyRequest, Payee, Payer, PaymentParties
from landbridge.payments.engine.request_options import DEFAULT_OPTIONS, RequestOptions
from landbridge.payments.quotes.errors import RouteInvalid
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.gather import gather_in_order
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.http.caller import Caller
from landbridge.providers.chains.tokens import Chain


@dataclass(frozen=True, slots=True)
class BatchItemRequest:
    """Requested recipient; `to.side` names the item in errors."""

    to: PartyRequest
    amount: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRequest:
    """Request of a batch: 1 to 50 items."""

    source_user_id: UUID
    chain: Chain
    currency: str
    items: Sequence[BatchItemRequest]
    require_approval: bool


@dataclass(frozen=True, slots=True)
class BatchView:
    """Batch with its approval, for replies."""

    batch: BatchTransfer
    approval: Approval | None


@dataclass(frozen=True, slots=True)
class Batches:
    """Manages batches of all organisations."""

    ledger: Ledger
    parties: PaymentParties
    transfer_creation: TransferCreation
    approvals: Approvals
    clock: Clock = field(kw_only=True)

    async def create(
        self,
        caller: Caller,
        request_id: UUID,
        params: BatchRequest,
        request: dict[str, Any],
        *,
        options: RequestOptions = DEFAULT_OPTIONS,
    ) -> BatchView:
        """Hold the sum and send it as soon as possible, once per request id.

        Raises `FieldInvalid`, `RouteInvalid`, `UserNotFound`, `UserFrozen` and `WalletNotFound`,
        naming the item, `InsufficientBalance`, and `RequestIdTaken` for a request id used with
        another body.
        """
        record = await self.transfer_creation.create(
            caller,
            lambda needs_approval: self._draft(
                caller, params, request_id, request, needs_approval=needs_approval
            ),
            TRANSITIONS,
            CreationOptions(
                kind=KIND,
                request_id=request_id,
                request=request,
                planned_steps=lambda record: planned_steps(as_outgoing_transfer(record)),
                needs_approval=params.require_approval or caller.payments_need_approval,
                approval_lifetime=ON_CHAIN_LIFETIME,
                request_options=options,
            ),
        )
        view = await self._view(as_batch(record))
        return replace(view, approval=view.approval or options.approval)

    async def get(self, org_id: UUID, batch_id: UUID) -> BatchView:
        """Return a batch; raises `TransactionNotFound`."""
        return await self._view(as_batch(await self.ledger.get(org_id, KIND, batch_id)))

    async def page(
        self, org_id: UUID, user_id: UUID | None, window: PageWindow
    ) -> Sequence[BatchView]:
        """Return a page of batches sent by this user, newest first."""
        records = await self.ledger.page(org_id, KIND, user_id, window)
        approvals = await self.approvals.of(org_id, [each.id for each in records])
        return [BatchView(as_batch(each), approvals.get(each.id)) for each in records]

    async def _draft(
        self,
        caller: Caller,
        params: BatchRequest,
        request_id: UUID,
        request: dict[str, Any],
        *,
        needs_approval: bool,
    ) -> TransferDraft:
        self.parties.check_chain_connected(params.chain, field="chain")
        self.parties.check_recipients(params.chain, len(params.items), field="destination.batch")
        payer = await self.parties.payer(
            caller, params.source_user_id, params.chain, params.currency, is_flat=True
        )
        amounts = [
            parse_amount(f"{each.to.side}.amount", each.amount, payer.asset)
            for each in params.items
        ]
        payees = await self._payees(caller, payer, params)
        await self.parties.check_new_addresses(
            caller,
            (
                (payee, amount, f"destination.batch[{at}].amount")
                for at, (payee, amount) in enumerate(zip(payees, amounts, strict=True))
            ),
        )
        gross = total(amounts)
        if payer.account.available_units < gross.units:
            raise InsufficientBalance(insufficient_balance_text(gross), field="destination.batch")
        at = self.clock.stamp(caller.clock_offset)
        status, due_at = initial_status(needs_approval=needs_approval, at=at)
        return TransferDraft(
            creation=CreateTransfer(
                org_id=caller.org_id,
                id=new_id(),
                kind=KIND,
                user_id=params.source_user_id,
                request_id=request_id,
                request=request,
                path=(status,),
                source=gross,
                destination=gross,
                details=msgspec.to_builtins(_details(payer, payees, amounts)),
                due_at=due_at,
                at=at,
                actor=caller.actor,
                journals=hold_journals(payer.account.id, gross),
            ),
            payees=payees,
        )

    async def _payees(self, caller: Caller, payer: Payer, params: BatchRequest) -> list[Payee]:
        """Return all recipients, or raise the refusal of the first invalid one."""

        async def read(item: BatchItemRequest) -> Payee:
            payee = await self.parties.payee(
                caller,
                item.to,
                payer_id=params.source_user_id,
                chain=params.chain,
                asset=payer.asset,
            )
            if payee.account_id == payer.account.id:
                raise RouteInvalid(f"{item.to.side}: this is the paying wallet", field=item.to.side)
            return payee

        return await gather_in_order(map(read, params.items))

    async def _view(self, batch: BatchTransfer) -> BatchView:
        org_id, batch_id = batch.record.org_id, batch.record.id
        return BatchView(batch, (await self.approvals.of(org_id, [batch_id])).get(batch_id))


def _details(payer: Payer, payees: Sequence[Payee], amounts: Sequence[Money]) -> BatchDetails:
    return BatchDetails(
        source_wallet_id=payer.wallet.id,
        source_account_id=payer.account.id,
        source_address=payer.wallet.address,
        contract_address=payer.contract_address,
        items=tuple(
            BatchPaymentItem(
                account_id=payee.account_id,
                user_id=payee.user_id,
                address=payee.address,
                units=amount.units,
            )
            for payee, amount in zip(payees, amounts, strict=True)
        ),
    )
