"""Onramps of a container with scripted failures of chains and banks."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from landbridge.payments.onramps.model import OnrampStatus
from landbridge.platform.core.clock import FrozenClock
from landbridge.platform.core.errors import Unavailable
from tests.onramps import ONRAMPS, deposit, make_onramp, onramp_of, settle
from tests.providers.simulation.faulty import FaultyChains, FaultyRails
from tests.tenants import Tenant


@dataclass
class OnrampScenario:
    """Organisation in a container with scripted failures of chains and banks."""

    org: Tenant
    chains: FaultyChains
    rails: FaultyRails
    clock: FrozenClock
    user: str

    async def paid(self, amount: Any = 100, **changes: Any) -> dict[str, Any]:
        """Return an onramp whose deposit has arrived, before the worker has processed it."""
        onramp = await make_onramp(self.org, self.user, amount, **changes)
        await deposit(self.org, onramp)
        return onramp

    async def settle(self, after: timedelta = timedelta()) -> None:
        self.clock.at += after
        await settle(self.org)

    async def resting_at(self, status: OnrampStatus) -> dict[str, Any]:
        """Return an onramp that stays at a status; afterwards chains and banks work again."""
        quoted = {OnrampStatus.OPEN_QUOTE, OnrampStatus.QUOTE_FAILED, OnrampStatus.NOT_INITIATED}
        onramp = await make_onramp(self.org, self.user, is_accepted=status not in quoted)
        await self._bring(onramp, status)
        self.chains.is_silent = self.rails.is_silent = False
        assert (await onramp_of(self.org, onramp["id"])).status is status
        return onramp

    async def review(self, onramp: Mapping[str, Any], action: str = "open") -> None:
        """Open or close a request for information."""
        path = f"/v2/sandbox/transfers/{onramp['id']}/rfi"
        await self.org.post(path, {"action": action})

    async def _bring(self, onramp: dict[str, Any], status: OnrampStatus) -> None:
        match status:
            case OnrampStatus.OPEN_QUOTE | OnrampStatus.AWAITING_FUNDS:
                pass
            case OnrampStatus.NOT_INITIATED:
                await self.review(onramp)
                await self.org.post(f"{ONRAMPS}/{onramp['id']}/cancel")
            case OnrampStatus.QUOTE_FAILED:
                await self.settle(timedelta(hours=25))
            case _:
                await self._pay(onramp, status)

    async def _pay(self, onramp: dict[str, Any], status: OnrampStatus) -> None:
        """Deposit, with the failure that keeps the onramp at this status."""
        fields: dict[str, Any] = {}
        match status:
            case OnrampStatus.FIAT_PENDING:
                fields["clears_at"] = self.clock.at + timedelta(days=3)
            case OnrampStatus.FIAT_FAILED | OnrampStatus.FIAT_RETURNED:
                self.rails.is_silent = status is OnrampStatus.FIAT_FAILED
                fields["amount"] = "1"
            case OnrampStatus.CRYPTO_INITIATED:
                self.chains.raise_before_next = Unavailable("away")
            case OnrampStatus.CRYPTO_PENDING:
                self.chains.late_by = timedelta(days=3)
            case OnrampStatus.CRYPTO_FAILED:
                self.rails.is_silent, self.chains.fail_next = True, "no gas"
            case _:
                self.chains.is_silent = status is OnrampStatus.UNKNOWN
        await deposit(self.org, onramp, **fields)
        await self.settle()
        if status is OnrampStatus.UNKNOWN:
            await self.settle(timedelta(hours=25))
