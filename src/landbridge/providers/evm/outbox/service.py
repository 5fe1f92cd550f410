"""Outbox of one EVM chain."""

from datetime import timedelta
from uuid import UUID

from landbridge.providers.evm.outbox.chain_context import ChainContext
from landbridge.providers.evm.outbox.mint_planner import MintPlanner
from landbridge.providers.evm.outbox.planner import OrderPlanner
from landbridge.providers.evm.outbox.relayers import Relayers
from landbridge.providers.evm.outbox.runner import OutboxRunner
from landbridge.providers.evm.outbox.sending_step import SendingStep
from landbridge.providers.evm.outbox.signing_step import SigningStep
from landbridge.providers.evm.outbox.tracking_step import TrackingStep
from landbridge.providers.evm.start_check import ChainCheck, check_chain

_LEASE = timedelta(seconds=15)


class ChainOutbox(OutboxRunner):
    """Signs, sends and follows the orders of one chain."""

    def __init__(self, context: ChainContext, *, owner: UUID) -> None:
        super().__init__(context, owner=owner, lease=_LEASE)
        self.context = context
        mints = MintPlanner(context.chain, context.client, context.database, context.bridges)
        self.planner = OrderPlanner(context.chain, context.client, context.signer, mints)
        self.relayers = Relayers(context)
        self.tracking = TrackingStep(context, self.planner)
        self.signing = SigningStep(context, self.relayers, self.planner)
        self.sending = SendingStep(context, self.relayers)

    async def _check(self) -> ChainCheck:
        return await check_chain(self.context.chain, self.context.clock)

    async def _prepare_relayers(self) -> None:
        await self.relayers.prepare()

    async def _follow(self) -> None:
        await self.tracking.run()

    async def _sign_due(self) -> int:
        return await self.signing.run()

    async def _send(self) -> None:
        await self.sending.run()
