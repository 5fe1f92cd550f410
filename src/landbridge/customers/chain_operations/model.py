"""State of a connected chain. Times are real time, amounts are in smallest units."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol, TypeAlias

from landbridge.providers.evm.configuration import EvmChain
from landbridge.providers.evm.nodes import NodeHealth
from landbridge.providers.evm.outbox.model import TransactionAttempt
from landbridge.providers.evm.outbox.overview import (
    AccountOverview,
    MessageAttempt,
    OpenOrders,
    OrderOverview,
)
from landbridge.providers.evm.outbox.overview_service import ShownAttempts
from landbridge.providers.solana.configuration import SolanaChain

# A chain that the chains file configures.
ConnectedChain: TypeAlias = EvmChain | SolanaChain


class ChainNodes(Protocol):
    """Client of a chain's nodes."""

    def health(self) -> Sequence[NodeHealth]:
        """Return the health of each node."""
        ...

    async def latest_block(self, *, timeout_s: float) -> "LatestBlock | None":
        """Return the latest block; None if no node answers in time."""
        ...

    async def token_balance(self, token: str, owner: str) -> int:
        """Return an address's balance of a token, in smallest units."""
        ...


class LatestBlock(Protocol):
    """Number and time of a block."""

    @property
    def number(self) -> int:
        """Block number; on Solana, the slot."""
        ...

    @property
    def timestamp_s(self) -> int:
        """Time of the block, in seconds since 1970 UTC."""
        ...


# Kind of change log entries about sending accounts.
KIND = "CHAIN.ACCOUNT"


@dataclass(frozen=True, slots=True)
class ChainHead:
    """Latest block: its number, its time, and the seconds since then."""

    number: int
    at: datetime
    lag_s: int


@dataclass(frozen=True, slots=True)
class TreasuryToken:
    """Token of an organisation's own address; `units` is None if no node answers."""

    currency: str
    decimals: int
    units: int | None
    floor_units: int | None
    target_units: int | None

    @property
    def missing_units(self) -> int | None:
        """Units missing up to the target balance, or to the floor if no target is set."""
        wanted = self.floor_units if self.target_units is None else self.target_units
        return None if self.units is None or wanted is None else max(wanted - self.units, 0)

    @property
    def is_low(self) -> bool:
        """Whether the balance is below the floor."""
        return self.units is not None and is_below(self.units, self.floor_units)


@dataclass(frozen=True, slots=True)
class Treasury:
    """An organisation's own address on a chain; empty before its first wallet or payout."""

    address: str
    tokens: Sequence[TreasuryToken]


@dataclass(frozen=True, slots=True)
class ChainInstallation:
    """State of a chain that concerns all organisations of the installation."""

    nodes: Sequence[NodeHealth]
    accounts: Sequence[AccountOverview]
    orders: OpenOrders
    gas_day_wei: int


@dataclass(frozen=True, slots=True)
class ChainState:
    """A chain as an organisation sees it; `installation` is only for admins."""

    chain: ConnectedChain
    head: ChainHead | None
    orders: OpenOrders
    treasury: Treasury
    installation: ChainInstallation | None


@dataclass(frozen=True, slots=True)
class OrderWithAttempts:
    """Order with its attempts, and the latest block number, None if no node answers."""

    chain: ConnectedChain
    order: OrderOverview
    attempts: ShownAttempts
    head: int | None

    def confirmations(self, attempt: TransactionAttempt | MessageAttempt) -> int:
        """Return how many blocks confirm an attempt; its own block is the first, 0 without one."""
        if attempt.block_number is None or self.head is None:
            return 0
        return max(self.head - attempt.block_number + 1, 0)


def is_below(units: int, floor_units: int | None) -> bool:
    """Return whether a balance is below a floor; False if no floor is set."""
    return floor_units is not None and units < floor_units
