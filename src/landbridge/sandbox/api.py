"""Routes of the sandbox: /v2/sandbox. Ours; not part of the contract."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.customers.users.path_params import known_user
from landbridge.ledger.path_params import known_transfer
from landbridge.payments.rfis.api import TransferReview, review_reply
from landbridge.platform.core.clock import Clock
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import one_of, positive_text, with_schema
from landbridge.platform.http.responses import DecimalText, Moment, WireStruct, moment
from landbridge.platform.idempotency.service import IdempotencyKeys
from landbridge.platform.orgs.service import AHEAD_MAX, Orgs
from landbridge.providers.chains.tokens import CURRENCIES, Chain
from landbridge.providers.simulation.model import LatencyProfile, LatencyProfiles
from landbridge.sandbox.service import COINS_MAX, Sandbox

# Of the largest amount that is made up.
_WHOLE_DIGITS = len(str(COINS_MAX)) - 1
# In the result of an idempotency key: offset of the clock that the request leads to.
_TARGET = "offsetSeconds"


class ClockAdvance(WireStruct, frozen=True):
    """Seconds by which the organisation's clock is advanced."""

    seconds: Annotated[int, msgspec.Meta(ge=0, le=int(AHEAD_MAX.total_seconds()))]


class ClockReply(WireStruct, frozen=True):
    """The organisation's time, and its offset from real time."""

    now: Moment
    offset_seconds: int


class FundingRequest(WireStruct, frozen=True):
    """Coins to credit; `amount` is a decimal string."""

    chain: Chain
    currency: Annotated[str, with_schema(one_of(CURRENCIES))]
    amount: Annotated[str, with_schema(positive_text(whole_digits=_WHOLE_DIGITS))]


class FundingReply(WireStruct, frozen=True):
    """The simulated deposit, and the wallet's balance after it."""

    id: UUID
    user_id: UUID
    chain: Chain
    currency: str
    amount: DecimalText
    balance: DecimalText
    wallet_address: str
    transaction_hash: str
    created_at: Moment


class LatencyRequest(WireStruct, frozen=True):
    """New latency of chains and banks; an omitted field keeps its value."""

    chains: LatencyProfile | None = None
    rails: LatencyProfile | None = None


class LatencyReply(WireStruct, frozen=True):
    """Latency of the organisation's simulated chains and banks."""

    chains: LatencyProfile
    rails: LatencyProfile


class RfiAction(StrEnum):
    """What to do with a request for information."""

    OPEN = "open"
    CLOSE = "close"


class RfiCommand(WireStruct, frozen=True):
    """Open a request for information on a payment, or close it."""

    action: RfiAction


class SandboxRoutes(Controller):
    """Fund wallets and advance the clock; refused in production."""

    path = "/v2/sandbox"
    tags = ("Sandbox",)

    @post(
        "/clock/advance",
        status_code=200,
        summary="Move the organisation's clock on",
        keyed=True,
        costly=True,
        operation_id="sandbox.advanceClock",
    )
    async def advance(
        self,
        request: ApiRequest,
        *,
        data: JSONBody[ClockAdvance],
        sandbox: NamedDependency[Sandbox],
        idempotency_keys: NamedDependency[IdempotencyKeys],
        orgs: NamedDependency[Orgs],
        clock: NamedDependency[Clock],
    ) -> ClockReply:
        """Everything that falls due by the new time is done, in order, before the response."""
        org_id, by = request.user.org_id, timedelta(seconds=data.seconds)
        offset = await orgs.clock_offset(org_id) + by
        target = {_TARGET: int(offset.total_seconds())}
        async with idempotency_keys.reserved(request, data, org_id, target) as key:
            until = None if key is None else timedelta(seconds=key.result[_TARGET])
            offset = await sandbox.advance_clock(request.user, by, until=until)
        return ClockReply(now=moment(clock.now(offset)), offset_seconds=int(offset.total_seconds()))

    @get("/latency", summary="Retrieve the latency", operation_id="sandbox.retrieveLatency")
    async def latency(self, request: ApiRequest, sandbox: NamedDependency[Sandbox]) -> LatencyReply:
        """Latency of the organisation's simulated chains and banks."""
        return _latency_reply(await sandbox.latencies(request.user))

    @post("/latency", status_code=200, summary="Set the latency", operation_id="sandbox.setLatency")
    async def set_latency(
        self,
        request: ApiRequest,
        data: JSONBody[LatencyRequest],
        sandbox: NamedDependency[Sandbox],
    ) -> LatencyReply:
        """Instant, or realistic: confirmations, cut-off times, weekends and bank holidays."""
        return _latency_reply(
            await sandbox.set_latencies(request.user, chains=data.chains, rails=data.rails)
        )

    @post(
        "/transfers/{transferId:str}/rfi",
        status_code=200,
        summary="Simulate an RFI",
        operation_id="sandbox.changeRfi",
    )
    async def rfi(
        self,
        request: ApiRequest,
        transferId: FromPath[str],
        data: JSONBody[RfiCommand],
        sandbox: NamedDependency[Sandbox],
    ) -> TransferReview:
        """Open a request for information on an onramp or offramp, or close it."""
        transfer_id = known_transfer(transferId)
        is_open = data.action is RfiAction.OPEN
        return review_reply(await sandbox.review(request.user, transfer_id, is_open=is_open))

    @post(
        "/users/{userId:str}/wallets/fund",
        status_code=200,
        summary="Fund a wallet",
        keyed=True,
        operation_id="sandbox.fundWallet",
    )
    async def fund(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        data: JSONBody[FundingRequest],
        sandbox: NamedDependency[Sandbox],
        idempotency_keys: NamedDependency[IdempotencyKeys],
    ) -> FundingReply:
        """Credit coins to the user's wallet at once."""
        user_id = known_user(userId)
        async with idempotency_keys.reserved(request, data, user_id) as key:
            deposit, holding = await sandbox.fund(
                request.user,
                user_id,
                chain=data.chain,
                currency=data.currency,
                amount=data.amount,
                key=key,
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


def _latency_reply(profiles: LatencyProfiles) -> LatencyReply:
    return LatencyReply(chains=profiles.chains, rails=profiles.rails)
