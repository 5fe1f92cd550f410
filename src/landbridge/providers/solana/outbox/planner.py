"""Plans the transaction of an order: whether it can be carried out now, and with which fees.

A plan is simulated before it is signed, so a transfer that can't succeed costs nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec
import structlog

from landbridge.platform.core.errors import InvariantBroken
from landbridge.providers.evm.errors import NodeUnavailable
from landbridge.providers.evm.outbox.model import OutboxOrder
from landbridge.providers.evm.outbox.plans import PlanRefusal, PlanWait
from landbridge.providers.evm.signing.model import SigningKey
from landbridge.providers.solana.chain_data import ChainAccount, Commitment, LatestBlockhash
from landbridge.providers.solana.messages import (
    TransferLeg,
    TransferMessage,
    build_message,
    unsigned_transaction,
)
from landbridge.providers.solana.outbox.context import SolanaContext
from landbridge.providers.solana.outbox.failures import explain_failure
from landbridge.providers.solana.programs import TOKEN_PROGRAMS, account_of
from landbridge.providers.solana.rpc import ACCOUNTS_MAX

_log = structlog.stdlib.get_logger()

# A new block may need more than the simulated one, as for an account that was closed meanwhile.
_MARGIN_PERCENT = 50
# Price of the second attempt where blocks take transactions without one; doubled with each further.
_PRICE_MIN = 1_000
_DOUBLINGS_MAX = 20
_TOKEN_PROGRAMS = frozenset(map(str, TOKEN_PROGRAMS.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePlan:
    """Message to sign for an order, and the keys of its owner and its relayer."""

    order: OutboxOrder
    content: TransferMessage
    message: bytes
    owner: SigningKey
    relayer: SigningKey
    last_valid_height: int
    signed_slot: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageView:
    """What several orders are planned with: a blockhash, and accounts as they are now."""

    slot: int
    blockhash: LatestBlockhash
    # Units of the paying token accounts, less what is under way.
    available: dict[tuple[str, str], int]
    # Accounts at the recipients' addresses, where there are any.
    recipients: Mapping[str, ChainAccount | None]


class MessagePlanner:
    """Plans the messages of orders."""

    def __init__(self, context: SolanaContext) -> None:
        self._context = context

    async def view(
        self, orders: Sequence[OutboxOrder], in_flight: Mapping[tuple[str, str], int]
    ) -> MessageView:
        """Return what these orders are planned with; raises `NodeUnavailable`."""
        context = self._context
        slot, blockhash = await context.client.latest_blockhash()
        sources = list(dict.fromkeys((each.source, each.currency) for each in orders))
        accounts = [account_of(owner, context.chain.tokens[name]) for owner, name in sources]
        available: dict[tuple[str, str], int] = {}
        for start in range(0, len(accounts), ACCOUNTS_MAX):
            part = slice(start, start + ACCOUNTS_MAX)
            _, units = await context.client.token_units(accounts[part], Commitment.CONFIRMED)
            for key, has_units in zip(sources[part], units, strict=True):
                available[key] = has_units - in_flight.get(key, 0)
        return MessageView(
            slot=slot,
            blockhash=blockhash,
            available=available,
            recipients=await self._recipients(orders),
        )

    async def plan(
        self,
        order: OutboxOrder,
        relayer: SigningKey,
        view: MessageView,
        *,
        refusal: str | None,
    ) -> MessagePlan | PlanRefusal | PlanWait:
        """Return the message of an order, or why there is none.

        `refusal` is why its destinations may not be paid, None if they may.
        """
        if refusal is not None:
            return self._refused(order, refusal)
        for leg in order.legs:
            account = view.recipients[leg.destination]
            if account is not None and (account.executable or account.owner in _TOKEN_PROGRAMS):
                return PlanRefusal("the recipient's address is not one of a wallet")
        key = (order.source, order.currency)
        if view.available[key] < order.units:
            return PlanWait("waits for coins at the paying address")
        view.available[key] -= order.units
        try:
            owner = await self._context.wallet_keys.solana_key(order.org_id, order.wallet_id)
            if owner.address != order.source:
                raise InvariantBroken(f"order {order.key} does not pay from its own address")
            return await self._simulated(order, owner, relayer, view)
        except NodeUnavailable:
            return PlanWait("waits for the chain's nodes")

    async def _simulated(
        self, order: OutboxOrder, owner: SigningKey, relayer: SigningKey, view: MessageView
    ) -> MessagePlan | PlanRefusal | PlanWait:
        context = self._context
        token = context.chain.tokens[order.currency]
        content = TransferMessage(
            payer=relayer.address,
            owner=order.source,
            currency=order.currency,
            legs=tuple(TransferLeg(each.destination, each.units) for each in order.legs),
            unit_limit=context.chain.compute_units_max,
            unit_price=await self._price(order),
            blockhash=view.blockhash.blockhash,
        )
        simulated = await context.client.simulate(
            unsigned_transaction(build_message(content, token))
        )
        if simulated.err is not None:
            return explain_failure(simulated.err)
        used = simulated.units_consumed or context.chain.compute_units_max
        limit = min(used + used * _MARGIN_PERCENT // 100, context.chain.compute_units_max)
        content = msgspec.structs.replace(content, unit_limit=limit)
        return MessagePlan(
            order=order,
            content=content,
            message=build_message(content, token),
            owner=owner,
            relayer=relayer,
            last_valid_height=view.blockhash.last_valid_block_height,
            signed_slot=view.slot,
        )

    async def _price(self, order: OutboxOrder) -> int:
        """Return the price per compute unit: that of recent blocks, more with each attempt."""
        context = self._context
        account = account_of(order.source, context.chain.tokens[order.currency])
        recent = sorted(await context.client.priority_fees([account]))
        price = recent[len(recent) // 2] if recent else 0
        if order.step:
            price = max(price, _PRICE_MIN) * 2 ** min(order.step, _DOUBLINGS_MAX)
        return min(price, context.chain.priority_fee_cap)

    async def _recipients(self, orders: Sequence[OutboxOrder]) -> Mapping[str, ChainAccount | None]:
        found: dict[str, ChainAccount | None] = {}
        wallets = list({leg.destination for each in orders for leg in each.legs})
        for start in range(0, len(wallets), ACCOUNTS_MAX):
            part = wallets[start : start + ACCOUNTS_MAX]
            _, accounts = await self._context.client.accounts(
                part, Commitment.CONFIRMED, data=(0, 0)
            )
            found |= zip(part, accounts, strict=True)
        return found

    def _refused(self, order: OutboxOrder, reason: str) -> PlanRefusal | PlanWait:
        _log.warning("chain.order.refused", chain=order.chain, order=order.key, reason=reason)
        if order.is_refund:
            # A refund that fails keeps money that came from there: a person has to decide.
            return PlanWait(f"waits for a person: {reason}")
        return PlanRefusal(reason)
