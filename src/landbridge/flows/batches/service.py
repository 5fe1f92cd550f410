"""Verbs on batches: create, get, list. Everything else time and admins do to them.

All or nothing: every payee is checked before anything is held, the sum is held at once, and one
transaction of the chain pays all of them or none.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
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
from landbridge.flows.batches.model import (
    KIND,
    Batch,
    Details,
    Item,
    as_batch,
    as_remittance,
)
from landbridge.ledger.errors import InsufficientBalance
from landbridge.ledger.model import Opening
from landbridge.ledger.service import Ledger
from landbridge.payments.amounts import parse_amount, too_little
from landbridge.payments.ends import Asked, Ends, Payee, Payer
from landbridge.payments.manner import PLAIN, Manner
from landbridge.payments.openings import Drafted, Openings, Terms
from landbridge.payments.remittances import MOVES, beginning, course, holding, total
from landbridge.quotes.errors import RouteInvalid
from landbridge.web.caller import Caller


@dataclass(frozen=True, slots=True)
class WantedItem:
    """One payee that is asked for; `to.side` names the item in refusals."""

    to: Asked
    amount: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A batch that is asked for: 1 to 50 items."""

    source_user_id: UUID
    chain: Chain
    currency: str
    items: Sequence[WantedItem]
    require_approval: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """A batch with what is shown beside it."""

    batch: Batch
    approval: Approval | None


@dataclass(frozen=True, slots=True)
class Batches:
    """Batches of all organisations."""

    ledger: Ledger
    ends: Ends
    openings: Openings
    approvals: Approvals
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
        """Hold the sum and send it as soon as may be, once per request id.

        Raises `FieldInvalid`, `RouteInvalid`, `UserNotFound`, `UserFrozen` and `WalletNotFound`,
        naming the item, `InsufficientBalance`, and `RequestIdTaken` for a request id used with
        another body.
        """
        record = await self.openings.once(
            caller,
            lambda asks: self._drafted(caller, wanted, request_id, request, needs_approval=asks),
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
        seen = await self._seen(as_batch(record))
        return replace(seen, approval=seen.approval or manner.approval)

    async def get(self, org_id: UUID, batch_id: UUID) -> Seen:
        """A batch; raises `TransactionNotFound`."""
        return await self._seen(as_batch(await self.ledger.get(org_id, KIND, batch_id)))

    async def page(self, org_id: UUID, user_id: UUID | None, window: Window) -> Sequence[Seen]:
        """A page of batches, newest first, of those that this user sends."""
        records = await self.ledger.page(org_id, KIND, user_id, window)
        approvals = await self.approvals.of(org_id, [each.id for each in records])
        return [Seen(as_batch(each), approvals.get(each.id)) for each in records]

    async def _drafted(
        self,
        caller: Caller,
        wanted: Wanted,
        request_id: UUID,
        request: dict[str, Any],
        *,
        needs_approval: bool,
    ) -> Drafted:
        self.ends.check_carried(field="chain")
        payer = await self.ends.payer(
            caller, wanted.source_user_id, wanted.chain, wanted.currency, is_flat=True
        )
        amounts = [
            parse_amount(f"{each.to.side}.amount", each.amount, payer.asset)
            for each in wanted.items
        ]
        payees = await self._payees(caller, payer, wanted)
        gross = total(amounts)
        if payer.account.available_units < gross.units:
            raise InsufficientBalance(too_little(gross), field="destination.batch")
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
                destination=gross,
                details=msgspec.to_builtins(_details(payer, payees, amounts)),
                due_at=due_at,
                at=at,
                actor=caller.actor,
                journals=holding(payer.account.id, gross),
            )
        )

    async def _payees(self, caller: Caller, payer: Payer, wanted: Wanted) -> list[Payee]:
        """All of them, or the refusal of the first that can't be one."""
        found = await asyncio.gather(
            *(
                self.ends.payee(
                    caller,
                    each.to,
                    payer_id=wanted.source_user_id,
                    chain=wanted.chain,
                    asset=payer.asset,
                )
                for each in wanted.items
            ),
            return_exceptions=True,
        )
        payees: list[Payee] = []
        for item, payee in zip(wanted.items, found, strict=True):
            if isinstance(payee, BaseException):
                raise payee
            if payee.account_id == payer.account.id:
                raise RouteInvalid(
                    f"{item.to.side}: this is the wallet that pays", field=item.to.side
                )
            payees.append(payee)
        return payees

    async def _seen(self, batch: Batch) -> Seen:
        org_id, batch_id = batch.record.org_id, batch.record.id
        return Seen(batch, (await self.approvals.of(org_id, [batch_id])).get(batch_id))


def _details(payer: Payer, payees: Sequence[Payee], amounts: Sequence[Money]) -> Details:
    return Details(
        source_wallet_id=payer.wallet.id,
        source_account_id=payer.account.id,
        source_address=payer.wallet.address,
        items=tuple(
            Item(
                account_id=payee.account_id,
                user_id=payee.user_id,
                address=payee.address,
                units=amount.units,
            )
            for payee, amount in zip(payees, amounts, strict=True)
        ),
    )
