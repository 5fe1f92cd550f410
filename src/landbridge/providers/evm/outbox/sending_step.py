"""Sends signed transactions, always the same bytes, until a block has them.

A transaction that waits too long is replaced: the same call at the same nonce with fees raised by
an eighth at least. The replacement is stored before it is sent, so one of them is mined whatever
happens in between, and never both.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import msgspec
import structlog

from landbridge.platform.db.pool import Tx
from landbridge.providers.evm.chain_data import BlockTag
from landbridge.providers.evm.errors import NodeUnavailable
from landbridge.providers.evm.fees import FeeAboveCap, GasFees, replacement_fees
from landbridge.providers.evm.node_errors import SendResult
from landbridge.providers.evm.outbox import attempt_store, order_store
from landbridge.providers.evm.outbox.chain_context import ChainContext
from landbridge.providers.evm.outbox.metrics import REPLACED
from landbridge.providers.evm.outbox.model import (
    AttemptKind,
    OutboxState,
    SendingAccount,
    TransactionAttempt,
)
from landbridge.providers.evm.outbox.relayers import Relayers
from landbridge.providers.evm.raw_transactions import SendOutcome
from landbridge.providers.evm.signing.model import (
    SignerUnavailable,
    SigningKey,
    SigningRefused,
    UnsignedTransaction,
)

_log = structlog.stdlib.get_logger()

BATCH_SIZE = 500
# Transactions in one batch; nodes limit the calls of a batch.
_SENT_TOGETHER = 100
# Maximum replacements; more do not help, and a person has to look.
_REPLACEMENTS_MAX = 20
# Gas of a cancellation: an account that delegates runs its contract's code when it receives.
_CANCELLATION_GAS = 60_000
_ARRIVED = frozenset({SendResult.ACCEPTED, SendResult.ALREADY_KNOWN, SendResult.NONCE_TOO_LOW})


class SendingStep:
    """Sends the signed transactions of one chain."""

    def __init__(self, context: ChainContext, relayers: Relayers) -> None:
        self._context = context
        self._relayers = relayers

    async def run(self) -> int:
        """Send transactions that were not sent lately; return the number of transactions sent."""
        context = self._context
        at = context.clock.now()
        await self._cancel_failed(at)
        cutoff = at - timedelta(seconds=context.chain.resend_after_s)
        attempts = await context.database.single(
            lambda tx: attempt_store.to_send(tx, context.name, before=cutoff, limit=BATCH_SIZE)
        )
        if not attempts:
            return 0
        await self._fill_gaps(attempts)
        arrived: list[TransactionAttempt] = []
        replaced: list[TransactionAttempt] = []
        rejected: list[TransactionAttempt] = []
        for each, outcome in await self._send(attempts):
            if outcome.result in _ARRIVED or outcome.result is SendResult.UNCLEAR:
                arrived.append(each)
            elif outcome.result is SendResult.UNDERPRICED:
                replaced.append(each)
            else:
                if outcome.result is SendResult.REJECTED:
                    rejected.append(each)
                _log.warning(
                    "chain.send.refused",
                    chain=context.name,
                    hash=each.hash,
                    result=outcome.result.value,
                )
        await context.database.transact(lambda tx: self._store_sent(tx, arrived, at))
        await self._replace([*replaced, *self._late(attempts, at)], at)
        # No node accepts these bytes, and their nonce would block all that follow.
        await self._replace(rejected, at, kind=AttemptKind.CANCELLATION)
        return len(arrived)

    async def _cancel_failed(self, at: datetime) -> None:
        """Use up the nonces of failed payments that a reorganisation has removed from their blocks.

        Their money was released, but another party may have the bytes, which could now pay.
        """
        found = await self._context.database.single(
            lambda tx: attempt_store.to_cancel(tx, self._context.name)
        )
        await self._replace(found, at, kind=AttemptKind.CANCELLATION)

    async def _send(
        self, attempts: Sequence[TransactionAttempt]
    ) -> list[tuple[TransactionAttempt, SendOutcome]]:
        """Send in order, many in one request; return those that may have arrived or were refused.

        If a part certainly arrived nowhere, the parts after it are not sent.
        """
        found: list[tuple[TransactionAttempt, SendOutcome]] = []
        for start in range(0, len(attempts), _SENT_TOGETHER):
            part = attempts[start : start + _SENT_TOGETHER]
            try:
                outcomes = await self._context.client.send_raw([each.raw for each in part])
            except NodeUnavailable as error:
                _log.warning("chain.send.failed", chain=self._context.name, reason=str(error))
                break
            found += zip(part, outcomes, strict=True)
        return found

    def _late(
        self, attempts: Sequence[TransactionAttempt], at: datetime
    ) -> list[TransactionAttempt]:
        """Return attempts that wait too long; of each account only the lowest, blocking nonce."""
        cutoff = at - timedelta(seconds=self._context.chain.replace_after_s)
        lowest: dict[str, TransactionAttempt] = {}
        for each in attempts:
            lowest.setdefault(each.account, each)
        return [each for each in lowest.values() if each.sent_at and each.created_at < cutoff]

    async def _store_sent(
        self, tx: Tx, attempts: Sequence[TransactionAttempt], at: datetime
    ) -> None:
        await attempt_store.set_sent(tx, attempts, at)
        orders = await order_store.by_keys(tx, {each.order_key for each in attempts})
        signed = [each for each in orders if each.state is OutboxState.SIGNED]
        await order_store.move(
            tx, [(each, replace(each, state=OutboxState.SENT)) for each in signed], at
        )

    async def _replace(
        self,
        attempts: Sequence[TransactionAttempt],
        at: datetime,
        *,
        kind: AttemptKind = AttemptKind.REPLACEMENT,
    ) -> None:
        """Sign again with higher fees, or as a cancellation; the next run sends the result."""
        if not attempts:
            return
        context = self._context
        try:
            current = await context.fees()
        except (FeeAboveCap, NodeUnavailable):
            return
        for each in {attempt.hash: attempt for attempt in attempts}.values():
            try:
                fees = replacement_fees(context.fee_policy, previous=each.fees, current=current)
                await self._sign_again(each, fees, at, kind)
            except (FeeAboveCap, SignerUnavailable, SigningRefused) as error:
                _log.warning(
                    "chain.replacement.failed",
                    chain=context.name,
                    hash=each.hash,
                    reason=str(error),
                )

    async def _sign_again(
        self, attempt: TransactionAttempt, fees: GasFees, at: datetime, kind: AttemptKind
    ) -> None:
        context = self._context
        # A replacement of a cancellation is a cancellation too: it pays nothing.
        is_cancelled = AttemptKind.CANCELLATION in (kind, attempt.kind)

        async def work(tx: Tx) -> bool:
            accounts = await attempt_store.lock_accounts(tx, context.name, [attempt.account])
            others = await attempt_store.at_nonces(
                tx, context.name, attempt.account, [attempt.nonce]
            )
            is_newest = others[-1].hash == attempt.hash
            is_mined = any(each.block_number is not None for each in others)
            if not is_newest or is_mined or len(others) > _REPLACEMENTS_MAX:
                return False
            key = await self._key(tx, accounts[attempt.account], attempt)
            request = msgspec.structs.replace(
                msgspec.json.decode(attempt.request, type=UnsignedTransaction),
                max_fee_wei=fees.max_fee_wei,
                tip_wei=fees.tip_wei,
            )
            if is_cancelled:
                request = _cancellation(request, attempt.account)
            signed = await context.signer.sign_transaction(key, request)
            again = replace(
                attempt,
                hash=signed.hash,
                raw=signed.raw,
                kind=AttemptKind.CANCELLATION if is_cancelled else kind,
                request=msgspec.json.encode(request),
                fees=fees,
                created_at=at,
                sent_at=None,
            )
            await attempt_store.add(tx, context.name, [again])
            return True

        if await context.database.transact(work):
            REPLACED.labels(context.name).inc()

    async def _key(
        self, tx: Tx, account: SendingAccount, attempt: TransactionAttempt
    ) -> SigningKey:
        if account.relayer_index is not None:
            return await self._relayers.key_of(account)
        order = await order_store.get(tx, attempt.org_id, attempt.key)
        assert order is not None
        return await self._context.wallet_keys.signing_key(order.org_id, order.wallet_id)

    async def _fill_gaps(self, attempts: Sequence[TransactionAttempt]) -> None:
        """Send again transactions below the lowest waiting nonce that the chain has lost.

        This happens when a node in a test loses its last blocks; nodes in production keep theirs.
        """
        lowest: dict[str, int] = {}
        for each in attempts:
            lowest.setdefault(each.account, each.nonce)
        for account, nonce in lowest.items():
            try:
                expected = await self._context.client.nonce(account, BlockTag.LATEST)
            except NodeUnavailable:
                return
            if expected >= nonce:
                continue
            lost = await self._context.database.single(
                lambda tx, account=account, nonces=range(expected, nonce): attempt_store.at_nonces(
                    tx, self._context.name, account, nonces
                )
            )
            _log.error(
                "chain.nonces.lost", chain=self._context.name, account=account, count=len(lost)
            )
            orders = await self._context.database.single(
                lambda tx, lost=lost: order_store.by_keys(tx, {each.order_key for each in lost})
            )
            failed = {each.order_key for each in orders if each.failed_at is not None}
            await self._send(
                [
                    each
                    for each in lost
                    if not each.is_taken
                    and (each.order_key not in failed or each.kind is AttemptKind.CANCELLATION)
                ]
            )


def _cancellation(request: UnsignedTransaction, account: str) -> UnsignedTransaction:
    """Return a transfer of zero to the account itself, which uses up the nonce."""
    return msgspec.structs.replace(
        request, destination=account, value_wei=0, data=b"", gas=_CANCELLATION_GAS, delegations=()
    )
