"""Checks of a sidecar that verifies payees."""

from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from landbridge.platform.core.ids import new_id
from landbridge.providers.rails.port import PayeeMatch, PayoutDestination
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.payee_protocol import PAYEES_PATH
from landbridge.providers.sidecar.suite.model import CheckFailed, ContractResult, run_check
from landbridge.providers.sidecar.suite.protocol_checks import ProtocolChecks

_INVALID = (b"", b"{", b"null", b"[]", b"{}", b"\xff")


@dataclass(frozen=True, slots=True)
class PayeeChecks:
    """Checks of one sidecar, about one payee."""

    protocol: ProtocolChecks
    client: SidecarClient
    outcomes: Collection[PayeeMatch]
    rail: str
    currency: str
    payee: Mapping[str, Any]

    async def run(self) -> Sequence[ContractResult]:
        """Run the checks one after the other; none if the sidecar verifies no payees."""
        if not self.outcomes:
            return []
        checks: dict[str, Callable[[], Awaitable[str | None]]] = {
            f"a payee is verified: {each.value}": partial(self._answered, each)
            for each in self.outcomes
        }
        checks["invalid requests about payees are refused"] = self._invalid
        return [await run_check(name, check) for name, check in checks.items()]

    async def _answered(self, outcome: PayeeMatch) -> str | None:
        destination = PayoutDestination(
            org_id=new_id(), rail=self.rail, currency=self.currency, payee=self.payee
        )
        answers = {
            await self.client.verify_payee(destination, test_outcome=outcome) for _ in range(2)
        }
        if {each.match for each in answers} != {outcome}:
            raise CheckFailed(f"it is answered with {sorted(each.match for each in answers)}")
        return None

    async def _invalid(self) -> None:
        await self.protocol.check_refusals(_INVALID, PAYEES_PATH)
