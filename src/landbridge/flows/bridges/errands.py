"""The two legs of a bridge as orders to chains.

Source: the chain is asked to let the bridge take the coins (approve), while the record is
SOURCE_INITIATED. The move to SOURCE_PENDING claims the burn. It is made once the approve is final,
and only if nobody has been frozen since; otherwise the leg fails, which is safe because no burn has
been given. Only a record at SOURCE_PENDING gives the burn; only the chain's answer ends it then.

Destination: the coins are minted. Where that fails for good, or may
not be done any more, the record notes why (`halted_reason`); from then on the order is the refund:
the coins are minted back on the source chain, and only then is the bridge failed. The books never
say that a wallet has coins which are not there.

Every order's key is made from the record's id, so asking again is harmless at any point.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime

from landbridge.chains.port import Action, Chains, Leg, Order
from landbridge.chains.tokens import Network
from landbridge.core.ids import derived_id
from landbridge.flows.bridges.model import MOVES, Bridge, Status
from landbridge.flows.bridges.moves import (
    burned,
    freed,
    minted,
    returned,
    returned_outside,
)
from landbridge.payments.insistence import key_to_insist
from landbridge.payments.sending import Errand, Refund
from landbridge.payments.ways import Answer, Standing, Way, by_chain, insisting
from landbridge.wallets.service import Wallets

# Returns why a bridge may not go on now; None if it may.
WhyNot = Callable[[], Awaitable[str | None]]

# The coins that come back.
_BACK = "return"
_NOTHING_HELD = {"held_units": 0}


@dataclass(frozen=True, slots=True)
class Errands:
    """Makes the errands of a bridge."""

    chains: Chains
    wallets: Wallets

    def approve(
        self, bridge: Bridge, at: datetime, why_not: WhyNot, *, is_claimed_now: bool
    ) -> Errand:
        """Approve; then the burn may be claimed. A failure, or a frozen user, lets the coins go.

        `why_not` returns why the bridge may not go on now. It is no `Errand.why_not`: the order
        moves no coins, so the record may fail at any time before the burn is claimed.
        """
        order = by_chain(self.chains, _spending(bridge, Action.APPROVE, at), prefix="approve_")
        return Errand(
            way=_unless(why_not, order, is_checked=is_claimed_now),
            moves=MOVES,
            initiated=Status.SOURCE_INITIATED,
            done=Status.SOURCE_PENDING,
            failed=Status.SOURCE_FAILED,
            unknown=Status.UNKNOWN,
            failed_journal=freed(bridge),
            failed_facts=_NOTHING_HELD,
            find=order.look,
        )

    def burn(self, bridge: Bridge, at: datetime) -> Errand:
        """Burn; a failure lets what is held go."""
        return Errand(
            way=by_chain(self.chains, _spending(bridge, Action.BURN, at)),
            moves=MOVES,
            initiated=Status.SOURCE_PENDING,
            done=Status.SOURCE_PROCESSED,
            failed=Status.SOURCE_FAILED,
            unknown=Status.UNKNOWN,
            done_journal=burned(bridge),
            failed_journal=freed(bridge),
            done_facts=_NOTHING_HELD,
            failed_facts=_NOTHING_HELD,
        )

    async def destination(self, bridge: Bridge, at: datetime) -> Errand:
        """Mint; once that has failed for good, or may not be done any more, give the coins back."""
        if bridge.details.halted_reason is not None:
            return await self._refund(bridge, bridge.details.halted_reason, at)
        mint = await self._mint(bridge, at)
        return Errand(
            way=by_chain(self.chains, mint, prefix="mint_"),
            moves=MOVES,
            initiated=Status.DESTINATION_INITIATED,
            pending=Status.DESTINATION_PENDING,
            done=Status.COMPLETED,
            # It stays where it is, and its next order is the refund.
            failed=bridge.status,
            unknown=Status.UNKNOWN,
            done_journal=minted(bridge),
            reason_fact="halted_reason",
        )

    async def _refund(self, bridge: Bridge, reason: str, at: datetime) -> Errand:
        """Mint the coins back on the source chain; only then is the bridge failed."""
        record, details = bridge.record, bridge.details
        back_on = Network(bridge.source.asset.chain)
        back = replace(
            await self._mint(bridge, at),
            key=key_to_insist(record, _BACK),
            chain=back_on,
            source=await self.wallets.treasury_address(record.org_id, back_on.address_chain),
            legs=(Leg(details.return_address or details.source_address, bridge.source),),
            is_refund=True,
        )
        facts = {"failed_reason": reason}
        return Errand(
            way=insisting(by_chain(self.chains, back, prefix="return_"), _BACK),
            moves=MOVES,
            initiated=bridge.status,
            done=Status.DESTINATION_FAILED,
            done_journal=returned(bridge),
            done_facts=facts,
            refund=Refund(
                name=_BACK,
                status=Status.DESTINATION_FAILED,
                journal=returned(bridge),
                outside_journal=returned_outside(bridge),
                facts=facts,
            ),
        )

    async def _mint(self, bridge: Bridge, at: datetime) -> Order:
        record = bridge.record
        network = Network(bridge.destination.asset.chain)
        return Order(
            org_id=record.org_id,
            key=derived_id(record.id, "mint"),
            record_id=record.id,
            action=Action.MINT,
            chain=network,
            source=await self.wallets.treasury_address(record.org_id, network.address_chain),
            wallet_id=None,
            legs=(Leg(bridge.details.destination_address, bridge.destination),),
            at=at,
            after=derived_id(record.id, "burn"),
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


def _unless(why_not: WhyNot, way: Way, *, is_checked: bool) -> Way:
    """A way that fails for a reason of ours: before it is given, or once it is done.

    With `is_checked` there was no such reason just now, before it is given.
    """

    async def checked(answer: Answer) -> Answer:
        reason = await why_not() if _is_done(answer) else None
        if reason is None:
            return answer
        return replace(answer, standing=Standing.FAILED, reason=reason)

    async def send() -> Answer:
        reason = None if is_checked else await why_not()
        if reason is not None:
            return Answer(standing=Standing.FAILED, expected_at=None, reason=reason)
        return await checked(await way.send())

    async def look(at: datetime) -> Answer | None:
        answer = await way.look(at)
        return None if answer is None else await checked(answer)

    return replace(way, send=send, look=look)


def _is_done(answer: Answer) -> bool:
    return answer.standing is Standing.DONE
