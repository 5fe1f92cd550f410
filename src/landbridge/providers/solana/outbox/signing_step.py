"""Signs orders: simulation, then both signatures, then bytes and order stored in one transaction.

Guarantees:
- an order has at most one transaction for each of its steps, whatever other workers do meanwhile:
  the order's row is locked and its step compared while the bytes are stored;
- nothing is signed for an account that has sent what the database lacks (`paying_accounts.py`);
- nothing is sent before it is stored, so what another worker has signed in vain reaches no node;
- the relayers, which all organisations share, pay for each of them at most the bound of the
  configuration in 24 hours: further orders wait.

A plan is simulated before it is signed, so a transfer that can't succeed costs nothing.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import cycle, islice
from uuid import UUID

import msgspec
import structlog

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.gather import gather_in_order
from landbridge.platform.db.pool import Tx
from landbridge.providers.evm.errors import NodeUnavailable
from landbridge.providers.evm.outbox import stored_orders
from landbridge.providers.evm.outbox.model import OutboxOrder, OutboxState, check_interval
from landbridge.providers.evm.outbox.plans import PlanRefusal, PlanWait
from landbridge.providers.evm.signing.model import SignerUnavailable, SigningKey, SigningRefused
from landbridge.providers.solana.chain_data import ChainAccount, Commitment, LatestBlockhash
from landbridge.providers.solana.messages import (
    ACCOUNT_LAMPORTS,
    TransferLeg,
    TransferMessage,
    build_message,
    signature_text,
    signed_transaction,
    unsigned_transaction,
)
from landbridge.providers.solana.outbox import attempt_store
from landbridge.providers.solana.outbox.context import SolanaContext
from landbridge.providers.solana.outbox.failures import explain_failure
from landbridge.providers.solana.outbox.model import SolanaAttempt
from landbridge.providers.solana.outbox.paying_accounts import PayingAccounts
from landbridge.providers.solana.outbox.relayers import SolanaRelayers
from landbridge.providers.solana.programs import TOKEN_PROGRAMS, account_of
from landbridge.providers.solana.rpc import ACCOUNTS_MAX

_log = structlog.stdlib.get_logger()

# Margin on simulated compute units: a later block may need more, for example for a closed account.
_MARGIN_PERCENT = 50
# The second attempt has at least twice this price, even if recent blocks accepted transactions
# without a price; each further attempt doubles it.
_PRICE_MIN = 1_000
_DOUBLINGS_MAX = 20
_TOKEN_PROGRAMS = frozenset(map(str, TOKEN_PROGRAMS.values()))


@dataclass(frozen=True, slots=True, kw_only=True)
class MessagePlan:
    """Message to sign for an order, with the keys of its owner and its relayer."""

    order: OutboxOrder
    content: TransferMessage
    message: bytes
    owner: SigningKey
    relayer: SigningKey
    last_valid_height: int
    signed_slot: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageView:
    """State of the chain for planning several orders: a blockhash, and current accounts."""

    slot: int
    blockhash: LatestBlockhash
    # Units of the paying token accounts, less the units that are under way.
    available: dict[tuple[str, str], int]
    # What orders of a paying address and currency wait for, where they do.
    waits: Mapping[tuple[str, str], PlanWait]
    # Accounts at the recipients' addresses, where there are any.
    recipients: Mapping[str, ChainAccount | None]


class MessagePlanner:
    """Plans the messages of orders on Solana."""

    def __init__(self, context: SolanaContext) -> None:
        self._context = context
        self._paying_accounts = PayingAccounts(context)

    async def view(
        self, orders: Sequence[OutboxOrder], in_flight: Mapping[tuple[str, str], int]
    ) -> MessageView:
        """Return the state of the chain for planning these orders; raises `NodeUnavailable`."""
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
            waits=await self._paying_accounts.find_waits(orders, slot),
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

        `refusal` is why its destinations may not be paid; None if they may.
        """
        if refusal is not None:
            return self._refused(order, refusal)
        for leg in order.legs:
            account = view.recipients[leg.destination]
            if account is not None and (account.executable or account.owner in _TOKEN_PROGRAMS):
                return PlanRefusal("the recipient's address is not one of a wallet")
        key = (order.source, order.currency)
        if key in view.waits:
            return view.waits[key]
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
        """Return the price per compute unit: that of recent blocks, raised with each attempt."""
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
            # A failed refund would keep money that came from its recipient, so a person has to
            # decide.
            return PlanWait(f"waits for a person: {reason}")
        return PlanRefusal(reason)


BATCH_SIZE = 100
# Bounds of the time after which a waiting order is tried again.
_RETRY_AFTER = timedelta(seconds=2)
_RETRY_AFTER_MAX = timedelta(minutes=5)
_DAY = timedelta(days=1)
_COSTS_TOO_MUCH = "waits: the organisation has used up what its payments may cost in 24 hours"
_NO_RELAYER = "waits for a relayer: none has native coins to send"


class MessageSigningStep:
    """Signs the due orders of Solana."""

    def __init__(self, context: SolanaContext, relayers: SolanaRelayers) -> None:
        self._context = context
        self._relayers = relayers
        self._planner = MessagePlanner(context)

    async def run(self) -> int:
        """Sign due orders; return the number of orders that were due."""
        context = self._context
        at = context.clock.now()
        orders = await context.database.single(
            lambda tx: stored_orders.due(tx, context.name, at, limit=BATCH_SIZE)
        )
        if not orders:
            return 0
        relayers = await self._relayers.usable()
        allowances = await self._allowances({each.org_id for each in orders}, at)
        affordable = [each for each in orders if relayers and allowances[each.org_id] > 0]
        if affordable:
            await self._sign(affordable, relayers, allowances, at)
        moves = [
            (each, postponed(each, _COSTS_TOO_MUCH if relayers else _NO_RELAYER, at))
            for each in orders
            if each not in affordable
        ]
        if moves:
            await context.database.transact(lambda tx: context.move(tx, moves, at))
        return len(orders)

    async def _allowances(self, org_ids: Collection[UUID], at: datetime) -> dict[UUID, int]:
        """Return the lamports that relayers may still pay for these organisations today."""
        context = self._context
        spent = await context.database.single(
            lambda tx: attempt_store.spent_since(
                tx, org_ids, at - _DAY, account_lamports=ACCOUNT_LAMPORTS
            )
        )
        most = context.chain.organisation_day_units
        return {each: most - spent.get(each, 0) for each in org_ids}

    async def _sign(
        self,
        orders: Sequence[OutboxOrder],
        relayers: Sequence[tuple[SigningKey, int]],
        allowances: dict[UUID, int],
        at: datetime,
    ) -> None:
        context = self._context
        in_flight = await context.database.single(
            lambda tx: stored_orders.units_in_flight(
                tx, context.name, {each.source for each in orders}
            )
        )
        refusals = await context.screening.find_refusals(
            [(each.org_id, [leg.destination for leg in each.legs]) for each in orders]
        )
        view = await self._planner.view(orders, in_flight)
        payers = islice(cycle(key for key, _ in relayers), len(orders))
        planned = await gather_in_order(
            self._planner.plan(order, relayer, view, refusal=refusal)
            for order, relayer, refusal in zip(orders, payers, refusals, strict=True)
        )
        spendable = {
            key.address: lamports - context.chain.relayer_floor_units for key, lamports in relayers
        }
        signed: list[tuple[OutboxOrder, SolanaAttempt]] = []
        moves: list[tuple[OutboxOrder, OutboxOrder]] = []
        for order, plan in zip(orders, planned, strict=True):
            match plan:
                case MessagePlan():
                    attempt = _refusal(plan, spendable, allowances)
                    if attempt is None:
                        attempt = await self._attempt(plan, at)
                    if isinstance(attempt, str):
                        moves.append((order, postponed(order, attempt, at)))
                    else:
                        signed.append((order, attempt))
                case PlanRefusal(reason):
                    moves.append((order, rejected(order, reason, at)))
                case PlanWait(reason):
                    moves.append((order, postponed(order, reason, at)))
        if moves:
            await context.database.transact(lambda tx: context.move(tx, moves, at))
        if signed:
            await context.database.transact(lambda tx: self._store(tx, signed, at))

    async def _attempt(self, plan: MessagePlan, at: datetime) -> SolanaAttempt | str:
        """Return the signed transaction, or why the order waits."""
        context, order = self._context, plan.order
        try:
            signatures = [
                await context.signer.sign_message(key, context.chain.name, plan.message)
                for key in (plan.relayer, plan.owner)
            ]
        except (SigningRefused, SignerUnavailable) as error:
            _log.warning("chain.signer.refused", chain=context.name, order=order.key)
            return f"waits for the signer: {error}"
        return SolanaAttempt(
            org_id=order.org_id,
            key=order.key,
            step=order.step,
            signature=signature_text(signatures[0]),
            relayer=plan.relayer.address,
            raw=signed_transaction(plan.message, signatures),
            last_valid_height=plan.last_valid_height,
            signed_slot=plan.signed_slot,
            unit_price=plan.content.unit_price,
            created_at=at,
        )

    async def _store(
        self, tx: Tx, signed: Sequence[tuple[OutboxOrder, SolanaAttempt]], at: datetime
    ) -> None:
        """Store bytes and orders, except orders that another worker has signed in the meantime."""
        waiting = await stored_orders.lock_created(tx, [order for order, _ in signed])
        stored = [(order, each) for order, each in signed if order.order_key in waiting]
        if not stored:
            return
        await attempt_store.add(tx, [attempt for _, attempt in stored])
        moves = [
            (
                order,
                replace(
                    order,
                    state=OutboxState.SIGNED,
                    reason=None,
                    transaction_hash=attempt.signature,
                    due_at=at,
                ),
            )
            for order, attempt in stored
        ]
        if len(await stored_orders.move(tx, moves, at)) < len(moves):
            raise InvariantBroken(f"locked orders on {self._context.name} were changed")


def _refusal(
    plan: MessagePlan, spendable: dict[str, int], allowances: dict[UUID, int]
) -> str | None:
    """Return why an order waits; None if it may be signed, and then reserve its cost."""
    payer, org_id, cost = plan.relayer.address, plan.order.org_id, plan.content.cost_lamports_max
    if allowances[org_id] <= 0:
        return _COSTS_TOO_MUCH
    if spendable[payer] < cost:
        return _NO_RELAYER
    spendable[payer] -= cost
    allowances[org_id] -= cost
    return None


def postponed(order: OutboxOrder, reason: str, at: datetime) -> OutboxOrder:
    """Return an order that is tried again later, for this reason."""
    wait = check_interval(at - order.created_at, shortest=_RETRY_AFTER, longest=_RETRY_AFTER_MAX)
    return replace(order, reason=reason, due_at=at + wait)


def rejected(order: OutboxOrder, reason: str, at: datetime) -> OutboxOrder:
    """Return an order that was not carried out, and for which nothing more is signed."""
    return replace(order, state=OutboxState.REJECTED, reason=reason, due_at=at)
