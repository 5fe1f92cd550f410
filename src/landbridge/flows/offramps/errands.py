"""What an offramp has others do: the debit and the way back on a chain, the payout at a bank.

Every order has a key that is made from the record's id, so it is the same after a crash. What we
send of our own coins must arrive: if the chain refuses such an order for good, the next one has
the next key (payments/insistence.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from landbridge.accounts.service import Accounts
from landbridge.chains.port import Action, Chains, Leg, Order
from landbridge.core.clock import Clock
from landbridge.core.errors import Broken
from landbridge.core.ids import derived_id
from landbridge.flows.offramps import moves
from landbridge.flows.offramps.model import MOVES, Offramp, Status
from landbridge.flows.offramps.payouts import PAYOUT, payout
from landbridge.flows.offramps.texts import TextArchive
from landbridge.payments.insistence import key_to_insist
from landbridge.payments.sending import Errand, Refund
from landbridge.payments.ways import by_chain, by_rail, insisting
from landbridge.rails.port import Paid, Payment, Rails

# What is derived from the record's id for the key of each order.
_DEBIT, _REFUND = "debit", "refund"


@dataclass(frozen=True, slots=True)
class Errands:
    """Makes the orders of an offramp."""

    chains: Chains
    rails: Rails
    accounts: Accounts
    archive: TextArchive
    clock: Clock

    def debit(self, offramp: Offramp, clock_offset: timedelta) -> Errand:
        """Coins from the wallet to us and to the beneficiaries of fees: one order, one hash."""
        return Errand(
            way=by_chain(self.chains, debit(offramp, self.clock.now(clock_offset))),
            moves=MOVES,
            initiated=Status.CRYPTO_PENDING,
            done=Status.CRYPTO_PROCESSED,
            failed=Status.CRYPTO_FAILED,
            done_journal=moves.processed(offramp),
            failed_journal=moves.held_let_go(offramp),
            done_facts=moves.PROCESSED,
            failed_facts=moves.REFUSED,
        )

    def payout(self, offramp: Offramp, clock_offset: timedelta) -> Errand:
        """Fiat to the bank account, which is read when the bank is told."""
        record = offramp.record
        key = derived_id(record.id, PAYOUT)

        async def payment() -> Payment:
            return await self._payment(offramp, self.clock.now(clock_offset))

        return Errand(
            way=by_rail(self.rails, record.org_id, key, payment, facts=_tracking),
            moves=MOVES,
            initiated=Status.FIAT_INITIATED,
            pending=Status.FIAT_PENDING,
            done=Status.COMPLETED,
            failed=Status.FIAT_FAILED,
            done_journal=moves.payout_done(offramp),
            failed_journal=moves.payout_failed(offramp),
        )

    def refund(self, offramp: Offramp, clock_offset: timedelta) -> Errand:
        """Coins back to where they came from."""
        order = refund(offramp, self.clock.now(clock_offset))
        return Errand(
            way=insisting(by_chain(self.chains, order, prefix="return_"), _REFUND),
            moves=MOVES,
            initiated=Status.FIAT_FAILED,
            done=Status.CRYPTO_RETURNED,
            done_journal=moves.returned(offramp),
            refund=Refund(
                name=_REFUND,
                status=Status.CRYPTO_RETURNED,
                journal=moves.returned(offramp),
                outside_journal=moves.returned_outside(offramp),
            ),
        )

    async def _payment(self, offramp: Offramp, at: datetime) -> Payment:
        record, details = offramp.record, offramp.details
        account = await self.accounts.get(
            record.org_id, details.destination_user_id, details.account_id
        )
        return payout(
            record.id,
            account,
            offramp.receive,
            rail=details.payment_rail,
            texts=await self.archive.of(record.org_id, record.id, record.user_id),
            purpose=details.purpose,
            is_same_day=details.is_same_day,
            at=at,
        )


def debit(offramp: Offramp, at: datetime) -> Order:
    """The order that takes the coins from a wallet of ours, with all fees."""
    if offramp.is_external:
        raise Broken(f"offramp {offramp.record.id} takes nothing: its coins come from outside")
    details, record = offramp.details, offramp.record
    fees = tuple(Leg(each.line.wallet_address, each.money) for each in offramp.fees)
    return Order(
        org_id=record.org_id,
        key=derived_id(record.id, _DEBIT),
        record_id=record.id,
        action=Action.TRANSFER,
        chain=offramp.gross.asset.chain,
        source=details.source_address,
        wallet_id=details.source_wallet_id,
        legs=(Leg(details.destination_address, offramp.amount), *fees),
        at=at,
    )


def refund(offramp: Offramp, at: datetime) -> Order:
    """The order that gives back what was taken for the payout."""
    details, money = offramp.details, offramp.returned
    return Order(
        org_id=offramp.record.org_id,
        key=key_to_insist(offramp.record, _REFUND),
        record_id=offramp.record.id,
        action=Action.TRANSFER,
        chain=money.asset.chain,
        source=details.destination_address,
        wallet_id=None,
        legs=(Leg(details.return_address, money),),
        at=at,
        is_refund=True,
    )


def _tracking(paid: Paid) -> Mapping[str, Any]:
    found = paid.tracking
    return {
        "tracking": {
            "payment_rail": found.payment_rail,
            "trace_number": found.trace_number,
            "fed_batch_id": found.fed_batch_id,
            "imad": found.imad,
            "omad": found.omad,
            "uetr": found.uetr,
        }
    }
