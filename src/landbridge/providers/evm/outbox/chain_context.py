"""Context of one chain, shared by all steps on its orders."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from landbridge.ledger.locking import make_records_due
from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.db.wakeups import DueNotifier
from landbridge.providers.evm.bridging.connected_bridges import ConnectedBridges
from landbridge.providers.evm.chain_data import BlockHeader
from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.fees import FeePolicy, GasFees, estimate_fees, fee_policy
from landbridge.providers.evm.outbox import order_store
from landbridge.providers.evm.outbox.model import OutboxOrder
from landbridge.providers.evm.rpc import ChainClient
from landbridge.providers.evm.signing.client import SignerClient
from landbridge.providers.evm.signing.model import SealedSeed, SigningKey


class DestinationScreening(Protocol):
    """Screens the destinations of orders again before the orders are signed."""

    async def find_refusals(
        self, payments: Sequence[tuple[UUID, Sequence[str]]]
    ) -> list[str | None]:
        """Return for each payment why its organisation may not pay its addresses; None if it may.

        A payment is an organisation and its destinations. The sentence is shown to customers.
        """
        ...


class WalletKeySource(Protocol):
    """Finds the keys of wallets, as the signer needs them."""

    async def signing_key(self, org_id: UUID, wallet_id: UUID | None) -> SigningKey:
        """Return the key of a wallet; for None, the key of the organisation's own address."""
        ...


class RelayerSeedSource(Protocol):
    """Finds the sealed seed of the relayers."""

    async def relayer_seed(self) -> SealedSeed:
        """Return the seed; it is created if there is none."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ChainContext:
    """One chain with its nodes, its signer, and the services that its orders need."""

    chain: EvmChain
    client: ChainClient
    database: Database
    clock: Clock
    signer: SignerClient
    wallet_keys: WalletKeySource
    relayer_seeds: RelayerSeedSource
    screening: DestinationScreening
    bridges: ConnectedBridges
    notifier: DueNotifier

    @property
    def name(self) -> str:
        """Return the name of the chain, as it is stored."""
        return self.chain.name.value

    @property
    def fee_policy(self) -> FeePolicy:
        """Return the bounds of the chain's fees."""
        return fee_policy(self.chain)

    async def final_block(self, head: BlockHeader) -> int:
        """Return the number of the last block that can't be undone; -1 if there is none."""
        final = await self.client.final_block(self.chain.finality, head=head.number)
        return -1 if final is None else final

    async def move(
        self,
        tx: Tx,
        moves: Sequence[tuple[OutboxOrder, OutboxOrder]],
        at: datetime,
    ) -> set[tuple[UUID, UUID]]:
        """Store changed orders, and wake their payments, as `move_orders` does."""
        return await move_orders(tx, self.notifier, moves, at)

    async def fees(self) -> GasFees:
        """Return the current fees for a transaction; raises `FeeAboveCap` and `NodeUnavailable`."""
        quote = await self.client.fees()
        return estimate_fees(
            self.fee_policy, base_fee_wei=quote.base_fee_wei, tip_wei=quote.tip_wei
        )


async def move_orders(
    tx: Tx,
    notifier: DueNotifier,
    moves: Sequence[tuple[OutboxOrder, OutboxOrder]],
    at: datetime,
) -> set[tuple[UUID, UUID]]:
    """Store changed orders as `order_store.move` does; return the keys of the changed ones.

    Payments of orders that now have a result become due at once.
    """
    moved = await order_store.move(tx, moves, at)
    decided = [
        (new.org_id, new.record_id)
        for old, new in moves
        if new.has_result and not old.has_result and new.order_key in moved
    ]
    if decided:
        await make_records_due(tx, decided)
        await notifier.notify_in(tx)
    return moved
