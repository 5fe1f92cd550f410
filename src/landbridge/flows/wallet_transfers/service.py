"""Verbs on wallet transfers: create, get, list. Everything else time and admins do to them.

The coins, with the fee on top, are held from the moment they are asked for, also while an admin
has to agree, so that no transfer is started that the wallet can't pay.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any
from uuid import UUID

import msgspec

from landbridge.approvals.model import ON_CHAIN_LIFETIME, Approval
from landbridge.approvals.service import Approvals
from landbridge.chains.tokens import Chain
from landbridge.core.clock import Clock
from landbridge.core.ids import new_id
from landbridge.core.money import Money
from landbridge.core.pages import Window
from landbridge.flows.wallet_transfers.model import (
    KIND,
    Details,
    FeeDetails,
    WalletTransfer,
    as_remittance,
    as_transfer,
)
from landbridge.ledger.errors import InsufficientBalance
from landbridge.ledger.model import Opening
from landbridge.ledger.service import Ledger
from landbridge.payments.amounts import parse_amount, too_little
from landbridge.payments.ends import Asked, Ends, Payee, Payer, token_asset
from landbridge.payments.fees import Fee
from landbridge.payments.manner import PLAIN, Manner
from landbridge.payments.openings import Drafted, Openings, Terms
from landbridge.payments.remittances import MOVES, beginning, course, holding
from landbridge.quotes.errors import RouteInvalid
from landbridge.users.model import UserCard
from landbridge.users.service import Users
from landbridge.wallets.service import Wallets
from landbridge.web.caller import Caller


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A transfer that is asked for."""

    source_user_id: UUID
    destination: Asked
    chain: Chain
    currency: str
    amount: Decimal
    fee: Fee | None
    require_approval: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """A transfer with what is shown beside it."""

    transfer: WalletTransfer
    cards: Mapping[UUID, UserCard]
    approval: Approval | None


@dataclass(frozen=True, slots=True)
class WalletTransfers:
    """Wallet transfers of all organisations."""

    ledger: Ledger
    ends: Ends
    openings: Openings
    approvals: Approvals
    users: Users = field(kw_only=True)
    wallets: Wallets = field(kw_only=True)
    clock: Clock = field(kw_only=True)

    async def create(
        self,
        caller: Caller,
        request_id: UUID,
        wanted: Wanted,
        request: dict[str, Any],
        *,
        manner: Manner = PLAIN,
    ) -> Seen:
        """Hold the coins and send them as soon as may be, once per request id.

        Raises `FieldInvalid`, `RouteInvalid`, `UserNotFound`, `UserFrozen`, `WalletNotFound`,
        `InsufficientBalance`, and `RequestIdTaken` for a request id used with another body.
        """
        asset = token_asset(wanted.chain, wanted.currency, field="currency")
        amount = parse_amount("amount", wanted.amount, asset)
        record = await self.openings.once(
            caller,
            lambda asks: self._drafted(
                caller, wanted, amount, request_id, request, needs_approval=asks
            ),
            MOVES,
            Terms(
                kind=KIND,
                request_id=request_id,
                request=request,
                course=lambda record: course(as_remittance(record)),
                asks=wanted.require_approval or caller.must_ask,
                lifetime=ON_CHAIN_LIFETIME,
                manner=manner,
            ),
        )
        seen = await self._seen(as_transfer(record))
        return replace(seen, approval=seen.approval or manner.approval)

    async def get(self, org_id: UUID, transfer_id: UUID) -> Seen:
        """A transfer; raises `TransactionNotFound`."""
        return await self._seen(as_transfer(await self.ledger.get(org_id, KIND, transfer_id)))

    async def page(self, org_id: UUID, user_id: UUID | None, window: Window) -> Sequence[Seen]:
        """A page of transfers, newest first, of those that this user sends."""
        records = await self.ledger.page(org_id, KIND, user_id, window)
        return await self.seen(org_id, [as_transfer(each) for each in records])

    async def seen(self, org_id: UUID, found: Sequence[WalletTransfer]) -> list[Seen]:
        """Transfers with what is shown beside them, in the order given."""
        users = {
            user_id
            for each in found
            for user_id in (each.record.user_id, each.details.destination_user_id)
            if user_id is not None
        }
        cards = await self.users.cards(org_id, list(users))
        approvals = await self.approvals.of(org_id, [each.record.id for each in found])
        return [Seen(each, cards, approvals.get(each.record.id)) for each in found]

    async def _drafted(
        self,
        caller: Caller,
        wanted: Wanted,
        amount: Money,
        request_id: UUID,
        request: dict[str, Any],
        *,
        needs_approval: bool,
    ) -> Drafted:
        self.ends.check_carried(field="chain")
        payer = await self.ends.payer(
            caller, wanted.source_user_id, wanted.chain, wanted.currency, is_flat=True
        )
        fee = wanted.fee.of(amount) if wanted.fee is not None else amount - amount
        payee = await self.ends.payee(
            caller,
            wanted.destination,
            payer_id=wanted.source_user_id,
            chain=wanted.chain,
            asset=payer.asset,
        )
        if payee.account_id == payer.account.id:
            raise RouteInvalid("destination: this is the wallet that pays", field="destination")
        gross = amount + fee
        if payer.account.available_units < gross.units:
            raise InsufficientBalance(too_little(gross), field="amount")
        charged = None
        if wanted.fee is not None and fee.units:
            house = await self.wallets.treasury_address(caller.org_id, wanted.chain)
            charged = FeeDetails(
                type=wanted.fee.type, value=wanted.fee.value, units=fee.units, address=house
            )
        at = self.clock.stamp(caller.clock_offset)
        status, due_at = beginning(needs_approval=needs_approval, at=at)
        return Drafted(
            opening=Opening(
                org_id=caller.org_id,
                id=new_id(),
                kind=KIND,
                user_id=wanted.source_user_id,
                request_id=request_id,
                request=request,
                path=(status,),
                source=gross,
                destination=amount,
                details=msgspec.to_builtins(_details(payer, payee, charged)),
                due_at=due_at,
                at=at,
                actor=caller.actor,
                journals=holding(payer.account.id, gross),
            )
        )

    async def _seen(self, transfer: WalletTransfer) -> Seen:
        (seen,) = await self.seen(transfer.record.org_id, [transfer])
        return seen


def _details(payer: Payer, payee: Payee, fee: FeeDetails | None) -> Details:
    return Details(
        source_wallet_id=payer.wallet.id,
        source_account_id=payer.account.id,
        source_address=payer.wallet.address,
        destination_account_id=payee.account_id,
        destination_user_id=payee.user_id,
        destination_address=payee.address,
        external_wallet_id=payee.external_wallet_id,
        fee=fee,
    )
