"""Meaning of nodes' errors: outcomes of sending, failures of a simulation, and limits.

Clients word their errors differently, so each has rows of its own. An unknown text decides nothing:
a sent transaction is then `UNCLEAR`, a simulation `UNKNOWN`.

Sources: "observed" are answers of anvil 1.7.1 to our own tests. "documented" are texts in the
client's or provider's public source or documentation, or in others' tests of it. "reported" are
known from use, and not verified.
"""

import re
from enum import StrEnum
from typing import TypeVar

import msgspec

from landbridge.providers.evm.abi import read_revert_text
from landbridge.providers.evm.errors import NodeError
from landbridge.providers.evm.quantities import AnswerInvalid, read_data

T = TypeVar("T")

_REASON_LENGTH_MAX = 200
_SELECTOR_BYTES = 4
_UNPRINTABLE = re.compile(r"[^\x20-\x7e]+")
# Nethermind writes this word before the data of a revert (reported).
_REVERTED_PREFIX = "Reverted "


class SendResult(StrEnum):
    """Result of sending a signed transaction to a chain's nodes."""

    ACCEPTED = "accepted"  # a node has the transaction in its pool
    ALREADY_KNOWN = "already-known"  # a node already had the same bytes
    NONCE_TOO_LOW = "nonce-too-low"  # this transaction, or another with its nonce, is mined
    UNDERPRICED = "underpriced"  # fees are too low for the base fee, the pool, or a replacement
    INSUFFICIENT_FUNDS = "insufficient-funds"  # the account can't pay for gas and value
    REJECTED = "rejected"  # no node can ever accept these bytes
    # the transaction may have arrived: send the same bytes again, and look for it
    UNCLEAR = "unclear"


class SimulationFailureKind(StrEnum):
    """Why a call would fail if it were sent to the chain."""

    INSUFFICIENT_FUNDS = "insufficient-funds"
    INSUFFICIENT_ALLOWANCE = "insufficient-allowance"
    BLOCKED = "blocked"  # the token's issuer has blocked an address
    PAUSED = "paused"  # the token's issuer has stopped all transfers
    REVERTED = "reverted"  # the contract gave another reason, or none
    OUT_OF_GAS = "out-of-gas"
    UNKNOWN = "unknown"


class SimulationFailure(msgspec.Struct, frozen=True, kw_only=True):
    """Failure of `eth_call` or `eth_estimateGas`.

    `reason` is the contract's own text, or the selector of its error; never show it to customers.
    """

    kind: SimulationFailureKind
    reason: str | None


# Parts of error texts in lower case, the most specific first. Codes do not help: most errors have
# -32000.
_SEND_TEXTS: tuple[tuple[str, SendResult], ...] = (
    # anvil, observed; also hardhat, documented
    ("transaction already imported", SendResult.ALREADY_KNOWN),
    # geth, and with it bor and op-geth; reth; erigon: documented
    ("already known", SendResult.ALREADY_KNOWN),
    # erigon, documented
    ("existing tx with same hash", SendResult.ALREADY_KNOWN),
    # nethermind, documented: the name of the result
    ("alreadyknown", SendResult.ALREADY_KNOWN),
    # besu, and geth before 1.9.6: reported
    ("known transaction", SendResult.ALREADY_KNOWN),
    # anvil, observed; geth, reth, erigon, besu: documented
    ("nonce too low", SendResult.NONCE_TOO_LOW),
    # nethermind, documented
    ("oldnonce", SendResult.NONCE_TOO_LOW),
    # anvil, observed; geth, reth, besu: documented
    ("replacement transaction underpriced", SendResult.UNDERPRICED),
    # erigon, documented
    ("could not replace existing tx", SendResult.UNDERPRICED),
    # anvil, observed; geth, reth: documented
    ("max fee per gas less than block base fee", SendResult.UNDERPRICED),
    # geth, reth ("transaction underpriced"), erigon ("underpriced"): documented
    ("underpriced", SendResult.UNDERPRICED),
    # erigon, documented
    ("fee too low", SendResult.UNDERPRICED),
    # nethermind, documented: FeeTooLow and FeeTooLowToCompete, ReplacementNotAllowed
    ("feetoolow", SendResult.UNDERPRICED),
    ("replacementnotallowed", SendResult.UNDERPRICED),
    # bor and providers in front of it, reported
    ("gas tip cap", SendResult.UNDERPRICED),
    # anvil, observed; geth, reth, erigon: documented
    ("insufficient funds", SendResult.INSUFFICIENT_FUNDS),
    # nethermind, documented
    ("insufficientfunds", SendResult.INSUFFICIENT_FUNDS),
    # besu, documented
    ("upfront cost exceeds account balance", SendResult.INSUFFICIENT_FUNDS),
    # anvil, observed; geth, reth: documented
    ("max priority fee per gas higher than max fee per gas", SendResult.REJECTED),
    ("intrinsic gas too low", SendResult.REJECTED),
    # anvil, observed
    ("intrinsic gas too high", SendResult.REJECTED),
    ("failed to decode transaction", SendResult.REJECTED),
    ("failed to decode signed transaction", SendResult.REJECTED),
    ("empty transaction data", SendResult.REJECTED),
    # geth, documented
    ("exceeds block gas limit", SendResult.REJECTED),
    ("invalid sender", SendResult.REJECTED),
    ("oversized data", SendResult.REJECTED),
    ("exceeds the configured cap", SendResult.REJECTED),
    ("transaction type not supported", SendResult.REJECTED),
    ("invalid chain id", SendResult.REJECTED),
    # nethermind, documented
    ("gaslimitexceeded", SendResult.REJECTED),
    ("failedtoresolvesender", SendResult.REJECTED),
)

_FUNDS = SimulationFailureKind.INSUFFICIENT_FUNDS
_ALLOWANCE = SimulationFailureKind.INSUFFICIENT_ALLOWANCE
_BLOCKED = SimulationFailureKind.BLOCKED
_PAUSED = SimulationFailureKind.PAUSED
_OUT_OF_GAS = SimulationFailureKind.OUT_OF_GAS

# Custom errors of contracts, by selector in hexadecimal.
_SELECTORS = {
    # OpenZeppelin 5, documented: ERC20InsufficientBalance, ERC20InsufficientAllowance,
    # EnforcedPause
    "e450d38c": _FUNDS,
    "fb8f41b2": _ALLOWANCE,
    "d93c0665": _PAUSED,
    # Paxos (USDG, PYUSD), reported: InsufficientFunds, InsufficientAllowance, ContractPaused,
    # AddressFrozen
    "356680b7": _FUNDS,
    "13be252b": _ALLOWANCE,
    "ab35696f": _PAUSED,
    "1fd1cc44": _BLOCKED,
}

# Parts of a contract's revert reason, in lower case.
_REASON_TEXTS: tuple[tuple[str, SimulationFailureKind], ...] = (
    # OpenZeppelin 4 and Circle's USDC: documented
    ("exceeds allowance", _ALLOWANCE),
    ("insufficient allowance", _ALLOWANCE),
    ("exceeds balance", _FUNDS),
    ("insufficient balance", _FUNDS),
    # Circle's USDC, documented
    ("account is blacklisted", _BLOCKED),
    # OpenZeppelin 4 and Circle's USDC ("Pausable: paused"): documented
    ("paused", _PAUSED),
)

# Parts of a node's error text without revert data, in lower case.
_CALL_TEXTS: tuple[tuple[str, SimulationFailureKind], ...] = (
    # Before the row about token allowances, because this text has the word allowance too. anvil,
    # observed: EVM error OutOfGas
    ("outofgas", _OUT_OF_GAS),
    # anvil, observed; geth, documented
    ("out of gas", _OUT_OF_GAS),
    ("gas required exceeds allowance", _OUT_OF_GAS),
    ("intrinsic gas too low", _OUT_OF_GAS),
    *_REASON_TEXTS,
    # anvil, observed; geth, reth, erigon: documented
    ("insufficient funds for", _FUNDS),
    # anvil, observed; geth, reth, erigon: documented
    ("execution reverted", SimulationFailureKind.REVERTED),
    # anvil, observed: EVM error InvalidFEOpcode; geth, documented: invalid opcode
    ("opcode", SimulationFailureKind.REVERTED),
    # nethermind, documented
    ("vm execution error", SimulationFailureKind.REVERTED),
)

# Parts of error texts about limits of eth_getLogs, which nodes and providers word differently.
_LOG_LIMIT_TEXTS = (
    # Infura, documented
    "query returned more than",
    # Alchemy, documented
    "log response size exceeded",
    # Quicknode, bor and others, reported
    "block range",
    "blocks range",
    # reth, documented
    "query exceeds max",
    # Quicknode and Ankr, reported
    "is limited to a",
    "range is too",
    "range too large",
    # several nodes, reported
    "too many results",
    "response size",
    "response is too big",
    "limit the query to",
)

_RATE_LIMIT_CODES = frozenset(
    {
        429,  # Alchemy, reported
        -32007,  # Quicknode, reported
        -32029,  # several nodes, reported
    }
)
_RATE_LIMIT_TEXTS = (
    # Infura, reported
    "daily request count exceeded",
    "request rate limited",
    # Alchemy, reported
    "compute units per second",
    # Quicknode, reported
    "request limit reached",
    # several nodes, reported
    "rate limit",
    "too many requests",
)


def send_result(error: NodeError) -> SendResult:
    """Return what an error of `eth_sendRawTransaction` means; `UNCLEAR` for an unknown error."""
    return _find(error.text, _SEND_TEXTS) or SendResult.UNCLEAR


def simulation_failure(error: NodeError) -> SimulationFailure:
    """Return what an error of `eth_call` or `eth_estimateGas` means."""
    data = _revert_data(error.data)
    text = read_revert_text(data)
    if text is not None:
        reason = _UNPRINTABLE.sub(" ", text)[:_REASON_LENGTH_MAX]
        kind = _find(reason, _REASON_TEXTS) or SimulationFailureKind.REVERTED
        return SimulationFailure(kind=kind, reason=reason)
    if len(data) >= _SELECTOR_BYTES:
        selector = data[:_SELECTOR_BYTES].hex()
        kind = _SELECTORS.get(selector, SimulationFailureKind.REVERTED)
        return SimulationFailure(kind=kind, reason=f"0x{selector}")
    kind = _find(error.text, _CALL_TEXTS) or SimulationFailureKind.UNKNOWN
    return SimulationFailure(kind=kind, reason=None)


def is_log_limit(error: NodeError) -> bool:
    """Return whether `eth_getLogs` asked for too much, so that a smaller range may succeed."""
    return any(part in error.text.lower() for part in _LOG_LIMIT_TEXTS)


def is_rate_limit(error: NodeError) -> bool:
    """Return whether the node refused the request because of a rate limit."""
    text = error.text.lower()
    return error.code in _RATE_LIMIT_CODES or any(part in text for part in _RATE_LIMIT_TEXTS)


def _find(text: str, rows: tuple[tuple[str, T], ...]) -> T | None:
    lowered = text.lower()
    return next((meaning for part, meaning in rows if part in lowered), None)


def _revert_data(value: object) -> bytes:
    """Return the data of a revert; empty if it is missing or unreadable."""
    if isinstance(value, str):
        value = value.removeprefix(_REVERTED_PREFIX)
    try:
        return read_data(value)
    except AnswerInvalid:
        return b""
