"""What an offramp has others do: the debit and the way back on a chain, the payout at a bank.

Every order has a key that is made from the record's id, so it is the same after a crash. What we
send of our own coins must arrive: if the chain refuses such an order for good, the next one has
the next key (payments/insistence.py).
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import structlog

from landbridge.accounts.service import Accounts
from landbridge.chains.port import Action, Chains, Leg, Order, SentState
from landbridge.core.clock import Clock
from landbridge.core.errors import Busy, Unavailable, Unclear
from landbridge.core.ids import derived_id
from landbridge.core.money import Money
from landbridge.core.tries import key_of_try
from landbridge.flows.offramps import moves
from landbridge.flows.offramps.model import MOVES, Offramp, Status
from landbridge.flows.offramps.payouts import PAYOUT, payout
from landbridge.flows.offramps.texts import TextArchive
from landbridge.payments.carrying import carry
from landbridge.payments.insistence import key_to_insist
from landbridge.payments.sending import Errand, Refund
from landbridge.payments.ways import Answer, Standing, by_chain, by_rail, insisting
from landbridge.rails.port import Paid, Payment, Rails

_log = structlog.stdlib.get_logger()

_PROCESSED = Answer(standing=Standing.DONE, expected_at=None, reason=None)

# What is derived from the record's id for the key of each order.
_DEBIT, _FEES, _REFUND = "debit", "fees", "refund"


@dataclass(frozen=True, slots=True)
class Errands:
    """Makes the orders of an offramp."""

    chains: Chains
    rails: Rails
    accounts: Accounts
    archive: TextArchive
    clock: Clock

    def debit(self, offramp: Offramp, clock_offset: timedelta) -> Errand:
        """Coins from the wallet to us and to the beneficiaries of fees: one order, one hash.

        Coins from outside are here already; what is left to send are the fees.
        """
        is_external = offramp.is_external
        order = debit(offramp, self.clock.now(clock_offset))
        way = by_chain(self.chains, order)
        if is_external:
            way = insisting(way, _FEES)

        async def send() -> Answer:
            return await way.send() if order.legs else _PROCESSED

        return Errand(
            way=replace(way, send=send),
            moves=MOVES,
            initiated=Status.CRYPTO_PENDING,
            done=Status.CRYPTO_PROCESSED,
            failed=None if is_external else Status.CRYPTO_FAILED,
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
    """The order that takes the coins; of coins from outside, the one that pays the fees."""
    details = offramp.details
    fees = tuple(Leg(each.line.wallet_address, each.money) for each in offramp.fees)
    ours = Leg(details.destination_address, offramp.amount)
    is_external, record = offramp.is_external, offramp.record
    return Order(
        org_id=record.org_id,
        key=key_to_insist(record, _FEES) if is_external else derived_id(record.id, _DEBIT),
        record_id=record.id,
        action=Action.TRANSFER,
        chain=offramp.gross.asset.chain,
        source=details.destination_address if is_external else details.source_address,
        wallet_id=details.source_wallet_id,
        legs=fees if is_external else (ours, *fees),
        at=at,
    )


def refund(offramp: Offramp, at: datetime) -> Order:
    """The order that gives back what was taken for the payout."""
    order = _from_us(offramp, key_to_insist(offramp.record, _REFUND), offramp.returned, at)
    return replace(order, is_refund=True)


async def give_back(
    chains: Chains, offramp: Offramp, money: Money, chain_hash: str, at: datetime
) -> None:
    """Send back coins that nothing waits for, once per hash of the transaction they came with.

    There is no record of them to keep a count in: the chain knows the tries that it refused. Raises
    `Busy` if this one is refused as well, or has no answer; asked again, it goes on from there.
    """
    first = derived_id(offramp.record.id, f"stray/{chain_hash}")
    order, tries = _from_us(offramp, first, money, at), 0
    try:
        while await _is_refused(chains, order):
            tries += 1
            order = replace(order, key=key_of_try(first, tries))
        sent = await carry(chains, order)
    except (Unavailable, Unclear) as error:
        raise Busy("the chain has no answer yet") from error
    if sent.state is SentState.FAILED:
        told = {"id": str(offramp.record.id), "tries": tries + 1, "reason": sent.reason}
        _log.warning("offramps.not_given_back", **told)
        raise Busy("the chain refused to carry the coins back")


async def _is_refused(chains: Chains, order: Order) -> bool:
    found = await chains.look(order.org_id, order.key, order.at)
    return found is not None and found.state is SentState.FAILED


def _from_us(offramp: Offramp, key: UUID, money: Money, at: datetime) -> Order:
    details = offramp.details
    return Order(
        org_id=offramp.record.org_id,
        key=key,
        record_id=offramp.record.id,
        action=Action.TRANSFER,
        chain=money.asset.chain,
        source=details.destination_address,
        wallet_id=None,
        legs=(Leg(details.return_address, money),),
        at=at,
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
