"""Routes of the sandbox: /v2/sandbox. Ours; no other service has them."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.chains.tokens import Chain
from landbridge.core.clock import Clock
from landbridge.ledger.errors import TransactionNotFound
from landbridge.orgs.service import AHEAD_MAX
from landbridge.rfis.api import TransferReview, review_reply
from landbridge.sandbox.service import Sandbox
from landbridge.simulation.model import Pace, Paces
from landbridge.users.paths import known_user
from landbridge.web.caller import ApiRequest
from landbridge.web.paths import known_id
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


class PaceCommand(WireStruct, frozen=True):
    """How fast chains and banks are to be from now on; what is left out stays as it is."""

    chains: Pace | None = None
    rails: Pace | None = None


class PaceReply(WireStruct, frozen=True):
    """How fast the organisation's simulated chains and banks are."""

    chains: Pace
    rails: Pace


class RfiAction(StrEnum):
    """What is to become of a request for information."""

    OPEN = "open"
    CLOSE = "close"


class RfiCommand(WireStruct, frozen=True):
    """Open a request for information on a payment, or close it."""

    action: RfiAction


class SandboxRoutes(Controller):
    """Money from nowhere and time at will; refused in production."""

    path = "/v2/sandbox"
    tags = ("Sandbox",)

    @post(
        "/clock/advance", status_code=200, summary="Move the organisation's clock on", unkeyed=True
    )
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

    @get("/pace", summary="Retrieve the pace")
    async def pace(self, request: ApiRequest, sandbox: NamedDependency[Sandbox]) -> PaceReply:
        """How fast the organisation's simulated chains and banks are."""
        return _pace_reply(await sandbox.paces(request.user))

    @post("/pace", status_code=200, summary="Set the pace")
    async def set_pace(
        self,
        request: ApiRequest,
        data: JSONBody[PaceCommand],
        sandbox: NamedDependency[Sandbox],
    ) -> PaceReply:
        """Instant, or as slow as outside: confirmations, cut-offs, weekends and bank holidays."""
        return _pace_reply(
            await sandbox.set_paces(request.user, chains=data.chains, rails=data.rails)
        )

    @post("/transfers/{transferId:str}/rfi", status_code=200, summary="Simulate an RFI")
    async def rfi(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        data: JSONBody[RfiCommand],
        sandbox: NamedDependency[Sandbox],
    ) -> TransferReview:
        """Compliance asks about an onramp or offramp, or is content with what it heard."""
        transfer_id = known_id(transferId, "transaction", TransactionNotFound)
        is_open = data.action is RfiAction.OPEN
        return review_reply(await sandbox.review(request.user, transfer_id, is_open=is_open))

    @post(
        "/users/{userId:str}/wallets/fund", status_code=200, summary="Fund a wallet", unkeyed=True
    )
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


def _pace_reply(paces: Paces) -> PaceReply:
    return PaceReply(chains=paces.chains, rails=paces.rails)
