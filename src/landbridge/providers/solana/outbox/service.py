"""Outbox of Solana."""

from datetime import timedelta
from uuid import UUID

from landbridge.providers.evm.outbox.runner import OutboxRunner
from landbridge.providers.evm.start_check import ChainCheck
from landbridge.providers.solana.outbox.context import SolanaContext
from landbridge.providers.solana.outbox.relayers import SolanaRelayers
from landbridge.providers.solana.outbox.sending_step import TransactionSendingStep
from landbridge.providers.solana.outbox.signing_step import MessageSigningStep
from landbridge.providers.solana.outbox.tracking_step import SignatureTrackingStep
from landbridge.providers.solana.start_check import check_solana

_LEASE = timedelta(seconds=30)


class SolanaOutbox(OutboxRunner):
    """Signs, sends and follows the orders of Solana."""

    def __init__(self, context: SolanaContext, *, owner: UUID) -> None:
        super().__init__(context, owner=owner, lease=_LEASE)
        self.context = context
        self.relayers = SolanaRelayers(context)
        self.tracking = SignatureTrackingStep(context)
        self.signing = MessageSigningStep(context, self.relayers)
        self.sending = TransactionSendingStep(context)

    async def _check(self) -> ChainCheck:
        return await check_solana(self.context.chain, self.context.clock)

    async def _prepare_relayers(self) -> None:
        await self.relayers.prepare()

    async def _follow(self) -> None:
        await self.tracking.run()

    async def _sign_due(self) -> int:
        return await self.signing.run()

    async def _send(self) -> None:
        await self.sending.run()
