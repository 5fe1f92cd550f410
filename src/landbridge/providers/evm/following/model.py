"""Types of the block follower: blocks, the cursor of a chain, and transfers in logs."""

import msgspec

from landbridge.platform.core.errors import Unavailable
from landbridge.providers.chains.tokens import Network


class ChainUnsettled(Unavailable):
    """The answers of nodes belong to different states of the chain; read them again later."""


class BlockRef(msgspec.Struct, frozen=True):
    """Block by number and hash; the hash also identifies all blocks below it."""

    number: int
    hash: str


class ChainHeads(msgspec.Struct, frozen=True, kw_only=True):
    """Latest block of a chain, and the numbers up to which its blocks are settled.

    `confirmed` is the highest block that is `confirmations` deep; the latest block is one deep.
    `final` is the highest block at the chain's finality, never above `confirmed`; None if there is
    none yet.
    """

    latest: BlockRef
    confirmed: int
    final: int | None


class ChainCursor(msgspec.Struct, frozen=True, kw_only=True):
    """Position of the block follower on one chain.

    Transfers up to the block `start` are not read. Those up to `confirmed` were read at the depth
    `confirmations`, those up to `final` at the chain's finality.
    """

    chain: Network
    start: BlockRef
    confirmed: BlockRef
    final: BlockRef


class LoggedTransfer(msgspec.Struct, frozen=True, kw_only=True):
    """Transfer event of one of the chain's configured tokens; amounts are in smallest units.

    `log_index` counts within the block, and may change in a reorganisation.
    """

    transaction_hash: str
    log_index: int
    block: BlockRef
    currency: str
    contract_address: str
    source: str
    destination: str
    amount_units: int

    @property
    def key(self) -> tuple[str, int]:
        """Return the identity of the log in one state of the chain."""
        return self.transaction_hash, self.log_index
