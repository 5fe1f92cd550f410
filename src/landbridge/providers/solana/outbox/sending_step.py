"""Sends signed transactions, always the same bytes, until the chain has them or they have expired.

A node's answer decides nothing: the result of a transaction is read from the chain.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from landbridge.platform.core.gather import gather_in_order
from landbridge.platform.db.pool import Tx
from landbridge.providers.evm.errors import NodeError, NodeUnavailable
from landbridge.providers.evm.outbox import stored_orders
from landbridge.providers.evm.outbox.model import OutboxState
from landbridge.providers.solana.outbox import attempt_store
from landbridge.providers.solana.outbox.context import SolanaContext
from landbridge.providers.solana.outbox.model import SolanaAttempt

_log = structlog.stdlib.get_logger()

BATCH_SIZE = 500


class TransactionSendingStep:
    """Sends the signed transactions of Solana."""

    def __init__(self, context: SolanaContext) -> None:
        self._context = context

    async def run(self) -> int:
        """Send transactions that were not sent lately; return the number of transactions sent."""
        context = self._context
        at = context.clock.now()
        before = at - timedelta(seconds=context.chain.resend_after_s)
        attempts = await context.database.single(
            lambda tx: attempt_store.to_send(tx, before=before, limit=BATCH_SIZE)
        )
        results = await gather_in_order(self._send(each) for each in attempts)
        sent = [each for each, is_sent in zip(attempts, results, strict=True) if is_sent]
        if sent:
            await context.database.transact(lambda tx: self._store(tx, sent, at))
        return len(sent)

    async def _send(self, attempt: SolanaAttempt) -> bool:
        """Send an attempt; return whether the bytes may have reached a node."""
        try:
            await self._context.client.send(attempt.raw)
        except NodeError as error:
            # For example: already processed, or the blockhash is not known yet or has expired.
            _log.info("chain.send.refused", chain=self._context.name, result=error.code)
        except NodeUnavailable as error:
            _log.warning("chain.send.failed", chain=self._context.name, reason=str(error))
            return False
        return True

    async def _store(self, tx: Tx, attempts: Sequence[SolanaAttempt], at: datetime) -> None:
        await attempt_store.set_sent(tx, attempts, at)
        steps = {each.order_key: each.step for each in attempts}
        orders = await stored_orders.by_keys(tx, steps.keys())
        signed = [
            each
            for each in orders
            if each.state is OutboxState.SIGNED and each.step == steps[each.order_key]
        ]
        moves = [(each, replace(each, state=OutboxState.SENT)) for each in signed]
        await stored_orders.move(tx, moves, at)
