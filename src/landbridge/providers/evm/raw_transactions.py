"""Sending of signed transactions.

Sending the same bytes again is harmless: they have the same hash and nonce. So after a node without
an answer, or with an unknown error, the next node is tried. Once a node may have accepted the
bytes, a refusal of another node proves nothing, and the outcome is `UNCLEAR`.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
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

    `problem` is for operators, and None if the transaction was accepted. It may contain a node's
    text: never show it to customers.
    """

    result: SendResult
    transaction_hash: str
    problem: str | None = None


async def send_raw(pool: NodePool, raws: Sequence[bytes]) -> list[SendOutcome]:
    """Send signed transactions in order, to one node after another, until each answer is clear.

    The next node gets the transactions without a clear answer yet.

    Raises:
        NodeUnavailable: Certainly none arrived at any node. Send the same bytes later.
    """
    sendings = [_Sending(raw, f"0x{keccak256(raw).hex()}") for raw in raws]
    deadline_s = asyncio.get_running_loop().time() + pool.limits.call_timeout_s
    problems: list[str] = []
    for node in pool.candidates():
        waiting = [each for each in sendings if each.outcome is None]
        if not waiting:
            break
        calls = [RpcCall("eth_sendRawTransaction", (f"0x{each.raw.hex()}",)) for each in waiting]
        try:
            answers = await pool.attempt(
                node,
                calls,
                lambda answers, waiting=waiting: _read(waiting, answers),
                deadline_s=deadline_s,
            )
        except NodeFailure as failure:
            for each in waiting:
                each.may_have_arrived |= not failure.is_unsent
            problems.append(pool.fail(node, failure))
            continue
        for each, answer in zip(waiting, answers, strict=True):
            is_clear = answer.result is not SendResult.UNCLEAR
            if answer.result in _ARRIVED or (is_clear and not each.may_have_arrived):
                each.outcome = answer
            else:
                each.may_have_arrived = True
                each.problems.append(f"{node.url.label} answered {answer.problem}")
    # Every answer settles a transaction or leaves it unclear, so here either all or none have
    # arrived.
    if not all(each.outcome or each.may_have_arrived for each in sendings):
        raise NodeUnavailable("; ".join(problems) or "no node is configured")
    return [each.outcome or _unclear(each, problems) for each in sendings]


@dataclass(slots=True)
class _Sending:
    """Transaction that is being sent; `outcome` is None until it is clear."""

    raw: bytes
    transaction_hash: str
    may_have_arrived: bool = False
    outcome: SendOutcome | None = None
    problems: list[str] = field(default_factory=list[str])


def _read(waiting: Sequence[_Sending], answers: list[Any]) -> list[SendOutcome]:
    found: list[SendOutcome] = []
    for each, answer in zip(waiting, answers, strict=True):
        if isinstance(answer, NodeError):
            result, problem = send_result(answer), f"error {answer.code}: {answer.text}"
        elif read_hash(answer) == each.transaction_hash:
            result, problem = SendResult.ACCEPTED, None
        else:
            raise AnswerInvalid("the hash is of another transaction")
        found.append(
            SendOutcome(result=result, transaction_hash=each.transaction_hash, problem=problem)
        )
    return found


def _unclear(sending: _Sending, problems: Sequence[str]) -> SendOutcome:
    return SendOutcome(
        result=SendResult.UNCLEAR,
        transaction_hash=sending.transaction_hash,
        problem="; ".join([*problems, *sending.problems]),
    )
