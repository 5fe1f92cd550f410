"""Context of Solana, shared by all steps on its orders."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol
from uuid import UUID

from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.db.wakeups import DueNotifier
from landbridge.providers.evm.outbox.chain_context import (
    DestinationScreening,
    RelayerSeedSource,
    move_orders,
)
from landbridge.providers.evm.outbox.model import OutboxOrder
from landbridge.providers.evm.signing.client import SignerClient
from landbridge.providers.evm.signing.model import SigningKey
from landbridge.providers.solana.configuration import SolanaChain
from landbridge.providers.solana.rpc import SolanaClient


class SolanaKeySource(Protocol):
    """Finds the Solana keys of wallets, as the signer needs them."""

    async def solana_key(self, org_id: UUID, wallet_id: UUID | None) -> SigningKey:
        """Return the key of a wallet; for None, the key of the organisation's own address."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SolanaContext:
    """Solana with its nodes, its signer, and the services that its orders need."""

    chain: SolanaChain
    client: SolanaClient
    database: Database
    clock: Clock
    signer: SignerClient
    wallet_keys: SolanaKeySource
    relayer_seeds: RelayerSeedSource
    screening: DestinationScreening
    notifier: DueNotifier

    @property
    def name(self) -> str:
        """Return the name of the chain, as it is stored."""
        return self.chain.name.value

    async def move(
        self, tx: Tx, moves: Sequence[tuple[OutboxOrder, OutboxOrder]], at: datetime
    ) -> set[tuple[UUID, UUID]]:
        """Store changed orders, and wake their payments, as `move_orders` does."""
        return await move_orders(tx, self.notifier, moves, at)
