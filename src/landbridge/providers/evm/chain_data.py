"""Blocks, logs and transaction receipts, parsed from the answers of nodes.

Hashes and topics are 0x and 64 digits in lower case; addresses have EIP-55 capital letters; fees
are in wei per gas. Every reader raises `AnswerInvalid` for a value that is not in the specified
form.
"""

from enum import StrEnum
from typing import Any

import msgspec

from landbridge.providers.evm.quantities import (
    AnswerInvalid,
    read_address,
    read_data,
    read_hash,
    read_list,
    read_number,
    read_object,
    read_quantity,
    read_time,
)

# Most topics of a log; the EVM has no instruction for more.
_TOPICS_MAX = 4
# Highest plausible gas cost, a trillion native coins: more than a chain has, and less than the
# ledger can hold.
_COST_MAX_WEI = 10**30


class BlockTag(StrEnum):
    """Name of a block that has another number as the chain grows."""

    LATEST = "latest"
    SAFE = "safe"
    FINALIZED = "finalized"
    PENDING = "pending"  # used for nonces only: this block has no hash


class BlockHeader(msgspec.Struct, frozen=True, kw_only=True):
    """Block of the chain. `base_fee_wei` is None before EIP-1559."""

    number: int
    hash: str
    parent_hash: str
    timestamp_s: int
    base_fee_wei: int | None


class EventLog(msgspec.Struct, frozen=True, kw_only=True):
    """Event of a contract.

    `log_index` counts within the block, and may change in a reorganisation.
    """

    address: str
    topics: tuple[str, ...]
    data: bytes
    block_number: int
    block_hash: str
    transaction_hash: str
    log_index: int


class TransactionReceipt(msgspec.Struct, frozen=True, kw_only=True):
    """Result of a mined transaction. Without `is_success` it was reverted, but its gas was paid."""

    transaction_hash: str
    block_number: int
    block_hash: str
    is_success: bool
    gas_used: int
    gas_price_wei: int
    # Paid besides gas on rollups such as Base and Optimism, for publishing the transaction on
    # Ethereum.
    l1_fee_wei: int
    logs: tuple[EventLog, ...]

    @property
    def cost_wei(self) -> int:
        """Return the native coins that the sender paid for the transaction, except its value."""
        return self.gas_used * self.gas_price_wei + self.l1_fee_wei


class FeeQuote(msgspec.Struct, frozen=True, kw_only=True):
    """Base fee of the next block, and the tip that the node suggests, both in wei per gas."""

    base_fee_wei: int
    tip_wei: int


def read_block(value: object) -> BlockHeader | None:
    """Return a block; None if the node answers null."""
    if value is None:
        return None
    members = read_object(value)
    base_fee = members.get("baseFeePerGas")
    return BlockHeader(
        number=read_number(members.get("number")),
        hash=read_hash(members.get("hash")),
        parent_hash=read_hash(members.get("parentHash")),
        timestamp_s=read_time(members.get("timestamp")),
        base_fee_wei=None if base_fee is None else read_quantity(base_fee),
    )


def read_log(value: object) -> EventLog:
    """Return a log that is in a block."""
    members = read_object(value)
    if members.get("removed", False) is not False:
        raise AnswerInvalid("a log is of a removed block")
    topics = read_list(members.get("topics"))
    if len(topics) > _TOPICS_MAX:
        raise AnswerInvalid(f"a log has {len(topics)} topics")
    return EventLog(
        address=read_address(members.get("address")),
        topics=tuple(read_hash(topic) for topic in topics),
        data=read_data(members.get("data")),
        block_number=read_number(members.get("blockNumber")),
        block_hash=read_hash(members.get("blockHash")),
        transaction_hash=read_hash(members.get("transactionHash")),
        log_index=read_number(members.get("logIndex")),
    )


def read_receipt(value: object, *, transaction_hash: str) -> TransactionReceipt | None:
    """Return the receipt of this transaction; None if it is not in a block (any more)."""
    if value is None:
        return None
    members = read_object(value)
    status = read_quantity(members.get("status"))
    receipt = TransactionReceipt(
        transaction_hash=read_hash(members.get("transactionHash")),
        block_number=read_number(members.get("blockNumber")),
        block_hash=read_hash(members.get("blockHash")),
        is_success=status == 1,
        gas_used=read_number(members.get("gasUsed")),
        gas_price_wei=read_quantity(members.get("effectiveGasPrice")),
        # Source: specs.optimism.io, execution engine, L1 cost. Other chains lack this member.
        l1_fee_wei=read_quantity(members.get("l1Fee") or "0x0"),
        logs=tuple(read_log(each) for each in read_list(members.get("logs"))),
    )
    if status > 1:
        raise AnswerInvalid(f"a receipt has status {status}")
    if receipt.cost_wei > _COST_MAX_WEI:
        raise AnswerInvalid("a receipt has a cost that no account could pay")
    if receipt.transaction_hash != transaction_hash:
        raise AnswerInvalid("a receipt is of another transaction")
    place = (receipt.block_hash, receipt.transaction_hash)
    if any((log.block_hash, log.transaction_hash) != place for log in receipt.logs):
        raise AnswerInvalid("a receipt has a log of another transaction")
    return receipt


def read_next_base_fee(value: object) -> int:
    """Return the base fee of the next block, which is the last one of a fee history."""
    fees: list[Any] = read_list(read_object(value).get("baseFeePerGas"))
    if not fees:
        raise AnswerInvalid("a fee history is empty")
    return read_quantity(fees[-1])
