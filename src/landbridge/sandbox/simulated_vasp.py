"""Simulated provider (VASP) of the sandbox: answers inquiries by the script in its URL.

It keeps nothing. It takes the inquiries of organisations of this installation, and calls their
callbacks as another provider does: by HTTP, with the request identifier of the inquiry.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from landbridge.platform.core.errors import FieldInvalid, ResourceNotFound
from landbridge.platform.orgs.model import Mode
from landbridge.providers.simulation.errors import SandboxOnly
from landbridge.providers.trp import protocol
from landbridge.providers.trp.port import (
    InquiryAnswer,
    InquiryResolution,
    OtherVasps,
    VaspUnreachable,
)

SLOW_S: Final = 3.0
_PATH: Final = "/sandbox/vasp"
_PENDING: Final = InquiryResolution(answer=InquiryAnswer.PENDING)


class VaspScript(StrEnum):
    """What the simulated provider does with each inquiry."""

    APPROVES = "approves"  # in its answer
    CALLS_BACK = "calls-back"  # takes the inquiry, and approves by the callback
    REJECTS = "rejects"  # in its answer
    SILENT = "silent"  # takes the inquiry, and never says more
    MALFORMED = "malformed"  # answers what is no message of the protocol
    SLOW = "slow"  # approves after some seconds
    DOUBLED = "doubled"  # approves by the callback twice, and once more in its answer


@dataclass(frozen=True, slots=True)
class SimulatedVasp:
    """Answers the inquiries that are sent to it; `sleep` is that of asyncio, but in tests."""

    mode: Mode
    vasps: OtherVasps
    base_url: str
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep

    async def inquire(self, script: str, headers: Mapping[str, str], body: bytes) -> bytes:
        """Return the answer to an inquiry. Raises `SandboxOnly`, `FieldInvalid`."""
        known = self._script(script)
        key, message = protocol.check_headers(headers), protocol.read_inquiry(body)
        if not message.callback.startswith(f"{self.base_url}/trp/"):
            # Anybody may send this: it calls nobody else.
            raise FieldInvalid("callback must be one of this installation", field="callback")
        approval = self._approval(known, message)
        match known:
            case VaspScript.MALFORMED:
                return b'{"approved": "yes", "rejected": 3}'
            case VaspScript.SILENT:
                return protocol.write_resolution(_PENDING)
            case VaspScript.REJECTS:
                rejection = InquiryResolution(
                    answer=InquiryAnswer.REJECTED, comment="no such beneficiary"
                )
                return protocol.write_resolution(rejection)
            case VaspScript.CALLS_BACK:
                await self._call_back(message.callback, key, approval, times=1)
                return protocol.write_resolution(_PENDING)
            case VaspScript.DOUBLED:
                await self._call_back(message.callback, key, approval, times=2)
            case VaspScript.SLOW:
                await self.sleep(SLOW_S)
            case VaspScript.APPROVES:
                pass
        return protocol.write_resolution(approval)

    def confirm(self, script: str, headers: Mapping[str, str], body: bytes) -> None:
        """Take a confirmation. Raises `SandboxOnly`, `FieldInvalid`."""
        self._script(script)
        protocol.check_headers(headers)
        protocol.read_confirmation(body)

    def resolve(self, script: str, headers: Mapping[str, str], body: bytes) -> None:
        """Take the answer to an inquiry in its name. Raises `SandboxOnly`, `FieldInvalid`."""
        self._script(script)
        protocol.check_headers(headers)
        protocol.read_resolution(body)

    def _script(self, text: str) -> VaspScript:
        if self.mode is not Mode.SANDBOX:
            raise SandboxOnly("the simulated provider is in the sandbox only")
        try:
            return VaspScript(text)
        except ValueError:
            raise ResourceNotFound("the simulated provider has no such script") from None

    def _approval(self, script: VaspScript, message: protocol.InquiryMessage) -> InquiryResolution:
        return InquiryResolution(
            answer=InquiryAnswer.APPROVED,
            address=protocol.beneficiary_wallet(message.ivms101) or "",
            callback=f"{self.base_url}{_PATH}/{script}/confirmations",
        )

    async def _call_back(
        self, url: str, key: str, resolution: InquiryResolution, *, times: int
    ) -> None:
        for _ in range(times):
            with suppress(VaspUnreachable):
                await self.vasps.resolve(url, key, resolution)
