"""The two legs of a bridge as orders to chains.

Source: the chain is asked to let the bridge take the coins (approve), then to burn them. Only once
both are final is the leg done. Destination: the coins are minted. Where that fails for good, or may
not be any more, they are minted back on the source chain, and only then is the leg failed: the
books never say that a wallet has coins which are not there.

Every order's key is made from the record's id, so asking again is harmless at any point.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

from landbridge.chains.port import Action, Chains, Leg, Order
from landbridge.chains.tokens import Network
from landbridge.core.ids import derived_id
from landbridge.flows.bridges.model import MOVES, Bridge, Status
from landbridge.flows.bridges.moves import (
    burned,
    freed,
    halted,
    minted,
    returned,
    returned_outside,
)
from landbridge.formats.texts import in_short
from landbridge.payments.insistence import StillRefused, key_to_insist
from landbridge.payments.sending import Errand, Refund
from landbridge.payments.ways import Answer, Standing, Way, by_chain, insisting
from landbridge.wallets.service import Wallets

# The coins that come back.
_BACK = "return"
_NOTHING_HELD = {"held_units": 0}


@dataclass(frozen=True, slots=True)
class Errands:
    """Makes the errands of a bridge."""

    chains: Chains
    wallets: Wallets

    def source(self, bridge: Bridge, at: datetime) -> Errand:
        """Approve and burn; a failure of either lets what is held go."""
        approve = by_chain(self.chains, _spending(bridge, Action.APPROVE, at), prefix="approve_")
        burn = by_chain(self.chains, _spending(bridge, Action.BURN, at))
        return Errand(
            way=_both(approve, burn),
            moves=MOVES,
            initiated=Status.SOURCE_INITIATED,
            pending=Status.SOURCE_PENDING,
            done=Status.SOURCE_PROCESSED,
            failed=Status.SOURCE_FAILED,
            unknown=Status.UNKNOWN,
            done_journal=burned(bridge),
            failed_journal=freed(bridge),
            done_facts=_NOTHING_HELD,
            failed_facts=_NOTHING_HELD,
            find=burn.look,
        )

    async def destination(self, bridge: Bridge, at: datetime) -> Errand:
        """Mint, or give back."""
        record, details = bridge.record, bridge.details
        network = Network(bridge.destination.asset.chain)
        back_on = Network(bridge.source.asset.chain)
        mint = Order(
            org_id=record.org_id,
            key=derived_id(record.id, "mint"),
            record_id=record.id,
            action=Action.MINT,
            chain=network,
            source=await self.wallets.treasury_address(record.org_id, network.address_chain),
            wallet_id=None,
            legs=(Leg(details.destination_address, bridge.destination),),
            at=at,
            after=derived_id(record.id, "burn"),
        )
        back = replace(
            mint,
            key=key_to_insist(record, _BACK),
            chain=back_on,
            source=await self.wallets.treasury_address(record.org_id, back_on.address_chain),
            legs=(Leg(details.return_address or details.source_address, bridge.source),),
        )
        there = mint_way = by_chain(self.chains, mint, prefix="mint_")
        way_back = insisting(by_chain(self.chains, back, prefix="return_"), _BACK)
        is_halted = details.halted_reason is not None
        if details.halted_reason is not None:
            refused = _refused(details.halted_reason, bridge)
            there = replace(way_back, send=refused.send, look=refused.look)
        return Errand(
            way=_or_back(there, way_back),
            moves=MOVES,
            initiated=Status.DESTINATION_INITIATED,
            pending=Status.DESTINATION_PENDING,
            done=Status.COMPLETED,
            failed=Status.DESTINATION_FAILED,
            unknown=Status.UNKNOWN,
            done_journal=minted(bridge),
            failed_journal=returned(bridge),
            refund=_refund(bridge) if is_halted else None,
            find=way_back.look if is_halted else mint_way.look,
            halted=partial(halted, bridge),
        )


def _refund(bridge: Bridge) -> Refund:
    """What a person may decide on coins that are to come back."""
    return Refund(
        name=_BACK,
        status=Status.DESTINATION_FAILED,
        journal=returned(bridge),
        outside_journal=returned_outside(bridge),
        facts={"failed_reason": bridge.details.halted_reason},
    )


def _spending(bridge: Bridge, action: Action, at: datetime) -> Order:
    """An order to the source chain, of the wallet that pays."""
    record, details = bridge.record, bridge.details
    return Order(
        org_id=record.org_id,
        key=derived_id(record.id, action),
        record_id=record.id,
        action=action,
        chain=bridge.source.asset.chain,
        source=details.source_address,
        wallet_id=details.source_wallet_id,
        legs=(Leg(details.destination_address, bridge.source),),
        at=at,
        into=bridge.destination.asset.chain,
    )


def _both(first: Way, second: Way) -> Way:
    """The second order is given once the first is done; done once both are."""

    async def send() -> Answer:
        before = await first.send()
        return _joined(before, await second.send()) if _is_done(before) else before

    async def look(at: datetime) -> Answer | None:
        before = await first.look(at)
        if before is None or not _is_done(before):
            return before
        return _joined(before, await second.look(at) or await second.send())

    return replace(second, send=send, look=look)


def _or_back(there: Way, back: Way) -> Way:
    """Failed only once what was on its way is back."""

    async def send() -> Answer:
        gone = await there.send()
        return await _given_back(gone, back.send) if _is_failed(gone) else gone

    async def look(at: datetime) -> Answer | None:
        gone = await there.look(at)
        if gone is None or not _is_failed(gone):
            return gone

        async def ask() -> Answer:
            return await back.look(at) or await back.send()

        return await _given_back(gone, ask)

    return replace(there, send=send, look=look)


def _refused(reason: str, bridge: Bridge) -> Way:
    """An order that is not given, or not again: what came of it is told with the next move."""
    details = bridge.details
    hashes = {
        "mint_transaction_hash": details.mint_transaction_hash,
        "mint_user_op_hash": details.mint_user_op_hash,
    }
    answer = Answer(
        standing=Standing.FAILED,
        expected_at=None,
        reason=reason,
        facts={name: value for name, value in hashes.items() if value is not None},
    )

    async def send() -> Answer:
        return answer

    async def look(at: datetime) -> Answer:
        del at
        return answer

    return Way(send, look)


def _joined(before: Answer, after: Answer) -> Answer:
    return replace(after, facts={**before.facts, **after.facts})


async def _given_back(gone: Answer, ask: Callable[[], Awaitable[Answer]]) -> Answer:
    """How it stands with coins that could not be minted.

    From the first time on the record knows why, and nobody asks for the mint again.
    """
    halted = {"halted_reason": in_short(gone.reason or "the other chain refused it")}
    try:
        back = _joined(gone, await ask())
    except StillRefused as refusal:
        raise StillRefused(refusal.what, refusal.reason, {**gone.facts, **halted}) from None
    if _is_done(back):
        return replace(back, standing=Standing.FAILED, reason=gone.reason)
    return replace(back, facts={**back.facts, **halted})


def _is_done(answer: Answer) -> bool:
    return answer.standing is Standing.DONE


def _is_failed(answer: Answer) -> bool:
    return answer.standing is Standing.FAILED
