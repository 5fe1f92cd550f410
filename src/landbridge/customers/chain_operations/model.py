"""State of a connected chain. Times are real time, amounts whole smallest units."""

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

# Chain of the chains file.
ConnectedChain: TypeAlias = EvmChain | SolanaChain


class ChainNodes(Protocol):
    """Nodes of a chain, as its client asks them."""

    def health(self) -> Sequence[NodeHealth]:
        """Return the health of each node."""
        ...

    async def latest_block(self, *, timeout_s: float) -> "LatestBlock | None":
        """Return the latest block; None if no node answers in time."""
        ...

    async def token_balance(self, token: str, owner: str) -> int:
        """Return the units of a token that an address has."""
        ...


class LatestBlock(Protocol):
    """Number and time of a block."""

    @property
    def number(self) -> int:
        """Its number, or its slot."""
        ...

    @property
    def timestamp_s(self) -> int:
        """Seconds since 1970."""
        ...


# Kind of the entries about accounts in the change log.
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
        """Units that fill it up to its target, or to its floor without one."""
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
    """What concerns all organisations of the installation."""

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
    """Order with its attempts, and the head's number, None if no node answers."""

    chain: ConnectedChain
    order: OrderOverview
    attempts: ShownAttempts
    head: int | None

    def confirmations(self, attempt: TransactionAttempt | MessageAttempt) -> int:
        """Return how many blocks have confirmed an attempt; its own block is the first."""
        if attempt.block_number is None or self.head is None:
            return 0
        return max(self.head - attempt.block_number + 1, 0)


def is_below(units: int, floor_units: int | None) -> bool:
    """Return whether a balance is below a floor; never without one."""
    return floor_units is not None and units < floor_units
