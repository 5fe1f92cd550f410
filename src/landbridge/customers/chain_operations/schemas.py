"""Replies about chains. Times are those of the organisation's clock, amounts in whole coins."""

from datetime import datetime, timedelta
from uuid import UUID

from landbridge.customers.chain_operations.model import (
    ChainInstallation,
    ChainState,
    ConnectedChain,
    OrderWithAttempts,
    Treasury,
)
from landbridge.platform.core.money import units_as_decimal
from landbridge.platform.http.caller import Caller
from landbridge.platform.http.responses import Moment, Number, WireStruct, moment, reply_of
from landbridge.providers.evm.configuration import FinalityTag
from landbridge.providers.evm.nodes import NodeHealth
from landbridge.providers.evm.outbox.model import AttemptKind, TransactionAttempt
from landbridge.providers.evm.outbox.overview import AccountOverview, MessageAttempt, OpenOrders

_GWEI_DECIMALS = 9


class ChainHeadReply(WireStruct, frozen=True):
    """Latest block; `lagSeconds` have passed since it was made."""

    number: int
    at: Moment
    lag_seconds: int


class ChainNodeReply(WireStruct, frozen=True):
    """Node, by host and port. It is not in use until `setAsideUntil`; null while it is in use."""

    node: str
    is_healthy: bool
    head: int | None
    last_success_at: Moment | None
    last_error_at: Moment | None
    last_error: str | None
    set_aside_until: Moment | None


class OrderCountReply(WireStruct, frozen=True):
    """Number of orders in a state."""

    state: str
    count: int


class OldestOrderReply(WireStruct, frozen=True):
    """Order that waits longest; `recordId` is null if it belongs to another organisation."""

    record_id: UUID | None
    state: str
    waits_for: str | None
    waits_since: Moment


class OpenOrdersReply(WireStruct, frozen=True):
    """Orders that are not final; `oldest` is the oldest without the chain's confirmations."""

    count: int
    states: list[OrderCountReply]
    oldest: OldestOrderReply | None


class ChainAccountReply(WireStruct, frozen=True):
    """Account that sends transactions: a relayer, or a wallet that is stopped.

    `inFlight` transactions wait for a block. A stopped account sends nothing until it is resumed.
    """

    address: str
    is_relayer: bool
    balance: Number | None
    balance_at: Moment | None
    floor: Number
    is_low: bool
    next_nonce: int
    in_flight: int
    stopped_at: Moment | None
    stopped_reason: str | None


class ChainInstallationReply(WireStruct, frozen=True):
    """Facts about all organisations of the installation; gas of the last day in native coins."""

    nodes: list[ChainNodeReply]
    accounts: list[ChainAccountReply]
    open_orders: OpenOrdersReply
    gas_spent_day: Number


class TreasuryTokenReply(WireStruct, frozen=True):
    """Token of the organisation's own address; `balance` is null if no node answers."""

    currency: str
    balance: Number | None
    floor: Number | None
    target: Number | None
    is_low: bool


class TreasuryReply(WireStruct, frozen=True):
    """The organisation's own address; null before its first wallet."""

    address: str | None
    tokens: list[TreasuryTokenReply]


class ChainReply(WireStruct, frozen=True):
    """Connected chain. A transfer is final at the node's tag `finality`, or at a depth in blocks.

    `chainId` is null for Solana; its head counts slots. `head` is null while no node answers.
    `installation` is null for all but admins.
    """

    name: str
    chain_id: int | None
    native_currency: str
    head: ChainHeadReply | None
    confirmations: int
    finality: str | None
    finality_blocks: int | None
    open_orders: OpenOrdersReply
    treasury: TreasuryReply
    installation: ChainInstallationReply | None


class ChainList(WireStruct, frozen=True):
    """Connected chains; none without a chains file."""

    count: int
    chains: list[ChainReply]


class ChainAttemptReply(WireStruct, frozen=True):
    """Signed transaction. `gasCost` is what it has paid, in the chain's own coin.

    `confirmations` so far are 0 while no block has it, or no node answers. Fees are gwei per gas.
    On Solana there are neither nonces nor gas, and `block` is a slot.
    """

    hash: str
    account: str
    nonce: int | None
    kind: str
    is_payment: bool
    max_fee_gwei: Number | None
    tip_gwei: Number | None
    created_at: Moment
    sent_at: Moment | None
    block: int | None
    confirmations: int
    is_success: bool | None
    gas_cost: Number | None
    explorer_url: str


class ChainOrderReply(WireStruct, frozen=True):
    """Order of a payment, and its attempts. `reason` is why it failed, or what it waits for.

    `action` is `transfer` or `swap`, or of a bridge `approve`, `burn` or `mint`.
    """

    id: UUID
    action: str
    chain: str
    state: str
    reason: str | None
    method: str | None
    source: str
    currency: str
    amount: Number
    recipients: int
    confirmations_needed: int
    transaction_hash: str | None
    explorer_url: str | None
    native_currency: str
    gas_cost: Number
    created_at: Moment
    confirmed_at: Moment | None
    attempts: list[ChainAttemptReply]


class ChainOrderList(WireStruct, frozen=True):
    """Orders of a payment on connected chains, the oldest first."""

    count: int
    orders: list[ChainOrderReply]


def chain_reply(state: ChainState, caller: Caller) -> ChainReply:
    """Return a chain as an organisation sees it."""
    chain, head, offset = state.chain, state.head, caller.clock_offset
    is_tag = isinstance(chain.finality, FinalityTag)
    return ChainReply(
        name=chain.name.value,
        chain_id=chain.chain_id,
        native_currency=chain.native_currency,
        head=None
        if head is None
        else ChainHeadReply(
            number=head.number, at=moment(head.at + offset), lag_seconds=head.lag_s
        ),
        confirmations=chain.confirmations,
        finality=chain.finality.value if isinstance(chain.finality, FinalityTag) else None,
        finality_blocks=None if is_tag else int(chain.finality),
        open_orders=_open_orders(state.orders, caller),
        treasury=_treasury(state.treasury),
        installation=None
        if state.installation is None
        else _installation(state.installation, chain, caller),
    )


def order_reply(state: OrderWithAttempts, caller: Caller) -> ChainOrderReply:
    """Return an order with its attempts."""
    order, chain, offset = state.order, state.chain, caller.clock_offset
    decimals = chain.tokens[order.currency].decimals
    sent_hash = order.transaction_hash
    gas_wei = sum(_paid(each) or 0 for each in state.attempts)
    return reply_of(
        order,
        ChainOrderReply,
        id=order.key,
        amount=units_as_decimal(order.units, decimals),
        confirmations_needed=chain.confirmations,
        transaction_hash=sent_hash,
        explorer_url=None if sent_hash is None else chain.explorer_url(sent_hash),
        native_currency=chain.native_currency,
        gas_cost=units_as_decimal(gas_wei, chain.coin_decimals),
        created_at=moment(order.created_at + offset),
        confirmed_at=_moment(order.confirmed_at, offset),
        attempts=[_attempt(state, each, offset) for each in state.attempts],
    )


def _attempt(
    state: OrderWithAttempts, attempt: TransactionAttempt | MessageAttempt, offset: timedelta
) -> ChainAttemptReply:
    gas_wei, of_gas = _paid(attempt), attempt if isinstance(attempt, TransactionAttempt) else None
    return ChainAttemptReply(
        hash=attempt.hash,
        account=attempt.account,
        nonce=None if of_gas is None else of_gas.nonce,
        kind=(AttemptKind.ORIGINAL if of_gas is None else of_gas.kind).value,
        is_payment=of_gas is None or of_gas.is_payment,
        max_fee_gwei=_coins(of_gas and of_gas.fees.max_fee_wei, _GWEI_DECIMALS),
        tip_gwei=_coins(of_gas and of_gas.fees.tip_wei, _GWEI_DECIMALS),
        created_at=moment(attempt.created_at + offset),
        sent_at=_moment(attempt.sent_at, offset),
        block=attempt.block_number,
        confirmations=state.confirmations(attempt),
        is_success=attempt.is_success,
        gas_cost=None if gas_wei is None else units_as_decimal(gas_wei, state.chain.coin_decimals),
        explorer_url=state.chain.explorer_url(attempt.hash),
    )


def _paid(attempt: TransactionAttempt | MessageAttempt) -> int | None:
    """Return the cost of a transaction in smallest units of the chain's native coin."""
    is_message = isinstance(attempt, MessageAttempt)
    return attempt.paid_lamports if is_message else attempt.gas_wei


def _open_orders(orders: OpenOrders, caller: Caller) -> OpenOrdersReply:
    oldest = orders.oldest
    return OpenOrdersReply(
        count=sum(orders.counts.values()),
        states=[
            OrderCountReply(state=state.value, count=count)
            for state, count in sorted(orders.counts.items())
        ],
        oldest=None
        if oldest is None
        else OldestOrderReply(
            record_id=oldest.record_id if oldest.org_id == caller.org_id else None,
            state=oldest.state.value,
            waits_for=oldest.reason,
            waits_since=moment(oldest.created_at + caller.clock_offset),
        ),
    )


def _treasury(treasury: Treasury) -> TreasuryReply:
    return TreasuryReply(
        address=treasury.address or None,
        tokens=[
            TreasuryTokenReply(
                currency=each.currency,
                balance=_coins(each.units, each.decimals),
                floor=_coins(each.floor_units, each.decimals),
                target=_coins(each.target_units, each.decimals),
                is_low=bool(treasury.address) and each.is_low,
            )
            for each in treasury.tokens
        ],
    )


def _installation(
    found: ChainInstallation, chain: ConnectedChain, caller: Caller
) -> ChainInstallationReply:
    offset = caller.clock_offset
    return ChainInstallationReply(
        nodes=[_node(each, offset) for each in found.nodes],
        accounts=[_account(each, chain, offset) for each in found.accounts],
        open_orders=_open_orders(found.orders, caller),
        gas_spent_day=units_as_decimal(found.gas_day_wei, chain.coin_decimals),
    )


def _node(node: NodeHealth, offset: timedelta) -> ChainNodeReply:
    return ChainNodeReply(
        node=node.node,
        is_healthy=node.set_aside_until is None and node.last_success_at is not None,
        head=node.head,
        last_success_at=_moment(node.last_success_at, offset),
        last_error_at=_moment(node.last_error_at, offset),
        last_error=node.last_error,
        set_aside_until=_moment(node.set_aside_until, offset),
    )


def _account(
    account: AccountOverview, chain: ConnectedChain, offset: timedelta
) -> ChainAccountReply:
    is_relayer, wei = account.relayer_index is not None, account.balance_wei
    return ChainAccountReply(
        address=account.address,
        is_relayer=is_relayer,
        balance=_coins(wei, chain.coin_decimals),
        balance_at=_moment(account.checked_at, offset),
        floor=units_as_decimal(chain.relayer_floor_units, chain.coin_decimals),
        is_low=is_relayer and wei is not None and wei < chain.relayer_floor_units,
        next_nonce=account.next_nonce,
        in_flight=account.in_flight,
        stopped_at=_moment(account.stopped_at, offset),
        stopped_reason=account.stopped_reason,
    )


def _coins(units: int | None, decimals: int) -> Number | None:
    return None if units is None else units_as_decimal(units, decimals)


def _moment(at: datetime | None, offset: timedelta) -> Moment | None:
    return None if at is None else moment(at + offset)
