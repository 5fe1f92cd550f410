"""Plans of orders: how gas is paid, and the transaction to sign.

Pure: the state of the chain is passed as arguments.
"""

from dataclasses import dataclass

import msgspec

from landbridge.providers.chains.port import ChainAction
from landbridge.providers.evm import abi
from landbridge.providers.evm.chain_data import BlockHeader, TransactionReceipt
from landbridge.providers.evm.configuration import EvmChain, SponsorMethod
from landbridge.providers.evm.fees import GasFees
from landbridge.providers.evm.node_errors import SimulationFailure, SimulationFailureKind
from landbridge.providers.evm.outbox.model import OutboxOrder, TransactionAttempt
from landbridge.providers.evm.outbox.swap_calls import NO_POOL, find_market_refusal, market_of
from landbridge.providers.evm.signing.model import SignedDelegation, UnsignedTransaction

# Intrinsic gas of a transaction and of one delegation (EIP-7702), and what `Delegate.execute` needs
# besides its calls (measured: 31,000 with a new nonce).
INTRINSIC_GAS = 21_000
_DELEGATION_GAS = 25_000
_EXECUTE_GAS = 60_000
# Maximum gas for one byte of call data (EIP-7623).
_BYTE_GAS = 40
# Margin on an estimate: another state of the chain may need more gas, for example for a new
# recipient.
_MARGIN_PERCENT = 25
_SELECTOR_BYTES, _WORD_BYTES = 4, 32
# Number of recent blocks in which the transaction of an executed order is searched.
SEARCH_BLOCKS = 2_000
# Gas of a bridge's calls within `Delegate.execute`, which can't be estimated one by one. They take
# 46,000 and 75,000 with local contracts (measured); Circle's contracts are called through proxies.
APPROVE_GAS, BURN_GAS = 80_000, 300_000
# Gas of a market's swap: 110,000 in one pool, and more for each price that it passes.
SWAP_GAS = 400_000
# Seconds for which an authorization is valid; after that its transaction reverts. A reverted order
# waits as long before it fails: see `TrackingStep`.
VALIDITY_S = 3600

_BURN_REFUSED = "the contract of the token or of the bridge refuses the burn"
_REFUSALS = {
    SimulationFailureKind.BLOCKED: "the token's issuer has blocked an address of the transfer",
    SimulationFailureKind.REVERTED: "the token's contract refuses the transfer",
}
_WAITS = {
    SimulationFailureKind.INSUFFICIENT_FUNDS: "waits for coins at the paying address",
    SimulationFailureKind.INSUFFICIENT_ALLOWANCE: "waits for the allowance of a contract",
    SimulationFailureKind.PAUSED: "waits: the token's issuer has paused all transfers",
    SimulationFailureKind.OUT_OF_GAS: "waits: the transaction needs more gas than a node allows",
    SimulationFailureKind.UNKNOWN: "waits: the nodes can't simulate the transaction",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TransactionPlan:
    """Transaction to sign. `sender` is the order's own wallet; None for any relayer.

    `method` is None for a mint, which a relayer sends for no wallet.
    """

    method: SponsorMethod | None
    sender: str | None
    destination: str
    data: bytes
    gas: int
    value_wei: int = 0
    delegations: tuple[SignedDelegation, ...] = ()
    is_payment: bool = True


@dataclass(frozen=True, slots=True)
class PlanRefusal:
    """The order can never be carried out; the reason is shown to customers."""

    reason: str


@dataclass(frozen=True, slots=True)
class PlanWait:
    """The order can't be carried out now; the reason is for operators.

    `is_executed` is True if the chain has carried it out, but a reorganisation could still undo
    that.
    """

    reason: str
    is_executed: bool = False


@dataclass(frozen=True, slots=True)
class AlreadyExecuted:
    """A contract has already carried out the order; the hash is None if it was not found.

    `received_units` are the units that a swap received.
    """

    transaction_hash: str | None
    received_units: int | None = None


Plan = TransactionPlan | PlanRefusal | PlanWait | AlreadyExecuted


@dataclass(frozen=True, slots=True)
class PlanView:
    """State of the chain for planning; `final_block` can't be undone, and is -1 for none."""

    head: BlockHeader
    final_block: int
    fees: GasFees


def choose_method(chain: EvmChain, order: OutboxOrder) -> SponsorMethod | None:
    """Return the first configured method of paying gas that fits the order; None if none does.

    Also None for a mint, which takes no coins from a wallet.
    """
    if order.action is ChainAction.MINT:
        return None
    if order.swap is not None and market_of(chain, order) is None:
        return None
    token = chain.tokens[order.currency]
    is_batch, is_transfer = len(order.legs) > 1, order.action is ChainAction.TRANSFER
    is_swap = order.action is ChainAction.SWAP
    fits = {
        SponsorMethod.EIP3009: token.eip3009 is not None and is_transfer and not is_batch,
        SponsorMethod.EIP7702: chain.delegate_contract is not None,
        SponsorMethod.TOP_UP: not is_swap and (not is_batch or chain.batch_contract is not None),
    }
    return next((method for method in chain.sponsor if fits[method]), None)


def explain_no_method(chain: EvmChain, order: OutboxOrder) -> str:
    """Return why no method fits, in a sentence for customers."""
    is_swap = order.swap is not None and market_of(chain, order) is None
    return NO_POOL if is_swap else f"{chain.name} has no way to pay the gas of this transfer"


def validity_s(chain: EvmChain, order: OutboxOrder) -> int:
    """Return for how many seconds an authorization of an order is valid."""
    if order.action is ChainAction.SWAP and chain.market is not None:
        return chain.market.patience_s
    return VALIDITY_S


def expiry_s(method: SponsorMethod | None, attempt: TransactionAttempt) -> int:
    """Return the last second at which a payment's authorization is valid; -1 if there is none."""
    words = {SponsorMethod.EIP3009: 4, SponsorMethod.EIP7702: 2}
    word = None if method is None else words.get(method)
    if word is None or not attempt.is_payment:
        return -1
    data = msgspec.json.decode(attempt.request, type=UnsignedTransaction).data
    start = _SELECTOR_BYTES + _WORD_BYTES * word
    return int.from_bytes(data[start : start + _WORD_BYTES])


def has_executed(
    order: OutboxOrder, attempt: TransactionAttempt, receipt: TransactionReceipt
) -> bool:
    """Return whether a successful transaction has carried out its purpose.

    A call of an account without code also succeeds, but does nothing.
    """
    if order.method is not SponsorMethod.EIP7702 or not attempt.is_payment:
        return True
    topics = (abi.EXECUTED_TOPIC, f"0x{order.chain_key.hex()}")
    return any(log.address == order.source and log.topics == topics for log in receipt.logs)


def with_margin(gas: int) -> int:
    """Return the gas limit for an estimate: the estimate with a margin."""
    return gas + gas * _MARGIN_PERCENT // 100


def execute_gas(call_estimates: list[int], *, data_bytes: int, delegations: int) -> int:
    """Return the gas limit of `Delegate.execute`, from the estimates of its single calls."""
    calls = sum(max(each - INTRINSIC_GAS, 0) for each in call_estimates)
    overhead = INTRINSIC_GAS + _EXECUTE_GAS + _DELEGATION_GAS * delegations + _BYTE_GAS * data_bytes
    return with_margin(calls) + overhead


def explain_failure(failure: SimulationFailure, order: OutboxOrder) -> PlanRefusal | PlanWait:
    """Return the meaning of a failed simulation for the order: a refusal or a wait."""
    if order.action is ChainAction.SWAP:
        reason = find_market_refusal(failure)
        return PlanWait(_WAITS[failure.kind]) if reason is None else PlanRefusal(reason)
    refusal = _REFUSALS.get(failure.kind)
    if failure.kind is SimulationFailureKind.REVERTED and order.action is ChainAction.BURN:
        refusal = _BURN_REFUSED
    return PlanWait(_WAITS[failure.kind]) if refusal is None else PlanRefusal(refusal)
