"""Errors of nodes as different clients word them."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from landbridge.providers.evm.errors import NodeError
from landbridge.providers.evm.node_errors import (
    SendResult,
    SimulationFailureKind,
    is_log_limit,
    is_rate_limit,
    send_result,
    simulation_failure,
)

KIND = SimulationFailureKind
PAUSED = "0x08c379a0" + f"{32:064x}" + f"{16:064x}" + b"Pausable: paused".ljust(32, b"\0").hex()


@pytest.mark.parametrize(
    ("text", "result"),
    [
        # anvil
        ("transaction already imported", SendResult.ALREADY_KNOWN),
        ("Insufficient funds for gas * price + value", SendResult.INSUFFICIENT_FUNDS),
        ("max fee per gas less than block base fee", SendResult.UNDERPRICED),
        ("max priority fee per gas higher than max fee per gas", SendResult.REJECTED),
        ("Failed to decode transaction", SendResult.REJECTED),
        # geth
        ("already known", SendResult.ALREADY_KNOWN),
        ("nonce too low: next nonce 5, tx nonce 4", SendResult.NONCE_TOO_LOW),
        ("replacement transaction underpriced: new tx gas fee cap 1", SendResult.UNDERPRICED),
        ("insufficient funds for gas * price + value: balance 0", SendResult.INSUFFICIENT_FUNDS),
        ("tx fee (2.00 ether) exceeds the configured cap (1.00 ether)", SendResult.REJECTED),
        # erigon
        ("INTERNAL_ERROR: existing tx with same hash", SendResult.ALREADY_KNOWN),
        ("INTERNAL_ERROR: could not replace existing tx", SendResult.UNDERPRICED),
        ("INTERNAL_ERROR: nonce too low", SendResult.NONCE_TOO_LOW),
        # nethermind
        ("AlreadyKnown", SendResult.ALREADY_KNOWN),
        ("OldNonce, Current nonce: 22, nonce of rejected tx: 17", SendResult.NONCE_TOO_LOW),
        ("FeeTooLowToCompete", SendResult.UNDERPRICED),
        ("ReplacementNotAllowed", SendResult.UNDERPRICED),
        ("InsufficientFunds, Account balance: 0", SendResult.INSUFFICIENT_FUNDS),
        # besu
        ("Known transaction", SendResult.ALREADY_KNOWN),
        ("Upfront cost exceeds account balance", SendResult.INSUFFICIENT_FUNDS),
        # What no row knows decides nothing.
        ("txpool is full", SendResult.UNCLEAR),
        ("internal error", SendResult.UNCLEAR),
        ("", SendResult.UNCLEAR),
    ],
)
def test_results_of_sending(text: str, result: SendResult) -> None:
    assert send_result(NodeError(-32000, text)) is result


@pytest.mark.parametrize(
    ("code", "text", "data", "kind", "reason"),
    [
        (3, "execution reverted: Pausable: paused", PAUSED, KIND.PAUSED, "Pausable: paused"),
        (-32015, "VM execution error.", f"Reverted {PAUSED}", KIND.PAUSED, "Pausable: paused"),
        (3, "execution reverted", "0xe450d38c" + "0" * 192, KIND.INSUFFICIENT_FUNDS, "0xe450d38c"),
        (3, "execution reverted", "0xfb8f41b2", KIND.INSUFFICIENT_ALLOWANCE, "0xfb8f41b2"),
        (3, "execution reverted", "0x1fd1cc44", KIND.BLOCKED, "0x1fd1cc44"),
        (3, "execution reverted", "0xd93c0665", KIND.PAUSED, "0xd93c0665"),
        (3, "execution reverted", "0x12345678", KIND.REVERTED, "0x12345678"),
        (3, "execution reverted", "0x", KIND.REVERTED, None),
        (
            -32000,
            "execution reverted: ERC20: transfer amount exceeds balance",
            None,
            KIND.INSUFFICIENT_FUNDS,
            None,
        ),
        (
            -32000,
            "execution reverted: ERC20: transfer amount exceeds allowance",
            None,
            KIND.INSUFFICIENT_ALLOWANCE,
            None,
        ),
        (
            -32000,
            "execution reverted: Blacklistable: account is blacklisted",
            None,
            KIND.BLOCKED,
            None,
        ),
        (-32603, "EVM error OutOfGas", None, KIND.OUT_OF_GAS, None),
        (
            -32003,
            "Out of gas: gas required exceeds allowance: 30000000",
            None,
            KIND.OUT_OF_GAS,
            None,
        ),
        (-32000, "gas required exceeds allowance (50000)", None, KIND.OUT_OF_GAS, None),
        (-32603, "EVM error InvalidFEOpcode", None, KIND.REVERTED, None),
        (-32000, "insufficient funds for transfer", None, KIND.INSUFFICIENT_FUNDS, None),
        (-32000, "missing trie node", None, KIND.UNKNOWN, None),
    ],
)
def test_failures_of_simulations(
    code: int, text: str, data: Any, kind: SimulationFailureKind, reason: str | None
) -> None:
    failure = simulation_failure(NodeError(code, text, data))
    assert (failure.kind, failure.reason) == (kind, reason)


@given(text=st.text(), data=st.none() | st.binary().map(lambda raw: f"0x{raw.hex()}") | st.text())
def test_every_error_has_a_meaning_that_can_be_logged(text: str, data: Any) -> None:
    error = NodeError(-32000, text, data)
    assert send_result(error) in SendResult
    reason = simulation_failure(error).reason
    assert reason is None or (reason.isascii() and len(reason) <= 200)
    assert reason is None or reason.isprintable()


@pytest.mark.parametrize(
    "text",
    [
        "query returned more than 10000 results",
        "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range",
        "eth_getLogs is limited to a 10,000 range",
        "query exceeds max block range 100000",
        "query exceeds max results 20000",
        "exceed maximum block range: 50000",
    ],
)
def test_limits_of_logs_are_known(text: str) -> None:
    assert is_log_limit(NodeError(-32005, text))
    assert not is_rate_limit(NodeError(-32005, text))


def test_rate_limits_are_known() -> None:
    assert is_rate_limit(NodeError(429, "anything"))
    assert is_rate_limit(NodeError(-32005, "daily request count exceeded, request rate limited"))
    assert is_rate_limit(NodeError(-32007, "50/second request limit reached"))
    assert not is_rate_limit(NodeError(-32000, "execution reverted"))
    assert not is_log_limit(NodeError(-32000, "execution reverted"))
