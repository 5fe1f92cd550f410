"""Signs orders: simulation first, then nonce and signed bytes in one transaction; nothing is sent.

Guarantees:
- an order has at most one nonce for each of its steps, whatever other workers do meanwhile: the
  order's row and the account's row are locked while the nonce is given and the bytes are signed;
- a nonce is given only together with signed bytes, so no nonce is left out;
- an address that sends batches or burns of a token itself has only one under way at a time, because
  they share the allowance of a contract;
- if the chain has transactions of an address that the database does not know, the address sends
  nothing until an admin resumes it. After the restore of an older backup, one of them may have paid
  the order.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import cycle, islice

import msgspec
import structlog

from landbridge.platform.core.errors import InvariantBroken
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.core.gather import gather_in_order
from landbridge.platform.db.pool import Tx
from landbridge.providers.chains.port import ChainAction
from landbridge.providers.evm.chain_data import BlockTag
from landbridge.providers.evm.configuration import SponsorMethod
from landbridge.providers.evm.errors import NodeError, NodeUnavailable
from landbridge.providers.evm.fees import FeeAboveCap, GasFees
from landbridge.providers.evm.outbox import attempt_store, order_store
from landbridge.providers.evm.outbox.chain_context import ChainContext
from landbridge.providers.evm.outbox.model import (
    AttemptKind,
    OutboxOrder,
    OutboxState,
    SendingAccount,
    TransactionAttempt,
    check_interval,
)
from landbridge.providers.evm.outbox.planner import OrderPlanner
from landbridge.providers.evm.outbox.plans import (
    AlreadyExecuted,
    Plan,
    PlanRefusal,
    PlanView,
    PlanWait,
    TransactionPlan,
)
from landbridge.providers.evm.outbox.relayers import Relayers
from landbridge.providers.evm.outbox.wallet_nonces import (
    take_nonces,
    uses_nonce,
    without_conflicts,
)
from landbridge.providers.evm.quantities import AnswerInvalid
from landbridge.providers.evm.signing.model import (
    SignerUnavailable,
    SigningKey,
    SigningRefused,
    UnsignedTransaction,
)

_log = structlog.stdlib.get_logger()

BATCH_SIZE = 100
# Bounds of the time after which a waiting order is tried again.
_RETRY_AFTER = timedelta(seconds=2)
_RETRY_AFTER_MAX = timedelta(minutes=5)
_TOO_LATE = "the swap could not be sent to the market in time"
_DAY = timedelta(days=1)
_COSTS_TOO_MUCH = "waits: the organisation has used up the gas of its payments in 24 hours"
_COSTS_MORE = "waits: its gas costs more for each coin than `gas_per_coin_max` of the chains file"
_OTHER_BATCH = "waits for another batch or burn of the paying address"


@dataclass(frozen=True, slots=True)
class _PlannedOrder:
    order: OutboxOrder
    plan: TransactionPlan
    sender: str
    key: SigningKey

    @property
    def is_own_batch(self) -> bool:
        """Return whether the paying address itself sends a batch or burn, after an approval."""
        is_approved = len(self.order.legs) > 1 or self.order.action is ChainAction.BURN
        return self.plan.method is SponsorMethod.TOP_UP and is_approved


class SigningStep:
    """Signs the due orders of one chain."""

    def __init__(self, context: ChainContext, relayers: Relayers, planner: OrderPlanner) -> None:
        self._context = context
        self._relayers = relayers
        self._planner = planner

    async def run(self) -> int:
        """Sign due orders; return the number of orders that were due."""
        context = self._context
        at = context.clock.now()
        orders = await context.database.single(
            lambda tx: order_store.due(tx, context.name, at, limit=BATCH_SIZE)
        )
        orders = await self._affordable(orders, at)
        if not orders:
            return 0
        accounts = await self._relayers.usable()
        head = await context.client.block(BlockTag.LATEST)
        if self._relayers.are_full or head is None:
            return 0
        if not accounts:
            await self._postpone(orders, "waits for a relayer: none has native coins to send", at)
            return len(orders)
        try:
            fees = await context.fees()
        except FeeAboveCap:
            await self._postpone(orders, "waits: the chain's fees are above the configured cap", at)
            return len(orders)
        view = PlanView(head, await context.final_block(head), fees)
        relayers = list(islice(cycle(accounts.values()), len(orders)))
        before = await self._units_before(orders)
        refusals = await context.screening.find_refusals(
            [(each.org_id, [leg.destination for leg in each.legs]) for each in orders]
        )
        plans = await gather_in_order(
            self._plan(order, relayer.address, view, units_before=units, refusal=refusal)
            for order, relayer, units, refusal in zip(
                orders, relayers, before, refusals, strict=True
            )
        )
        if any(map(uses_nonce, plans)):
            planning = plans
            plans = await context.database.single(
                lambda tx: without_conflicts(tx, context.name, orders, planning)
            )
        planned = [
            await self._with_sender(order, plan, relayer)
            for order, plan, relayer in zip(orders, plans, relayers, strict=True)
            if isinstance(plan, TransactionPlan)
        ]
        moves = [
            (order, self._unsigned(order, plan, at))
            for order, plan in zip(orders, plans, strict=True)
            if not isinstance(plan, TransactionPlan)
        ]
        if moves:
            await context.database.transact(lambda tx: context.move(tx, moves, at))
        if planned:
            await context.database.transact(lambda tx: self._sign(tx, planned, fees, at))
        return len(orders)

    async def _affordable(
        self, orders: Sequence[OutboxOrder], at: datetime
    ) -> Sequence[OutboxOrder]:
        """Return orders of organisations with gas left for these 24 hours; the others wait."""
        context, most = self._context, self._context.chain.organisation_day_wei
        if not orders:
            return orders
        spent = await context.database.single(
            lambda tx: attempt_store.gas_of(
                tx, {each.org_id for each in orders}, context.name, at - _DAY
            )
        )
        waiting = [each for each in orders if spent.get(each.org_id, 0) >= most]
        for org_id in {each.org_id for each in waiting}:
            _log.warning("chain.gas.used_up", chain=context.name, org_id=str(org_id))
        if waiting:
            await self._postpone(waiting, _COSTS_TOO_MUCH, at)
        return [each for each in orders if each not in waiting]

    async def _units_before(self, orders: Sequence[OutboxOrder]) -> list[int]:
        """Return for each order the units that earlier orders will take from its paying address."""
        sources = {each.source for each in orders}
        taken = await self._context.database.single(
            lambda tx: order_store.units_in_flight(tx, self._context.name, sources)
        )
        found: list[int] = []
        for each in orders:
            key = (each.source, each.currency)
            found.append(taken.get(key, 0))
            taken[key] = found[-1] + each.units_taken
        return found

    async def _plan(
        self,
        order: OutboxOrder,
        relayer: str,
        view: PlanView,
        *,
        units_before: int,
        refusal: str | None,
    ) -> Plan:
        try:
            key = await self._context.wallet_keys.signing_key(order.org_id, order.wallet_id)
            _check_source(order, key)
            plan = await self._planner.plan(
                order,
                key,
                relayer=relayer,
                view=view,
                units_before=units_before,
                refusal=refusal,
            )
            is_costly = isinstance(plan, TransactionPlan) and self._is_costly(order, plan, view)
            return PlanWait(_COSTS_MORE) if is_costly else plan
        except NodeUnavailable:
            return PlanWait("waits for the chain's nodes")
        except SignerUnavailable:
            return PlanWait("waits for the signer")
        except (NodeError, AnswerInvalid, InvariantBroken):
            # An order that can't be planned must not block all others.
            _log.exception("chain.plan.failed", chain=order.chain, order=order.key)
            return PlanWait("waits: its transaction can't be planned")
        except SigningRefused as error:
            _log.error(
                "chain.signer.refused", chain=order.chain, order=order.key, reason=str(error)
            )
            return PlanWait(f"waits: the signer refuses: {error}")

    def _is_costly(self, order: OutboxOrder, plan: TransactionPlan, view: PlanView) -> bool:
        """Return whether the gas of a delivery from the organisation's own address is too high.

        Strangers cause deliveries, by deposits on virtual accounts.
        """
        most = self._context.chain.gas_per_coin_max_wei
        is_delivery = order.wallet_id is None and order.action is ChainAction.TRANSFER
        if most is None or not is_delivery or order.is_refund or order.confirmed_at is not None:
            return False
        coin_units = 10 ** self._context.chain.tokens[order.currency].decimals
        return plan.gas * view.fees.max_fee_wei * coin_units > most * order.units

    async def _with_sender(
        self, order: OutboxOrder, plan: TransactionPlan, relayer: SendingAccount
    ) -> _PlannedOrder:
        if plan.sender is None:
            key = await self._relayers.key_of(relayer)
            return _PlannedOrder(order, plan, relayer.address, key)
        key = await self._context.wallet_keys.signing_key(order.org_id, order.wallet_id)
        nonce = await self._context.client.nonce(plan.sender, BlockTag.LATEST)
        await self._context.database.transact(
            lambda tx: take_nonces(tx, order, nonce, self._context.clock.now())
        )
        return _PlannedOrder(order, plan, plan.sender, key)

    async def _sign(
        self, tx: Tx, planned: Sequence[_PlannedOrder], fees: GasFees, at: datetime
    ) -> None:
        """Assign nonces, sign, and store both with the orders, in the caller's transaction."""
        name = self._context.name
        accounts = await attempt_store.lock_accounts(
            tx, name, sorted({each.sender for each in planned})
        )
        waiting = await order_store.lock_created(tx, [each.order for each in planned])
        begun = await order_store.lock_batches(
            tx, name, {each.order.source for each in planned if each.is_own_batch}
        )
        nonces = {address: each.next_nonce for address, each in accounts.items()}
        attempts: list[TransactionAttempt] = []
        moves: list[tuple[OutboxOrder, OutboxOrder]] = []
        for each in planned:
            order, account = each.order, accounts[each.sender]
            if order.order_key not in waiting:
                continue
            if account.stopped_at is not None:
                moves.append((order, _postponed(order, order_store.WAITS_FOR_ADDRESS, at)))
                continue
            if each.is_own_batch:
                batches = begun.setdefault((order.source, order.currency), set())
                if batches - {order.key}:
                    moves.append((order, _postponed(order, _OTHER_BATCH, at)))
                    continue
                batches.add(order.key)
            try:
                attempt = await self._attempt(each, nonces[each.sender], fees, at)
            except (SigningRefused, SignerUnavailable) as error:
                moves.append((order, _postponed(order, f"waits for the signer: {error}", at)))
                continue
            nonces[each.sender] += 1
            attempts.append(attempt)
            moves.append((order, _signed(order, each.plan, attempt, at)))
        if attempts:
            await attempt_store.add(tx, name, attempts)
            await attempt_store.set_nonces(tx, name, nonces)
        moved = await order_store.move(tx, moves, at)
        if len(moved) < len(moves):
            raise InvariantBroken(f"locked orders on {name} were changed")

    async def _attempt(
        self, planned: _PlannedOrder, nonce: int, fees: GasFees, at: datetime
    ) -> TransactionAttempt:
        order, plan = planned.order, planned.plan
        request = copy_fields(
            plan,
            UnsignedTransaction,
            chain=self._context.chain.name,
            chain_id=self._context.chain.chain_id,
            nonce=nonce,
            max_fee_wei=fees.max_fee_wei,
            tip_wei=fees.tip_wei,
        )
        signed = await self._context.signer.sign_transaction(planned.key, request)
        return TransactionAttempt(
            hash=signed.hash,
            account=planned.sender,
            nonce=nonce,
            org_id=order.org_id,
            key=order.key,
            step=order.step,
            kind=AttemptKind.ORIGINAL,
            is_payment=plan.is_payment,
            raw=signed.raw,
            request=msgspec.json.encode(request),
            fees=fees,
            created_at=at,
        )

    async def _postpone(self, orders: Sequence[OutboxOrder], reason: str, at: datetime) -> None:
        moves = [(each, self._unsigned(each, PlanWait(reason), at)) for each in orders]
        await self._context.database.transact(lambda tx: order_store.move(tx, moves, at))

    def _unsigned(
        self, order: OutboxOrder, plan: PlanRefusal | PlanWait | AlreadyExecuted, at: datetime
    ) -> OutboxOrder:
        """Return an order with the reason for which nothing is signed now."""
        match plan:
            case AlreadyExecuted(transaction_hash, received_units):
                return _executed(order, transaction_hash, received_units, at)
            case PlanRefusal(reason) if order.confirmed_at is not None:
                # The order was reported as paid, and a reorganisation has undone that: a person
                # decides.
                return _postponed(order, f"waits for a person: {reason}", at)
            case PlanRefusal(reason):
                # No transaction of its payment was signed, and none will be.
                return replace(order, state=OutboxState.REJECTED, reason=reason, due_at=at)
            case PlanWait(reason, is_executed):
                if is_executed or not self._is_late(order, at):
                    return _postponed(order, reason, at)
                _log.warning("chain.swap.late", chain=order.chain, order=order.key, reason=reason)
                return replace(order, state=OutboxState.REJECTED, reason=_TOO_LATE, due_at=at)

    def _is_late(self, order: OutboxOrder, at: datetime) -> bool:
        """Return whether a swap has waited longer than its quote is valid.

        If it was signed before, with a nonce that another party has used, it may still be submitted
        until its deadline.
        """
        market = self._context.chain.market
        if order.swap is None or market is None or order.confirmed_at is not None:
            return False
        patience = timedelta(seconds=market.patience_s)
        return at - order.created_at > (patience if order.step == 0 else patience * 3)


def _check_source(order: OutboxOrder, key: SigningKey) -> None:
    if key.address != order.source:
        raise InvariantBroken(f"order {order.key} pays from an address that is not its own")


def _signed(
    order: OutboxOrder, plan: TransactionPlan, attempt: TransactionAttempt, at: datetime
) -> OutboxOrder:
    return replace(
        order,
        state=OutboxState.SIGNED,
        method=plan.method,
        reason=None,
        transaction_hash=attempt.hash if plan.is_payment else None,
        due_at=at,
    )


def _executed(
    order: OutboxOrder, transaction_hash: str | None, received_units: int | None, at: datetime
) -> OutboxOrder:
    """Return an order as paid by a transaction that the database does not know.

    This happens after the restore of an older backup. The order's key in the transaction proves it.
    """
    return replace(
        order,
        state=OutboxState.FINAL,
        transaction_hash=transaction_hash,
        confirmed_at=at,
        received_units=received_units,
        reason=None,
        due_at=at,
    )


def _postponed(order: OutboxOrder, reason: str, at: datetime) -> OutboxOrder:
    wait = check_interval(at - order.created_at, shortest=_RETRY_AFTER, longest=_RETRY_AFTER_MAX)
    return replace(order, reason=reason, due_at=at + wait)
