"""Which blocks are stored together: few transfers at once, and at least one block."""

from collections.abc import Sequence

import pytest

from landbridge.customers.chain_deposits.matching import (
    STORED_MAX,
    MatchedTransfer,
    TreasuryTransfer,
    first_blocks,
)
from landbridge.platform.core.ids import new_id
from landbridge.providers.evm.following.model import BlockRef, LoggedTransfer


@pytest.mark.parametrize(
    ("counts", "stored"),
    [
        ([0, 0, 0], 3),
        ([STORED_MAX - 1, 1, 0], 3),
        ([STORED_MAX - 1, 2, 0], 1),
        ([0, 0, STORED_MAX + 1], 2),
        ([STORED_MAX + 1, 0, 0], 1),
    ],
)
def test_as_many_blocks_as_have_few_transfers_are_stored_together(
    counts: Sequence[int], stored: int
) -> None:
    blocks = [BlockRef(place, f"block {place}") for place in range(len(counts))]
    paid = [
        logged(block) for block, count in zip(blocks, counts, strict=True) for _ in range(count)
    ]
    for matched, received in ((paid, []), ([], paid), (paid[::2], paid[1::2])):
        first, in_wallets, in_treasuries = first_blocks(
            blocks,
            [MatchedTransfer(each, new_id(), new_id(), new_id()) for each in matched],
            [TreasuryTransfer(each, new_id()) for each in received],
        )
        assert first == blocks[:stored]
        assert len(in_wallets) + len(in_treasuries) == sum(counts[:stored])


def logged(block: BlockRef) -> LoggedTransfer:
    """Return a transfer in a block."""
    return LoggedTransfer(
        transaction_hash="0x",
        log_index=0,
        block=block,
        currency="usdc",
        contract_address="0x",
        source="0x",
        destination="0x",
        amount_units=1,
    )
