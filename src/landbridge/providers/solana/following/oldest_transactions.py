"""Lists the oldest transactions of an account that were not read yet.

Nodes list the newest first, and anybody can add transactions to an account. So a long list is gone
down in several calls, and where its pages begin is kept: on the way back up each page is listed
once more. What is kept is lost with the process, which then begins again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from landbridge.providers.evm.following.model import ChainUnsettled
from landbridge.providers.solana.chain_data import SignatureInfo
from landbridge.providers.solana.rpc import SIGNATURES_MAX, SolanaClient


@dataclass(frozen=True, slots=True)
class ListLimits:
    """Transactions of a page, and pages of a call."""

    page_size: int = SIGNATURES_MAX
    pages: int = 5


@dataclass(slots=True)
class PageBounds:
    """Where the pages of a long list begin: before these transactions, the newest page first.

    The newest page of all has no such transaction. `until` is the last transaction that was read
    when they were found.
    """

    until: str | None
    befores: list[str] = field(default_factory=list[str])


class ListedTransactions(NamedTuple):
    """Transactions, the oldest first; `is_all` if there are no later ones."""

    infos: Sequence[SignatureInfo]
    is_all: bool


async def list_oldest(
    client: SolanaClient,
    address: str,
    bounds: PageBounds,
    *,
    after: int,
    slot: int,
    limits: ListLimits,
) -> ListedTransactions:
    """Return the account's oldest transactions after `bounds.until` and the slot `after`.

    Those above `slot` are left out. Changes `bounds`.

    Raises:
        ChainUnsettled: The list is so long that the next call goes further down.
        NodeUnavailable: No node answers.
        NodeError: The node has not reached `slot`.
    """
    befores = bounds.befores
    for _ in range(limits.pages):
        page = await client.signatures(
            address,
            until=bounds.until,
            before=befores[-1] if befores else None,
            min_slot=slot,
            limit=limits.page_size,
        )
        if len(page) == limits.page_size and page[-1].slot > after:
            # The next page has the last one of this page as well, and so is never empty.
            befores.append(page[-2].signature)
        elif not page and befores:
            befores.pop()
        else:
            infos = [each for each in reversed(page) if after < each.slot <= slot]
            return ListedTransactions(infos, is_all=not befores)
    raise ChainUnsettled(f"the transactions of {address} are too many to be listed at once")
