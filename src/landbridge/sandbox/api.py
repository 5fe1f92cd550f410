"""Routes of the sandbox: /v2/sandbox. Ours; no other service has them."""

from datetime import timedelta
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.chains.tokens import Chain
from landbridge.core.clock import Clock
from landbridge.orgs.service import AHEAD_MAX
from landbridge.sandbox.service import Sandbox
from landbridge.users.paths import known_user
from landbridge.web.caller import ApiRequest
from landbridge.web.reply import Moment, WireStruct, moment


class Advance(WireStruct, frozen=True):
    """How far the organisation's time is to move on, in seconds."""

    seconds: Annotated[int, msgspec.Meta(ge=0, le=int(AHEAD_MAX.total_seconds()))]


class ClockReply(WireStruct, frozen=True):
    """The organisation's time, and how far it is ahead of real time."""

    now: Moment
    offset_seconds: int


class Funding(WireStruct, frozen=True):
    """Coins that are to arrive; `amount` is a decimal string."""

    chain: Chain
    currency: str
    amount: str


class FundingReply(WireStruct, frozen=True):
    """The deposit that was made up, and what the wallet holds after it."""

    id: UUID
    user_id: UUID
    chain: Chain
    currency: str
    amount: str
    balance: str
    wallet_address: str
    transaction_hash: str
    created_at: Moment


class SandboxRoutes(Controller):
    """Money from nowhere and time at will; refused in production."""

    path = "/v2/sandbox"
    tags = ("Sandbox",)

    @post("/clock/advance", status_code=200, summary="Move the organisation's clock on")
    async def advance(
        self,
        request: ApiRequest,
        data: JSONBody[Advance],
        sandbox: NamedDependency[Sandbox],
        clock: NamedDependency[Clock],
    ) -> ClockReply:
        """Everything that falls due by then is done, in order, before this answers."""
        offset = await sandbox.advance_clock(request.user, timedelta(seconds=data.seconds))
        return ClockReply(now=moment(clock.now(offset)), offset_seconds=int(offset.total_seconds()))

    @post("/users/{userId:str}/wallets/fund", status_code=200, summary="Fund a wallet")
    async def fund(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        data: JSONBody[Funding],
        sandbox: NamedDependency[Sandbox],
    ) -> FundingReply:
        """Coins arrive in the user's wallet at once."""
        deposit, holding = await sandbox.fund(
            request.user,
            known_user(userId),
            chain=data.chain,
            currency=data.currency,
            amount=data.amount,
        )
        return FundingReply(
            id=deposit.id,
            user_id=deposit.user_id,
            chain=data.chain,
            currency=data.currency,
            amount=data.amount,
            balance=str(holding.available_units + holding.held_units),
            wallet_address=holding.wallet.address,
            transaction_hash=str(deposit.details["transaction_hash"]),
            created_at=moment(deposit.created_at),
        )
