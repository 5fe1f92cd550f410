"""An organisation in a house whose chains and banks fail as they are told."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from landbridge.core.clock import FrozenClock
from landbridge.core.errors import Unavailable
from landbridge.flows.onramps.model import Status
from tests.onramps import ONRAMPS, deposit, make_onramp, onramp_of, settle
from tests.simulation.faulty import FaultyChains, FaultyRails
from tests.tenants import Tenant


@dataclass
class Play:
    """An organisation in a house whose chains and banks fail as they are told."""

    org: Tenant
    chains: FaultyChains
    rails: FaultyRails
    clock: FrozenClock
    user: str

    async def paid(self, amount: Any = 100, **changes: Any) -> dict[str, Any]:
        """An onramp whose deposit has arrived; nobody has looked at it."""
        onramp = await make_onramp(self.org, self.user, amount, **changes)
        await deposit(self.org, onramp)
        return onramp

    async def settle(self, after: timedelta = timedelta()) -> None:
        self.clock.at += after
        await settle(self.org)

    async def resting_at(self, status: Status) -> dict[str, Any]:
        """An onramp that rests at a status, as it came there; what held it up is over."""
        quoted = {Status.OPEN_QUOTE, Status.QUOTE_FAILED, Status.NOT_INITIATED}
        onramp = await make_onramp(self.org, self.user, is_accepted=status not in quoted)
        await self._bring(onramp, status)
        self.chains.is_silent = self.rails.is_silent = False
        assert (await onramp_of(self.org, onramp["id"])).status is status
        return onramp

    async def review(self, onramp: Mapping[str, Any], action: str = "open") -> None:
        """Open or close a request for information."""
        path = f"/v2/sandbox/transfers/{onramp['id']}/rfi"
        await self.org.post(path, {"action": action})

    async def _bring(self, onramp: dict[str, Any], status: Status) -> None:
        match status:
            case Status.OPEN_QUOTE | Status.AWAITING_FUNDS:
                pass
            case Status.NOT_INITIATED:
                await self.review(onramp)
                await self.org.post(f"{ONRAMPS}/{onramp['id']}/cancel")
            case Status.QUOTE_FAILED:
                await self.settle(timedelta(hours=25))
            case _:
                await self._pay(onramp, status)

    async def _pay(self, onramp: dict[str, Any], status: Status) -> None:
        """Deposit, with what holds it up at this status."""
        told: dict[str, Any] = {}
        match status:
            case Status.FIAT_PENDING:
                told["clears_at"] = self.clock.at + timedelta(days=3)
            case Status.FIAT_FAILED | Status.FIAT_RETURNED:
                self.rails.is_silent = status is Status.FIAT_FAILED
                told["amount"] = "1"
            case Status.CRYPTO_INITIATED:
                self.chains.raise_before_next = Unavailable("away")
            case Status.CRYPTO_PENDING:
                self.chains.late_by = timedelta(days=3)
            case Status.CRYPTO_FAILED:
                self.rails.is_silent, self.chains.fail_next = True, "no gas"
            case _:
                self.chains.is_silent = status is Status.UNKNOWN
        await deposit(self.org, onramp, **told)
        await self.settle()
        if status is Status.UNKNOWN:
            await self.settle(timedelta(hours=25))
