"""Sending of signed transactions.

Sending the same bytes again is harmless: they have one hash and one nonce. So after a node that
gives no answer, or an error that we don't know, the next one is tried, with one precaution: once a
node may have accepted the bytes, a refusal of another proves nothing, and the outcome is `UNCLEAR`.
"""

import asyncio
from typing import Any

import msgspec

from landbridge.platform.formats.evm_addresses import keccak256
from landbridge.providers.evm.errors import NodeError, NodeFailure, NodeUnavailable
from landbridge.providers.evm.node_errors import SendResult, send_result
from landbridge.providers.evm.nodes import NodePool
from landbridge.providers.evm.quantities import AnswerInvalid, read_hash
from landbridge.providers.evm.transport import RpcCall

_ARRIVED = frozenset({SendResult.ACCEPTED, SendResult.ALREADY_KNOWN})


class SendOutcome(msgspec.Struct, frozen=True, kw_only=True):
    """Outcome of sending: the result, the transaction's hash, and why it was not accepted.

    `problem` is for operators, None if it was accepted. It may have a node's own text: never show
    it to customers.
    """

    result: SendResult
    transaction_hash: str
    problem: str | None = None


async def send_raw(pool: NodePool, raw: bytes) -> SendOutcome:
    """Send a signed transaction to the first node whose answer is clear.

    Raises:
        NodeUnavailable: It certainly arrived at no node. Send the same bytes later.
    """
    transaction_hash = f"0x{keccak256(raw).hex()}"

    def read(answers: list[Any]) -> SendOutcome:
        (answer,) = answers
        if isinstance(answer, NodeError):
            result, problem = send_result(answer), f"error {answer.code}: {answer.text}"
        elif read_hash(answer) == transaction_hash:
            result, problem = SendResult.ACCEPTED, None
        else:
            raise AnswerInvalid("the hash is of another transaction")
        return SendOutcome(result=result, transaction_hash=transaction_hash, problem=problem)

    call = RpcCall("eth_sendRawTransaction", (f"0x{raw.hex()}",))
    deadline_s = asyncio.get_running_loop().time() + pool.limits.call_timeout_s
    problems: list[str] = []
    may_have_arrived = False
    for node in pool.candidates():
        try:
            outcome = await pool.attempt(node, [call], read, deadline_s=deadline_s)
        except NodeFailure as failure:
            may_have_arrived |= not failure.is_unsent
            problems.append(pool.fail(node, failure))
        else:
            is_clear = outcome.result is not SendResult.UNCLEAR
            if outcome.result in _ARRIVED or (is_clear and not may_have_arrived):
                return outcome
            may_have_arrived = True
            problems.append(f"{node.url.label} answered {outcome.problem}")
    if not may_have_arrived:
        raise NodeUnavailable("; ".join(problems) or "no node is configured")
    return SendOutcome(
        result=SendResult.UNCLEAR,
        transaction_hash=transaction_hash,
        problem="; ".join(problems),
    )
