"""The simulated provider: its scripts, and what it refuses."""

from dataclasses import replace

import pytest

from landbridge.platform.core.errors import FieldInvalid, ResourceNotFound
from landbridge.platform.orgs.model import Mode
from landbridge.providers.simulation.errors import SandboxOnly
from landbridge.providers.trp import protocol
from landbridge.providers.trp.port import InquiryAnswer
from landbridge.sandbox.simulated_vasp import SLOW_S, SimulatedVasp
from tests.customers.travel_exchanges.exchange_world import BASE, LoopVasps, inquiry

HEADERS = {
    "api-version": "3.2.1",
    "request-identifier": "key-1",
    "content-type": "application/json",
}
BODY = inquiry("0x1", callback=f"{BASE}/trp/1/callbacks/secret")
VASP = SimulatedVasp(Mode.SANDBOX, LoopVasps(is_down=True), BASE)


@pytest.mark.parametrize(
    ("script", "answer"),
    [
        ("approves", InquiryAnswer.APPROVED),
        ("rejects", InquiryAnswer.REJECTED),
        ("silent", InquiryAnswer.PENDING),
        # Nobody takes the calls here: they change nothing about the answer.
        ("calls-back", InquiryAnswer.PENDING),
        ("doubled", InquiryAnswer.APPROVED),
    ],
)
async def test_it_answers_by_the_script(script: str, answer: InquiryAnswer) -> None:
    found = protocol.read_resolution(await VASP.inquire(script, HEADERS, BODY))
    assert found.answer is answer
    if answer is InquiryAnswer.APPROVED:
        assert found.address == "0x1"
        assert (found.callback or "").startswith(f"{BASE}/sandbox/vasp/{script}/")


async def test_the_malformed_answer_is_none() -> None:
    with pytest.raises(FieldInvalid):
        protocol.read_resolution(await VASP.inquire("malformed", HEADERS, BODY))


async def test_the_slow_one_sleeps() -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    await replace(VASP, sleep=sleep).inquire("slow", HEADERS, BODY)
    assert slept == [SLOW_S]


async def test_it_calls_nobody_else_and_works_in_a_sandbox_only() -> None:
    for url in ("https://vasp.example.com/x", f"{BASE}/v2/users", f"{BASE}.example.com/trp/"):
        with pytest.raises(FieldInvalid):
            await VASP.inquire("calls-back", HEADERS, inquiry("0x1", callback=url))
    with pytest.raises(ResourceNotFound):
        await VASP.inquire("unknown", HEADERS, BODY)
    with pytest.raises(SandboxOnly):
        await replace(VASP, mode=Mode.PRODUCTION).inquire("approves", HEADERS, BODY)
    with pytest.raises(SandboxOnly):
        replace(VASP, mode=Mode.PRODUCTION).confirm("approves", HEADERS, b"{}")
