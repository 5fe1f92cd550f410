"""Batch service: creates and reads batches; the worker and approvers advance them.

A batch pays all recipients or none: each recipient is checked before the sum is held, and one chain
transaction pays all of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta

from landbridge.ledger.errors import InsufficientBalance
from landbridge.ledger.model import CreateTransfer
from landbridge.ledger.service import Ledger
from landbridge.payments.approvals.model import ON_CHAIN_LIFETIME, Approval
from landbridge.payments.approvals.service import Approvals
from landbridge.payments.batches.model import (
    ITEMS_MAX,
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
from landbridge.payments.engine.order_keys import requested_details
from landbridge.payments.engine.outgoing_transfers import (
    TRANSITIONS,
    hold_journals,
    initial_status,
    planned_steps,
    total,
)
from landbridge.payments.engine.parties import PartyRequest, Payee, Payer, PaymentParties
from landbridge.payments.engine.request_options import (
    DEFAULT_OPTIONS,
    MetadataRequest,
    RequestOptions,
    payment_values,
)
from landbridge.payments.quotes.errors import RouteInvalid
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.gather import gather_in_order
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.formats.schemas import AddressText
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.request_decoding import AmountText
from landbridge.platform.http.responses import WireStruct
from landbridge.providers.chains.tokens import Chain


class BatchSource(WireStruct, frozen=True):
    """Payer of a batch."""

    user_id: UUID


class BatchItem(WireStruct, frozen=True):
    """Recipient, either a user or a registered address, and a decimal amount."""

    amount: AmountText
    user_id: UUID | None = None
    wallet_address: AddressText | None = None


class BatchDestination(WireStruct, frozen=True):
    """Recipients of a batch."""

    batch: Annotated[list[BatchItem], Meta(min_length=1, max_length=ITEMS_MAX)]


class NewBatch(MetadataRequest, frozen=True, kw_only=True):
    """Request of a batch, to 1 to 50 recipients on the same chain: all of them or none."""

    request_id: UUID
    currency: str
    chain: Chain
    source: BatchSource
    destination: BatchDestination
    require_approval: bool | None = False


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
        self, caller: Caller, data: NewBatch, options: RequestOptions = DEFAULT_OPTIONS
    ) -> BatchView:
        """Hold the sum and send it as soon as possible, once per request id.

        Raises `FieldInvalid`, `RouteInvalid`, `UserNotFound`, `UserFrozen` and `WalletNotFound`,
        naming the item, `InsufficientBalance`, and `RequestIdTaken` for a request id used with
        another body.
        """
        recipients = [
            PartyRequest(
                side=f"destination.batch[{position}]",
                is_flat=True,
                user_id=each.user_id,
                wallet_address=each.wallet_address,
            )
            for position, each in enumerate(data.destination.batch)
        ]
        request, options = payment_values(data), options.of(data.metadata)
        record = await self.transfer_creation.create(
            caller,
            lambda needs_approval: self._draft(
                caller, data, recipients, request, needs_approval=needs_approval
            ),
            TRANSITIONS,
            CreationOptions(
                kind=KIND,
                request_id=data.request_id,
                request=request,
                planned_steps=lambda record: planned_steps(as_outgoing_transfer(record)),
                needs_approval=bool(data.require_approval) or caller.payments_need_approval,
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
        data: NewBatch,
        recipients: Sequence[PartyRequest],
        request: dict[str, Any],
        *,
        needs_approval: bool,
    ) -> TransferDraft:
        self.parties.check_chain_connected(data.chain, field="chain")
        self.parties.check_recipients(data.chain, len(recipients), field="destination.batch")
        payer = await self.parties.payer(
            caller, data.source.user_id, data.chain, data.currency, is_flat=True
        )
        amounts = [
            parse_amount(f"{to.side}.amount", each.amount, payer.asset)
            for to, each in zip(recipients, data.destination.batch, strict=True)
        ]
        payees = await self._payees(caller, payer, recipients)
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
                user_id=data.source.user_id,
                request_id=data.request_id,
                request=request,
                path=(status,),
                source=gross,
                destination=gross,
                details=requested_details(_details(payer, payees, amounts)),
                due_at=due_at,
                at=at,
                actor=caller.actor,
                journals=hold_journals(payer.account.id, gross),
            ),
            payees=payees,
        )

    async def _payees(
        self, caller: Caller, payer: Payer, recipients: Sequence[PartyRequest]
    ) -> list[Payee]:
        """Return all recipients, or raise the refusal of the first invalid one."""

        async def read(to: PartyRequest) -> Payee:
            payee = await self.parties.payee(
                caller,
                to,
                payer_id=payer.wallet.user_id,
                chain=Chain(payer.asset.chain),
                asset=payer.asset,
            )
            if payee.account_id == payer.account.id:
                raise RouteInvalid(f"{to.side}: this is the paying wallet", field=to.side)
            return payee

        return await gather_in_order(map(read, recipients))

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
