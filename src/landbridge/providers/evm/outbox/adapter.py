"""Adapter of the chains port for EVM chains: stores orders, and reports their status.

Nothing is sent here: `send` only stores the order, and the worker's outbox sends it.
"""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from uuid import UUID

from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import InvariantBroken, Rejected
from landbridge.platform.core.money import Asset
from landbridge.platform.db.group_commit import GroupCommit
from landbridge.platform.db.pool import Database
from landbridge.providers.chains.port import (
    ChainAction,
    ChainOrder,
    ChainOrderState,
    ChainOrderStatus,
    Chains,
)
from landbridge.providers.chains.tokens import Network
from landbridge.providers.evm.bridging.connected_bridges import ConnectedBridges
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.outbox import order_store
from landbridge.providers.evm.outbox.model import (
    OutboxOrder,
    OutboxState,
    PaymentLeg,
    SwapTerms,
)
from landbridge.providers.evm.outbox.plans import choose_method, explain_no_method

# Bounds of the time after which a payment checks for its result. A payment that stores its status
# while its order gets the result is not woken, and finds the result at this check.
_ASK_AFTER = timedelta(seconds=10)
_ASK_AFTER_MAX = timedelta(minutes=5)


# Function that returns why a chain that is not an EVM chain can't carry out an order; None if it
# can.
OrderCheck = Callable[[OutboxOrder], str | None]


class EvmChains:
    """All connected chains of the chains file, as an implementation of the port."""

    # None: keys are stored for ever.
    key_lifetime: timedelta | None = None

    def __init__(
        self,
        database: Database,
        chains: Mapping[Network, EvmChain],
        clock: Clock,
        *,
        bridges: ConnectedBridges,
        others: Chains | None = None,
        checks: Mapping[Network, OrderCheck] | None = None,
    ) -> None:
        """`others` carries the orders of chains that are not connected.

        `checks` are for connected chains that are not EVM chains.
        """
        self._database = database
        self._chains = chains
        self._clock = clock
        self._bridges = bridges
        self._others = others
        self._checks = checks or {}
        self._connected = chains.keys() | self._checks.keys()
        self._orders = GroupCommit(self._add, concurrency=2, keys=lambda each: [each.order_key])

    def carries(self, chain: str, action: ChainAction) -> bool:
        """Return whether this chain is connected; for a bridge, also to another connected chain."""
        if Network(chain) in self._connected:
            if action is ChainAction.SWAP:
                found = self._chains.get(Network(chain))
                return found is not None and found.market is not None
            return action is ChainAction.TRANSFER or self._bridges.has_bridge(Network(chain))
        return self._others is not None and self._others.carries(chain, action)

    def find_bridge_refusal(self, source: Asset, destination: Asset) -> str | None:
        """Return why coins can't be bridged, None if they can; see the port.

        Coins can't move between a connected chain and a simulated one.
        """
        ends = (Network(source.chain), Network(destination.chain))
        if self._others is not None and not any(each in self._connected for each in ends):
            return self._others.find_bridge_refusal(source, destination)
        return self._bridges.find_refusal(*ends, source.currency)

    def refunds_burns(self, chain: str) -> bool:
        """Return whether burned coins can be minted back; see the port.

        Bridges of connected chains mint a burn once, for the recipient that the burn names.
        """
        if Network(chain) in self._connected or self._others is None:
            return False
        return self._others.refunds_burns(chain)

    def holds_coins(self, chain: str) -> bool:
        """Return whether this chain is connected."""
        return Network(chain) in self._connected

    async def send(self, order: ChainOrder) -> ChainOrderStatus:
        """Store an order once per key, and return its status; see the port."""
        if self._others is not None and Network(order.chain) not in self._connected:
            return await self._others.send(order)
        if order.action is ChainAction.SWAP and not self.carries(order.chain, order.action):
            return await self._without_market(order)
        new = self._new_order(order)
        stored = await self._orders.call(new)
        self._check_same(stored, new)
        return self._status(stored, order.at)

    async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> ChainOrderStatus | None:
        """Return the status of an order; see the port."""
        stored = await self._database.single(lambda tx: order_store.get(tx, org_id, key))
        if stored is not None:
            return self._status(stored, at)
        return None if self._others is None else await self._others.find_status(org_id, key, at)

    async def _without_market(self, order: ChainOrder) -> ChainOrderStatus:
        """Return the status of a stored swap, though the chains file no longer has its market."""
        found = await self.find_status(order.org_id, order.key, order.at)
        if found is None:
            raise Rejected(f"{order.chain} has no market")
        return found

    async def _add(self, orders: list[OutboxOrder]) -> list[OutboxOrder]:
        """Store orders, each once per key, and return them as stored."""
        stored = {each.order_key: each for each in orders}
        added = await self._database.single(
            # Sorted, so that two processes with the same orders do not deadlock.
            lambda tx: order_store.add(tx, [stored[key] for key in sorted(stored)])
        )
        if known := [key for key in stored if key not in added]:
            found = await self._database.single(lambda tx: order_store.by_keys(tx, known))
            stored |= {each.order_key: each for each in found}
        return [stored[each.order_key] for each in orders]

    def _new_order(self, order: ChainOrder) -> OutboxOrder:
        """Return the order to store; raises `Rejected` if no chain can carry it out."""
        if Network(order.chain) not in self._connected:
            raise Rejected(f"{order.chain} is not connected")
        currency, *others = {leg.money.asset.currency for leg in order.legs}
        if others:
            raise InvariantBroken(f"chain order {order.key} has several tokens")
        if any(leg.money.units <= 0 for leg in order.legs):
            raise Rejected("the amount must be positive")
        self._check_bridge(order, currency)
        self._check_market(order)
        now = self._clock.now()
        is_approve = order.action is ChainAction.APPROVE
        new = OutboxOrder(
            org_id=order.org_id,
            key=order.key,
            record_id=order.record_id,
            chain=order.chain,
            currency=currency,
            source=order.source,
            wallet_id=order.wallet_id,
            legs=tuple(PaymentLeg(leg.address, leg.money.units) for leg in order.legs),
            method=None,
            step=0,
            # An approval is part of its burn, so it is final as soon as it is stored.
            state=OutboxState.FINAL if is_approve else OutboxState.CREATED,
            reason=None,
            transaction_hash=None,
            confirmed_at=now if is_approve else None,
            created_at=now,
            due_at=now,
            is_refund=order.is_refund,
            action=order.action,
            into_chain=order.into,
            burn_key=order.after,
            swap=_terms(order),
        )
        check = self._checks.get(Network(order.chain), self._find_refusal)
        if (refusal := check(new)) is not None:
            raise Rejected(refusal)
        return new

    def _find_refusal(self, new: OutboxOrder) -> str | None:
        """Return why an EVM chain can't carry out an order; None if it can."""
        chain = self._chains[Network(new.chain)]
        if new.currency not in chain.tokens:
            return f"{new.currency} on {new.chain} is not connected"
        if new.action is not ChainAction.MINT and choose_method(chain, new) is None:
            return explain_no_method(chain, new)
        return None

    def _check_bridge(self, order: ChainOrder, currency: str) -> None:
        """Raise `Rejected` unless the chain's bridge can carry out the order."""
        if order.action in (ChainAction.TRANSFER, ChainAction.SWAP):
            return
        if len(order.legs) != 1:
            raise Rejected("a bridge has one recipient")
        here = Network(order.chain)
        if order.action is ChainAction.MINT:
            if order.after is None or order.is_refund or not self._bridges.has_bridge(here):
                raise Rejected("only what was burned on another connected chain is minted")
            refusal = self._bridges.find_refusal(here, here, currency)
        else:
            if order.into is None:
                raise Rejected("a burn names the chain of its mint")
            refusal = self._bridges.find_refusal(here, Network(order.into), currency)
        if refusal is not None:
            raise Rejected(refusal)

    def _check_market(self, order: ChainOrder) -> None:
        """Raise `InvariantBroken` for invalid or missing swap terms, or terms without a swap."""
        terms = order.market
        if order.action is not ChainAction.SWAP:
            if terms is not None:
                raise InvariantBroken(f"chain order {order.key} has terms, and is no swap")
            return
        if terms is None or len(order.legs) != 1 or terms.least.units <= 0:
            raise InvariantBroken(f"chain order {order.key} is a swap without terms")
        if terms.fee is not None and not 0 < terms.fee.money.units < order.legs[0].money.units:
            raise InvariantBroken(f"chain order {order.key} sells nothing")

    def _status(self, order: OutboxOrder, at: datetime) -> ChainOrderStatus:
        state = ChainOrderState.PENDING
        if order.is_reported_as_paid:
            state = ChainOrderState.CONFIRMED
        elif order.is_reported_as_failed:
            state = ChainOrderState.FAILED
        is_pending = state is ChainOrderState.PENDING
        return ChainOrderStatus(
            state=state,
            transaction_hash=order.transaction_hash,
            user_op_hash=None,
            expected_at=at + self._wait(order) if is_pending else None,
            reason=order.reason if state is ChainOrderState.FAILED else None,
            received_units=order.received_units if order.is_reported_as_paid else None,
        )

    def _wait(self, order: OutboxOrder) -> timedelta:
        age = self._clock.now() - order.created_at
        return min(max(_ASK_AFTER, age), _ASK_AFTER_MAX)

    @staticmethod
    def _check_same(stored: OutboxOrder, new: OutboxOrder) -> None:
        if stored.swap != new.swap or (
            stored.action,
            stored.chain,
            stored.currency,
            stored.source,
            stored.legs,
        ) != (
            new.action,
            new.chain,
            new.currency,
            new.source,
            new.legs,
        ):
            raise InvariantBroken(f"chain order {new.key} is sent with another content")


def _terms(order: ChainOrder) -> SwapTerms | None:
    terms = order.market
    if terms is None:
        return None
    return SwapTerms(
        bought=terms.least.asset.currency,
        least_units=terms.least.units,
        fee_units=0 if terms.fee is None else terms.fee.money.units,
        fee_to=None if terms.fee is None else terms.fee.address,
    )
