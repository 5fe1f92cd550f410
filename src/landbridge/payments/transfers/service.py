"""Wallet transfer service: creates and reads transfers; the worker and approvers advance them.

The coins, including the fee, are held from the creation on, even while an approval is pending, so
that no transfer is started that the wallet can't pay.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from landbridge.customers.users.model import UserCard
from landbridge.customers.users.service import Users
from landbridge.customers.wallets.service import Wallets
from landbridge.ledger.errors import InsufficientBalance
from landbridge.ledger.model import CreateTransfer
from landbridge.ledger.service import Ledger
from landbridge.payments.approvals.model import ON_CHAIN_LIFETIME, Approval
from landbridge.payments.approvals.service import Approvals
from landbridge.payments.engine.amounts import insufficient_balance_text, parse_amount
from landbridge.payments.engine.create_transfer import (
    CreationOptions,
    TransferCreation,
    TransferDraft,
)
from landbridge.payments.engine.fees import OrganisationFee
from landbridge.payments.engine.order_keys import requested_details
from landbridge.payments.engine.outgoing_transfers import (
    TRANSITIONS,
    hold_journals,
    initial_status,
    planned_steps,
)
from landbridge.payments.engine.parties import (
    PartyRequest,
    Payee,
    Payer,
    PaymentParties,
    token_asset,
)
from landbridge.payments.engine.request_options import (
    DEFAULT_OPTIONS,
    MetadataRequest,
    RequestOptions,
    payment_values,
)
from landbridge.payments.engine.schemas import FeeRequest
from landbridge.payments.quotes.errors import RouteInvalid
from landbridge.payments.transfers.model import (
    KIND,
    FeeDetails,
    TransferDetails,
    WalletTransfer,
    as_outgoing_transfer,
    as_transfer,
)
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.gather import both_in_order
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.formats.schemas import AddressText
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.responses import PositiveNumber, WireStruct
from landbridge.providers.chains.tokens import Chain


class TransferSource(WireStruct, frozen=True):
    """Payer of a transfer."""

    user_id: UUID


class TransferDestination(WireStruct, frozen=True):
    """Recipient: either a user, or an address that the payer has registered."""

    user_id: UUID | None = None
    wallet_address: AddressText | None = None


class NewWalletTransfer(MetadataRequest, frozen=True, kw_only=True):
    """Request of a wallet transfer, to a wallet on the same chain or to an external address.

    `fee` is the organisation's own, on top of the amount.
    """

    request_id: UUID
    source: TransferSource
    destination: TransferDestination
    amount: PositiveNumber
    currency: str
    chain: Chain
    fee: FeeRequest | None = None
    require_approval: bool | None = False


@dataclass(frozen=True, slots=True)
class TransferView:
    """Wallet transfer with its users and approval, for replies."""

    transfer: WalletTransfer
    cards: Mapping[UUID, UserCard]
    approval: Approval | None


@dataclass(frozen=True, slots=True)
class WalletTransfers:
    """Manages wallet transfers of all organisations."""

    ledger: Ledger
    parties: PaymentParties
    transfer_creation: TransferCreation
    approvals: Approvals
    users: Users = field(kw_only=True)
    wallets: Wallets = field(kw_only=True)
    clock: Clock = field(kw_only=True)

    async def create(
        self, caller: Caller, data: NewWalletTransfer, options: RequestOptions = DEFAULT_OPTIONS
    ) -> TransferView:
        """Hold the coins and send them as soon as possible, once per request id.

        Raises `FieldInvalid`, `RouteInvalid`, `UserNotFound`, `UserFrozen`, `WalletNotFound`,
        `InsufficientBalance`, and `RequestIdTaken` for a request id used with another body.
        """
        to = data.destination
        recipient = PartyRequest(
            side="destination",
            is_flat=True,
            user_id=to.user_id,
            wallet_address=to.wallet_address,
        )
        request, options = payment_values(data), options.of(data.metadata)
        asset = token_asset(data.chain, data.currency, field="currency")
        amount = parse_amount("amount", data.amount, asset)
        record = await self.transfer_creation.create(
            caller,
            lambda needs_approval: self._draft(
                caller, data, recipient, amount, request, needs_approval=needs_approval
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
        view = await self._view(as_transfer(record))
        return replace(view, approval=view.approval or options.approval)

    async def get(self, org_id: UUID, transfer_id: UUID) -> TransferView:
        """Return a transfer; raises `TransactionNotFound`."""
        return await self._view(as_transfer(await self.ledger.get(org_id, KIND, transfer_id)))

    async def page(
        self, org_id: UUID, user_id: UUID | None, window: PageWindow
    ) -> Sequence[TransferView]:
        """Return a page of transfers sent by this user, newest first."""
        records = await self.ledger.page(org_id, KIND, user_id, window)
        return await self.views(org_id, [as_transfer(each) for each in records])

    async def views(self, org_id: UUID, found: Sequence[WalletTransfer]) -> list[TransferView]:
        """Return transfers with their users and approvals, in the order given."""
        users = {
            user_id
            for each in found
            for user_id in (each.record.user_id, each.details.destination_user_id)
            if user_id is not None
        }
        cards, approvals = await both_in_order(
            self.users.cards(org_id, list(users)),
            self.approvals.of(org_id, [each.record.id for each in found]),
        )
        return [TransferView(each, cards, approvals.get(each.record.id)) for each in found]

    async def _draft(
        self,
        caller: Caller,
        data: NewWalletTransfer,
        recipient: PartyRequest,
        amount: Money,
        request: dict[str, Any],
        *,
        needs_approval: bool,
    ) -> TransferDraft:
        self.parties.check_chain_connected(data.chain, field="chain")
        (payer, fee), payee = await both_in_order(
            self._payer_and_fee(caller, data, amount),
            self.parties.payee(
                caller,
                recipient,
                payer_id=data.source.user_id,
                chain=data.chain,
                asset=amount.asset,
            ),
        )
        if payee.account_id == payer.account.id:
            raise RouteInvalid("destination: this is the paying wallet", field="destination")
        await self.parties.check_new_address(caller, payee, amount, "amount")
        gross = amount + fee
        if payer.account.available_units < gross.units:
            raise InsufficientBalance(insufficient_balance_text(gross), field="amount")
        charged, treasury_address = None, None
        if data.fee is not None and fee.units:
            treasury_address = await self.wallets.find_treasury_address(caller.org_id, data.chain)
            charged = FeeDetails(
                type=data.fee.type,
                value=data.fee.value,
                units=fee.units,
                address=treasury_address,
            )
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
                destination=amount,
                details=requested_details(_details(payer, payee, charged)),
                due_at=due_at,
                at=at,
                actor=caller.actor,
                journals=hold_journals(payer.account.id, gross),
            ),
            payees=(payee,),
            needs_seed=treasury_address == "",
        )

    async def _payer_and_fee(
        self, caller: Caller, data: NewWalletTransfer, amount: Money
    ) -> tuple[Payer, Money]:
        payer = await self.parties.payer(
            caller, data.source.user_id, data.chain, data.currency, is_flat=True
        )
        if data.fee is None:
            return payer, Money(0, amount.asset)
        return payer, OrganisationFee(data.fee.type, data.fee.value).of(amount)

    async def _view(self, transfer: WalletTransfer) -> TransferView:
        (view,) = await self.views(transfer.record.org_id, [transfer])
        return view


def _details(payer: Payer, payee: Payee, fee: FeeDetails | None) -> TransferDetails:
    return TransferDetails(
        source_wallet_id=payer.wallet.id,
        source_account_id=payer.account.id,
        source_address=payer.wallet.address,
        contract_address=payer.contract_address,
        destination_account_id=payee.account_id,
        destination_user_id=payee.user_id,
        destination_address=payee.address,
        external_wallet_id=payee.external_wallet_id,
        fee=fee,
    )
