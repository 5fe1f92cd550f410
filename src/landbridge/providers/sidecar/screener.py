"""Screening of deposits and payments by connected providers; see the port `providers/kyt`.

Guarantees:
- a screening is stored before the provider is called, and its answer before anybody acts on it, so
  after a crash at any point the provider is only asked again, which moves no money;
- only the first final answer counts. A later contradiction is stored as a problem for a person, and
  changes nothing;
- without a usable answer the deposit or payment waits;
- calls for small deposits are limited per organisation in 24 hours, and further deposits wait: a
  call costs money, but small deposits cost strangers next to nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from landbridge.platform.core.errors import Unavailable, Unclear
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.db.pool import Database, Tx
from landbridge.providers.kyt.port import (
    NotScreened,
    ScreenedTransfer,
    ScreeningDirection,
    ScreeningReport,
    ScreeningVerdict,
)
from landbridge.providers.sidecar import screening_store
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.configuration import ProvidersFile, ScreeningRoute
from landbridge.providers.sidecar.model import AnswerUnusable, OrderProblem, warn_of_problem
from landbridge.providers.sidecar.protocol import ScreeningAnswer
from landbridge.providers.sidecar.screenings import (
    FINAL_SCREENINGS,
    ProviderScreening,
    ScreeningProblem,
    ScreeningProgress,
    decide_screening,
)

_POLL_S = 60
_DAY = timedelta(days=1)
# A small deposit above the limit is tried again after this.
_NEXT_TURN = timedelta(hours=1)
_JUDGED_MAX = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderScreener:
    """Screens deposits and payments by the routes of the providers file."""

    database: Database
    routes: ProvidersFile
    providers: Mapping[str, SidecarClient]

    def screens(self, org_id: UUID, currency: str, direction: ScreeningDirection) -> bool:
        """Return whether a route names a provider; see the port."""
        return self.routes.screening_route(org_id, currency, direction) is not None

    async def screen(self, transfer: ScreenedTransfer) -> ScreeningReport:
        """Return the stored final answer, or ask the provider for one; see the port."""
        stored = await self._find(transfer.org_id, transfer.key)
        if stored is not None and stored.state in FINAL_SCREENINGS:
            return _report(stored)
        route = self.routes.screening_route(
            transfer.org_id, transfer.money.asset.currency, transfer.direction
        )
        name = None if route is None else route.provider
        if name is None:
            # Removing a route does not release what waits for its provider.
            name = None if stored is None else stored.provider
        provider = None if name is None else self.providers.get(name)
        if name is None or provider is None:
            refusal = NotScreened if stored is None else Unavailable
            raise refusal(
                f"no provider screens this {transfer.direction} any more: add a route for it"
            )
        claimed = await self._claim(transfer, name, route)
        if claimed is None:
            return _waiting(name, transfer.now)
        try:
            answer = await provider.screen(transfer)
        except AnswerUnusable as error:
            await self._note_problem(claimed, _PROBLEMS[error.problem])
            raise
        return _report(await self.apply(claimed, answer, transfer.now))

    async def recheck(self, screening: ProviderScreening, at: datetime) -> ProviderScreening | None:
        """Query a screening, final or not, and store the answer.

        Returns None if the provider or the screening does not exist. Raises `Unavailable` and
        `Unclear`.
        """
        provider = self.providers.get(screening.provider)
        if provider is None:
            return None
        answer = await provider.find_screening(screening.key)
        return None if answer is None else await self.apply(screening, answer, at)

    async def apply(
        self, screening: ProviderScreening, answer: ScreeningAnswer, at: datetime
    ) -> ProviderScreening:
        """Store the decision on an answer, based on the screening's current state."""
        expected_at = at + timedelta(seconds=answer.expected_in_seconds or _POLL_S)
        for _ in range(_JUDGED_MAX):
            decision = decide_screening(screening, answer)
            write = partial(
                screening_store.apply,
                screening=screening,
                decision=decision,
                at=at,
                expected_at=expected_at,
            )
            stored = await self.database.transact(write)
            if stored is not None:
                if stored.problem is not None and stored.problem is not screening.problem:
                    warn_of_problem(stored.provider, stored.key, stored.problem)
                return stored
            found = await self._find(screening.org_id, screening.key)
            if found is None:
                break
            screening = found
        raise Unclear(f"the screening {screening.key} is being changed by others")

    async def _claim(
        self, transfer: ScreenedTransfer, provider: str, route: ScreeningRoute | None
    ) -> ProviderScreening | None:
        """Return the screening to ask about; None for a small deposit above the limit."""
        org_id, key, now = transfer.org_id, transfer.key, transfer.now
        is_small = _is_small(transfer)

        async def claim(tx: Tx) -> bool:
            known = await screening_store.find(tx, org_id, key)
            if is_small and route is not None and known is None:
                most = route.small_per_day
                asked = await screening_store.count_small(tx, org_id, now - _DAY, limit=most)
                if asked >= most:
                    return False
            await screening_store.add(tx, org_id, key, provider, now, is_small=is_small)
            return True

        if not await self.database.transact(claim):
            return None
        found = await self._find(org_id, key)
        if found is None:
            raise Unclear(f"the screening {transfer.key} was not stored")
        return found

    async def _find(self, org_id: UUID, key: UUID) -> ProviderScreening | None:
        return await self.database.single(lambda tx: screening_store.find(tx, org_id, key))

    async def _note_problem(self, screening: ProviderScreening, problem: ScreeningProblem) -> None:
        noted = await self.database.single(
            lambda tx: screening_store.set_problem(tx, screening.org_id, screening.key, problem)
        )
        if noted:
            warn_of_problem(screening.provider, screening.key, problem)


_PROBLEMS = {
    OrderProblem.ANSWER_INVALID: ScreeningProblem.ANSWER_INVALID,
    OrderProblem.KEY_CONFLICT: ScreeningProblem.KEY_CONFLICT,
}
_VERDICTS = {
    ScreeningProgress.ASKED: ScreeningVerdict.PENDING,
    ScreeningProgress.PENDING: ScreeningVerdict.PENDING,
    ScreeningProgress.CLEAR: ScreeningVerdict.CLEAR,
    ScreeningProgress.HIT: ScreeningVerdict.HIT,
}


def _is_small(transfer: ScreenedTransfer) -> bool:
    """Return whether it is a deposit of less than one coin, or one unit of its currency."""
    money = transfer.money
    is_deposit = transfer.direction is ScreeningDirection.DEPOSIT
    return is_deposit and money.units < 10**money.asset.decimals


def _waiting(provider: str, now: datetime) -> ScreeningReport:
    return ScreeningReport(
        verdict=ScreeningVerdict.PENDING, provider=provider, expected_at=now + _NEXT_TURN
    )


def _report(screening: ProviderScreening) -> ScreeningReport:
    return copy_fields(screening, ScreeningReport, verdict=_VERDICTS[screening.state], missing=())
