"""What the worker does with an onramp that is due.

Each order goes out in the same three parts: claim, call, record (payments/sending.py). The coins
are claimed by CRYPTO_INITIATED; a deposit that has to go back by FIAT_FAILED or CRYPTO_FAILED.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from landbridge.chains.port import Action, Chains, Leg, Order
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken, FieldInvalid, Unavailable
from landbridge.core.ids import derived_id
from landbridge.flows.onramps import moves
from landbridge.flows.onramps.asked import KYC_RAILS
from landbridge.flows.onramps.model import LAPSING, MOVES, RETURN, Onramp, Status, as_onramp
from landbridge.flows.onramps.service import Onramps
from landbridge.ledger.model import Transfer
from landbridge.payments.forced import why_not_cleared
from landbridge.payments.insistence import key_to_insist
from landbridge.payments.resolving import Instruction
from landbridge.payments.sending import (
    ACTOR,
    Errand,
    Refund,
    Sending,
    as_far_as_it_goes,
)
from landbridge.payments.ways import by_chain, by_rail, insisting
from landbridge.rails.port import Paid, Payment, Rails
from landbridge.receipts.service import Receipts, payment_back
from landbridge.verification.errors import VerificationMissing


@dataclass(frozen=True, slots=True, kw_only=True)
class OnrampSteps:
    """Moves on what time, chains and banks move."""

    onramps: Onramps
    sending: Sending
    receipts: Receipts
    chains: Chains
    rails: Rails
    clock: Clock

    async def run(self, record: Transfer, clock_offset: timedelta) -> None:
        """Take the next steps of a due record, as far as they go.

        Losing the race for it is an ordinary outcome. Raises `Unavailable` and `Unclear` while
        there is no answer from outside.
        """
        await as_far_as_it_goes(
            record,
            lambda each: self._step(
                as_onramp(each), clock_offset, is_claimed_now=each is not record
            ),
        )

    async def _step(
        self, onramp: Onramp, clock_offset: timedelta, *, is_claimed_now: bool
    ) -> Transfer | None:
        """The record after one step; None if there is nothing more to do with it here."""
        if onramp.standing in LAPSING:
            await self._lapse(onramp, clock_offset)
            return None
        match onramp.status:
            case Status.FIAT_PENDING:
                return await self._claim(onramp, clock_offset)
            case status:
                errand = self._errand(onramp, clock_offset)
                if errand is None:
                    raise Broken(f"an onramp that is {status} waits for no time")
                return await self.sending.run(
                    onramp.record, errand, clock_offset, is_claimed_now=is_claimed_now
                )

    async def errand(self, record: Transfer, clock_offset: timedelta) -> Errand | None:
        """Return the order that a record waits for; None if it waits for none."""
        return self._errand(as_onramp(record), clock_offset)

    def _errand(self, onramp: Onramp, clock_offset: timedelta) -> Errand | None:
        match onramp.status:
            case Status.CRYPTO_INITIATED | Status.CRYPTO_PENDING | Status.UNKNOWN:
                return self._delivery(onramp, clock_offset)
            case Status.FIAT_FAILED | Status.CRYPTO_FAILED:
                return self._return(onramp, clock_offset)
            case _:
                return None

    async def _lapse(self, onramp: Onramp, clock_offset: timedelta) -> None:
        """Its time is over, unless the bank had a deposit before and nobody has looked at it yet.

        All deposits of a currency arrive on one account, so it may turn out to be another's.
        """
        number, due_at = onramp.details.account_number, onramp.record.due_at
        if onramp.standing is Status.AWAITING_FUNDS and number is not None and due_at is not None:
            org_id = onramp.record.org_id
            if await self.receipts.is_any_new(org_id, number, before=due_at):
                raise Unavailable("a deposit that arrived in time is still to be looked at")
        await self.onramps.lapse(onramp, ACTOR, self.clock.stamp(clock_offset))

    async def _claim(self, onramp: Onramp, clock_offset: timedelta) -> Transfer | None:
        """Send the coins from here on, or the fiat back if they may not go now."""
        reason = await self._why_not(onramp)
        at = self.clock.stamp(clock_offset)
        if reason is None:
            move = moves.claimed(onramp, actor=ACTOR, at=at)
        else:
            move = moves.failed(onramp, reason=reason, actor=ACTOR, at=at)
        moved = await self.onramps.ledger.advance(move, MOVES)
        return moved if isinstance(moved, Transfer) else None

    async def _why_not(self, onramp: Onramp) -> str | None:
        """Why nothing may be delivered now.

        The deposit did not clear, or somebody is frozen or not verified any more.
        """
        org_id, user_id = onramp.record.org_id, onramp.record.user_id
        if reason := why_not_cleared(onramp.record) or await self._why_frozen(onramp):
            return reason
        rail = KYC_RAILS[onramp.source.asset.currency]
        try:
            await self.onramps.verification.check_active(org_id, user_id, rail)
        except VerificationMissing as error:
            return error.message
        return None

    async def _why_frozen(self, onramp: Onramp) -> str | None:
        user_ids = (onramp.record.user_id, onramp.details.destination_user_id)
        return await self.onramps.ends.why_frozen(
            onramp.record.org_id, *user_ids, *onramp.part_user_ids
        )

    def _delivery(self, onramp: Onramp, clock_offset: timedelta) -> Errand:
        """The coins: one transaction with every part of a settlement rule in it."""
        record, details = onramp.record, onramp.details
        ends = [(part.address, money) for part, money in onramp.parts]
        order = Order(
            org_id=record.org_id,
            key=derived_id(record.id, "send"),
            record_id=record.id,
            action=Action.TRANSFER,
            chain=onramp.destination.asset.chain,
            source=details.source_address,
            wallet_id=None,
            legs=tuple(
                Leg(address, money)
                for address, money in [*ends, (details.destination_address, onramp.left)]
                if money.units
            ),
            at=self.clock.now(clock_offset),
        )
        return Errand(
            way=by_chain(self.chains, order),
            moves=MOVES,
            initiated=Status.CRYPTO_INITIATED,
            pending=Status.CRYPTO_PENDING,
            done=Status.COMPLETED,
            failed=Status.CRYPTO_FAILED,
            unknown=Status.UNKNOWN,
            why_not=lambda: self._why_frozen(onramp),
            done_journal=moves.delivered(onramp),
            failed_journal=moves.back_in_transit(onramp),
        )

    def _return(self, onramp: Onramp, clock_offset: timedelta) -> Errand:
        """Return the order that gives the deposit back; it has to arrive."""
        record = onramp.record
        key = key_to_insist(record, RETURN)

        async def payment() -> Payment:
            account_id = onramp.details.return_account_id
            return await self.returned(onramp, account_id, key, self.clock.now(clock_offset))

        way = by_rail(self.rails, record.org_id, key, payment, facts=_nothing)
        return Errand(
            way=insisting(way, RETURN),
            moves=MOVES,
            initiated=onramp.status,
            done=Status.FIAT_RETURNED,
            done_journal=moves.returned(onramp),
            refund=Refund(
                name=RETURN,
                status=Status.FIAT_RETURNED,
                journal=moves.returned(onramp),
                # The fiat leaves the bank either way.
                outside_journal=moves.returned(onramp),
            ),
        )

    async def return_destination(
        self, record: Transfer, instruction: Instruction, clock_offset: timedelta
    ) -> Mapping[str, Any]:
        """Return the facts of a return to a bank account of the user; raises `FieldInvalid`."""
        account_id = instruction.account_id
        if account_id is None:
            raise FieldInvalid(
                "address is for refunds in coins; this one goes to a bank account", field="address"
            )
        now = self.clock.now(clock_offset)
        key = key_to_insist(record, RETURN)
        payment = await self.returned(as_onramp(record), account_id, key, now)
        if reason := await self.rails.why_not(payment):
            raise FieldInvalid(f"accountId can't be paid: {reason}", field="accountId")
        return {"return_account_id": str(account_id)}

    async def returned(
        self, onramp: Onramp, account_id: UUID | None, key: UUID, at: datetime
    ) -> Payment:
        """Return the payment of a deposit to its sender, or to a bank account of its user.

        Raises what `Accounts.check_usable` raises for an account that can't be paid.
        """
        record, receipt_id = onramp.record, onramp.details.receipt_id
        if receipt_id is None:
            raise Broken(f"onramp {record.id} has no deposit that could go back")
        receipt = await self.receipts.get(record.org_id, receipt_id)
        payment = payment_back(receipt, key=key, at=at)
        if account_id is None:
            return payment
        account = await self.onramps.accounts.check_usable(
            record.org_id, record.user_id, account_id
        )
        payee = {
            "type": account.type,
            "accountHolder": account.holder,
            account.type: account.bank,
        }
        return replace(payment, payee=payee, rail=account.payment_rail or receipt.rail)


def _nothing(paid: Paid) -> Mapping[str, Any]:
    del paid
    return {}
