"""Types of the block follower: blocks, the cursor of a chain, and transfers in logs."""

import msgspec

from landbridge.platform.core.errors import Unavailable
from landbridge.providers.chains.tokens import Network


class ChainUnsettled(Unavailable):
    """Answers of the nodes do not belong to one state of the chain; read them again later."""


class BlockRef(msgspec.Struct, frozen=True):
    """Block by number and hash; the hash also stands for all blocks below."""

    number: int
    hash: str


class ChainHeads(msgspec.Struct, frozen=True, kw_only=True):
    """Latest block of a chain, and the numbers down to which its blocks count as settled.

    `confirmed` is the highest block that is `confirmations` deep, where the latest block is one
    deep. `final` is the highest one at the chain's finality, never above `confirmed`; None if there
    is none yet.
    """

    latest: BlockRef
    confirmed: int
    final: int | None


class ChainCursor(msgspec.Struct, frozen=True, kw_only=True):
    """Position of the follower on one chain.

    Transfers up to `start` are not read. Those up to `confirmed` were found at the depth
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
        """Return what identifies the log on one state of the chain."""
        return self.transaction_hash, self.log_index
