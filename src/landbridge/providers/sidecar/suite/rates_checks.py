"""Checks of a sidecar that has rates."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from landbridge.platform.core.clock import Clock
from landbridge.providers.rates.errors import RatesRejected
from landbridge.providers.rates.feeds import PRICED, read_observations
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.protocol import PricedCurrency
from landbridge.providers.sidecar.rates_protocol import RATES_PATH
from landbridge.providers.sidecar.suite.model import CheckFailed, ContractResult, run_check
from landbridge.providers.sidecar.suite.protocol_checks import ProtocolChecks

_INVALID = (
    b"",
    b"{",
    b"null",
    b"[]",
    b"{}",
    b'{"currencies":[]}',
    b'{"currencies":"eur"}',
    b"\xff",
)


@dataclass(frozen=True, slots=True)
class RatesChecks:
    """Checks of one sidecar, for the currencies that it prices."""

    protocol: ProtocolChecks
    client: SidecarClient
    clock: Clock
    currencies: Sequence[PricedCurrency]

    async def run(self) -> Sequence[ContractResult]:
        """Run the checks in order; none if the sidecar has no rates."""
        if not self.currencies:
            return []
        checks: dict[str, Callable[[], Awaitable[str | None]]] = {
            "every currency that it lists has a price": self._priced,
            "a query for one currency is answered with its price": self._one,
            "invalid requests about rates are refused": self._invalid,
        }
        return [await run_check(name, check) for name, check in checks.items()]

    async def _priced(self) -> str | None:
        if unknown := sorted(set(self.currencies) - PRICED):
            raise CheckFailed(f"it lists {unknown[0]}, which has no price in dollars here")
        await self._read(self.currencies)
        return None

    async def _one(self) -> str | None:
        await self._read(self.currencies[:1])
        return None

    async def _read(self, currencies: Sequence[PricedCurrency]) -> None:
        answer = await self.client.read_rates(currencies)
        if missing := sorted(set(currencies) - answer.usd.keys()):
            raise CheckFailed(f"{missing[0]} has no price")
        asked = {each: answer.usd[each] for each in currencies}
        try:
            read_observations(answer.at, asked, self.clock.now())
        except RatesRejected as rejected:
            raise CheckFailed(str(rejected)) from rejected

    async def _invalid(self) -> None:
        await self.protocol.check_refusals(_INVALID, RATES_PATH)
