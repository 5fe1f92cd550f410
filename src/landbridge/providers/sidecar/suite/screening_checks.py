"""Checks of a sidecar that screens deposits and payments."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.providers.chains.tokens import TOKENS, Chain
from landbridge.providers.kyt.port import (
    DepositParty,
    ScreenedKind,
    ScreenedTransfer,
    ScreeningDirection,
)
from landbridge.providers.rails.currencies import FIAT
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.protocol import (
    SCREENING_QUERY_PATH,
    SCREENINGS_PATH,
    RequestedScreening,
    ScreeningAnswer,
    ScreeningState,
)
from landbridge.providers.sidecar.suite.model import (
    CheckFailed,
    ContractResult,
    call_and_disconnect,
    check_conflict,
    explain_skip,
    run_check,
)
from landbridge.providers.sidecar.suite.protocol_checks import ProtocolChecks

_REPEATS = 5
# Maximum waits of the adapter until a late answer must have appeared.
_WAITS_MAX = 60
_INVALID = (b"", b"{", b"null", b"[]", b'{"key": 1}', b"\xff")
_UNITS = 12_345
_AT_ONCE = (RequestedScreening.CLEAR, RequestedScreening.HIT)


@dataclass(frozen=True, slots=True)
class ScreeningChecks:
    """Checks of one sidecar; `hasty` is a client that waits only for a second.

    A sidecar that screens only coins, or only fiat, is not asked about the other.
    """

    protocol: ProtocolChecks
    client: SidecarClient
    hasty: SidecarClient
    outcomes: Collection[RequestedScreening]
    kinds: Collection[ScreenedKind]

    async def run(self) -> Sequence[ContractResult]:
        """Run the checks in order; none if the sidecar screens nothing."""
        if not self.outcomes:
            return []
        checks: Mapping[str, Callable[[], Awaitable[str | None]]] = {
            f"{' and '.join(sorted(self.kinds))}: screened in both directions": self._all,
            "a hit is a hit, with what it is about": self._hit,
            "a final answer never changes, however often it is asked": self._repeated,
            "a late answer is pending before": self._late,
            "a call that is broken off is answered when it is repeated": self._silence,
            "one key with another amount is refused": self._conflict,
            "an unknown key is unknown": self._unknown,
            "invalid requests about screenings are refused": self._invalid,
        }
        return [await run_check(name, check) for name, check in checks.items()]

    async def _all(self) -> str | None:
        if RequestedScreening.CLEAR not in self.outcomes:
            return explain_skip(RequestedScreening.CLEAR)
        fiat, coins = (self._fiat(), self._payout()), (self._coins(), self._sent_coins())
        for each in (
            *(fiat if ScreenedKind.FIAT in self.kinds else ()),
            *(coins if ScreenedKind.COINS in self.kinds else ()),
        ):
            answer = await self.client.screen(each, test_outcome=RequestedScreening.CLEAR)
            if answer.state is not ScreeningState.CLEAR:
                raise CheckFailed(f"a clear {each.direction} is {answer.state}")
        return None

    async def _hit(self) -> str | None:
        if RequestedScreening.HIT not in self.outcomes:
            return explain_skip(RequestedScreening.HIT)
        answer = await self.client.screen(self._deposit(), test_outcome=RequestedScreening.HIT)
        if answer.state is not ScreeningState.HIT or not answer.categories:
            raise CheckFailed(f"a hit is {answer.state}, about {list(answer.categories)}")
        return None

    async def _repeated(self) -> None:
        for outcome in self.outcomes:
            if outcome in {RequestedScreening.SILENCE, RequestedScreening.LATE}:
                continue
            deposit = self._deposit()
            answers: list[ScreeningAnswer | None] = [
                *await asyncio.gather(
                    *(self.client.screen(deposit, test_outcome=outcome) for _ in range(_REPEATS))
                ),
                await self.client.screen(deposit, test_outcome=outcome),
                await self.client.find_screening(deposit.key),
            ]
            states = {None if each is None else each.state for each in answers}
            if len(states) > 1:
                raise CheckFailed(f"one key was answered with {sorted(map(str, states))}")

    async def _late(self) -> str | None:
        if RequestedScreening.LATE not in self.outcomes:
            return explain_skip(RequestedScreening.LATE)
        deposit = self._deposit()
        first = await self.client.screen(deposit, test_outcome=RequestedScreening.LATE)
        if first.state is not ScreeningState.PENDING:
            raise CheckFailed(f"a late answer is {first.state} at once")
        for _ in range(_WAITS_MAX):
            found = await self.client.find_screening(deposit.key)
            if found is None:
                raise CheckFailed("a screening that is pending is unknown")
            if found.state is not ScreeningState.PENDING:
                return None
            await self.protocol.adapter.pass_time()
        raise CheckFailed("a late answer did not come")

    async def _silence(self) -> str | None:
        if RequestedScreening.SILENCE not in self.outcomes:
            return explain_skip(RequestedScreening.SILENCE)
        deposit = self._deposit()
        await call_and_disconnect(
            self.hasty.screen(deposit, test_outcome=RequestedScreening.SILENCE)
        )
        again = await self.client.screen(deposit, test_outcome=RequestedScreening.SILENCE)
        if again.state is not ScreeningState.CLEAR:
            raise CheckFailed(f"the repeated call was answered with {again.state}")
        return None

    async def _conflict(self) -> None:
        # The transaction is made up: a provider accepts it only if a test outcome is requested.
        outcome = next((each for each in _AT_ONCE if each in self.outcomes), None)
        deposit = self._deposit()
        first = await self.client.screen(deposit, test_outcome=outcome)
        more = Money(deposit.money.units + 1, deposit.money.asset)
        again = self.client.screen(replace(deposit, money=more), test_outcome=outcome)
        await check_conflict(again, "a key was accepted with another amount")
        found = await self.client.find_screening(deposit.key)
        if found is None or found.state is not first.state:
            raise CheckFailed("a conflicting request has changed the first one")

    async def _unknown(self) -> None:
        if await self.client.find_screening(new_id()) is not None:
            raise CheckFailed("a key that was never sent is known")

    async def _invalid(self) -> None:
        await self.protocol.check_refusals(_INVALID, SCREENINGS_PATH, SCREENING_QUERY_PATH)

    def _deposit(self) -> ScreenedTransfer:
        return self._coins() if ScreenedKind.COINS in self.kinds else self._fiat()

    def _coins(self) -> ScreenedTransfer:
        now = self.protocol.clock.now()
        return ScreenedTransfer(
            org_id=new_id(),
            key=new_id(),
            user_id=new_id(),
            money=Money(_UNITS, TOKENS[Chain.POLYGON, "usdc"].asset),
            at=now,
            now=now,
            chain=Chain.POLYGON,
            transaction_hash=f"0x{new_id().hex * 2}",
            source_address="0x8ba1f109551bD432803012645Ac136ddd64DBA72",
            destination_address="0xde709f2102306220921060314715629080e2fb77",
        )

    def _fiat(self) -> ScreenedTransfer:
        now = self.protocol.clock.now()
        return ScreenedTransfer(
            org_id=new_id(),
            key=new_id(),
            user_id=new_id(),
            money=Money(_UNITS, FIAT["usd"]),
            at=now,
            now=now,
            rail="wire",
            sender=DepositParty(name="Test Sender", bank_name="Example Bank"),
        )

    def _payout(self) -> ScreenedTransfer:
        account = {"accountNumber": "000123456789", "routingNumber": "021000021"}
        payee = {"type": "us", "accountHolder": {"name": "Test Payee"}, "us": account}
        return replace(self._fiat(), direction=ScreeningDirection.PAYMENT, sender=None, payee=payee)

    def _sent_coins(self) -> ScreenedTransfer:
        return replace(self._coins(), direction=ScreeningDirection.PAYMENT, transaction_hash=None)
