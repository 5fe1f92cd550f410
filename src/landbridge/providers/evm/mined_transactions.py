"""Reads receipts of transactions, as many in one request as a node answers."""

from collections.abc import Sequence
from typing import Any

from landbridge.providers.evm.call_results import chunks, value_or_failure
from landbridge.providers.evm.chain_data import TransactionReceipt, read_receipt
from landbridge.providers.evm.errors import AnswerTooLarge, NodeUnavailable, TransactionTooLarge
from landbridge.providers.evm.nodes import LargeAnswerPolicy, NodePool
from landbridge.providers.evm.transport import RpcCall


async def read_mined(
    pool: NodePool, transaction_hashes: Sequence[str]
) -> list[TransactionReceipt | None]:
    """Return the receipt of each transaction, in order; None for one that is not mined.

    Receipts that are too large together are read one by one. Raises `TransactionTooLarge` for a
    receipt that is too large by itself, and `NodeUnavailable`.
    """
    found: list[TransactionReceipt | None] = []
    for chunk in chunks([each.lower() for each in transaction_hashes], pool.limits.batch_max):
        try:
            found += await _mined(pool, chunk)
        except (AnswerTooLarge, NodeUnavailable):
            if len(chunk) == 1:
                raise
            for each in chunk:
                found += await _mined(pool, [each])
    return found


async def _mined(pool: NodePool, hashes: Sequence[str]) -> list[TransactionReceipt | None]:
    """Return the receipts from one request.

    Raises `AnswerTooLarge` for several receipts, and `TransactionTooLarge` for a single one.
    """

    def read(answers: list[Any]) -> list[TransactionReceipt | None]:
        return [
            read_receipt(value_or_failure(answer), transaction_hash=each)
            for answer, each in zip(answers, hashes, strict=True)
        ]

    calls = [RpcCall("eth_getTransactionReceipt", (each,)) for each in hashes]
    if len(hashes) > 1:
        return await pool.call(calls, read, too_large=LargeAnswerPolicy.RAISE)
    try:
        return await pool.call(calls, read, too_large=LargeAnswerPolicy.RAISE_OF_ALL)
    except AnswerTooLarge:
        raise TransactionTooLarge(f"the receipt of {hashes[0]} is too large") from None
