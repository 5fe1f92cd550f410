"""Screening of coins by Elliptic: deposits by their transaction, payments by their destination.

Guarantees:
- our key is in the reference of the customer for whom a subject is analysed, so that an analysis is
  found again by it: after a lost answer, or after a kill. Nothing is stored here;
- a subject is analysed only after Elliptic has not shown an analysis under the key that has a
  result. Should it still be analysed twice, Elliptic makes one analysis of it;
- nothing is clear without a complete analysis, but for an address that Elliptic does not know, if
  the settings say so;
- nothing about users is sent, and no text of Elliptic is forwarded.
"""

import asyncio
from datetime import UTC, datetime
from uuid import UUID

from landbridge.providers.packages.http_client import NoAnswer
from landbridge.providers.packages.interface import (
    KeyConflict,
    PackageSettings,
    ProviderPackage,
    RiskCategory,
    ScreenedKind,
    ScreeningAnswer,
    ScreeningDirection,
    ScreeningQuery,
    ScreeningRequest,
    ScreeningState,
    SidecarDescription,
)
from landbridge_elliptic.client import TRANSACTIONS, WALLETS, EllipticApi, EllipticService
from landbridge_elliptic.messages import (
    RUNNING,
    WAITS_S,
    EllipticAnalysis,
    EllipticListed,
    risk_categories,
    screening_state,
)
from landbridge_elliptic.settings import read_settings
from landbridge_elliptic.subject import (
    TEST_OUTCOMES,
    EllipticOrder,
    analysis_order,
    customer_reference,
    reference_prefix,
)

# Elliptic reads a block some time after it was made.
_NOT_READ_S = 60
# An address is known once it is used.
_UNUSED_S = 3_600
_UNKNOWN_ADDRESSES = {
    "wait": ScreeningState.PENDING,
    "hit": ScreeningState.HIT,
    "clear": ScreeningState.CLEAR,
}


class EllipticScreening(ProviderPackage):
    """Adapter of Elliptic's AML API, version 2. Source: developers.elliptic.co."""

    def __init__(self, settings: PackageSettings) -> None:
        valid = read_settings(settings)
        self._options = valid.options
        self._api = EllipticApi(valid, self.now)

    def now(self) -> datetime:
        """Return the time at which requests are signed."""
        return datetime.now(UTC)

    async def close(self) -> None:
        """Close idle connections."""
        await self._api.close()

    async def describe(self) -> SidecarDescription:
        """Return what the adapter serves: screenings of coins."""
        return SidecarDescription(
            name="Elliptic",
            protocol=1,
            screening_outcomes=() if self._options.test is None else TEST_OUTCOMES,
            screens=(ScreenedKind.COINS,),
            never_run_live=True,
        )

    async def screen(self, request: ScreeningRequest) -> ScreeningAnswer:
        """Return the result of the analysis under a key, or have the subject analysed."""
        order = analysis_order(request, self._options)
        reference = customer_reference(request)
        known = await self._known(request.key)
        if any(each.customer.reference != reference for _, each in known):
            raise KeyConflict
        for service, each in known[:1]:
            analysis = await self._api.get(service, each.id)
            _check_subject(analysis, order, reference)
            answer = self._answer(request.key, analysis)
            if answer.state is not ScreeningState.PENDING or analysis.process_status == RUNNING:
                return answer
        made = await self._api.analyse(order.service, order.body)
        if made is None:
            return self._unknown_to_elliptic(request)
        _check_subject(made, order, reference)
        return self._answer(request.key, made)

    async def find_screening(self, query: ScreeningQuery) -> ScreeningAnswer | None:
        """Return the result of the analysis under a key; None if Elliptic has none."""
        for service, each in (await self._known(query.key))[:1]:
            analysis = await self._api.get(service, each.id)
            if analysis.customer.reference != each.customer.reference:
                raise NoAnswer("an analysis is of another customer than in its list")
            return self._answer(query.key, analysis)
        return None

    async def _known(self, key: UUID) -> list[tuple[EllipticService, EllipticListed]]:
        """Return the analyses under a key, the oldest first."""
        prefix = reference_prefix(key)
        wallets, transactions = await asyncio.gather(
            self._api.find(WALLETS, prefix), self._api.find(TRANSACTIONS, prefix)
        )
        found = [(WALLETS, each) for each in wallets]
        found += [(TRANSACTIONS, each) for each in transactions]
        ours = [each for each in found if each[1].customer.reference.startswith(prefix)]
        return sorted(ours, key=lambda each: (each[1].created_at, each[1].id))

    def _answer(self, key: UUID, analysis: EllipticAnalysis) -> ScreeningAnswer:
        state = screening_state(analysis, self._options)
        is_hit, is_pending = state is ScreeningState.HIT, state is ScreeningState.PENDING
        return ScreeningAnswer(
            key=key,
            state=state,
            provider_reference=str(analysis.id),
            categories=risk_categories(analysis, self._options.categories) if is_hit else (),
            expected_in_seconds=WAITS_S[analysis.process_status] if is_pending else None,
        )

    def _unknown_to_elliptic(self, request: ScreeningRequest) -> ScreeningAnswer:
        """Answer about what is on no blockchain that Elliptic has read.

        The transaction of a deposit will be; an address may never be used. There is no analysis, so
        the answer refers to our key.
        """
        state, wait_s = ScreeningState.PENDING, _NOT_READ_S
        if request.direction is ScreeningDirection.PAYMENT:
            state, wait_s = _UNKNOWN_ADDRESSES[self._options.unknown_address], _UNUSED_S
        return ScreeningAnswer(
            key=request.key,
            state=state,
            provider_reference=str(request.key),
            categories=(RiskCategory.OTHER,) if state is ScreeningState.HIT else (),
            expected_in_seconds=wait_s if state is ScreeningState.PENDING else None,
        )


def _check_subject(analysis: EllipticAnalysis, order: EllipticOrder, reference: str) -> None:
    """Raise `NoAnswer` unless an analysis is about what was sent."""
    if analysis.customer.reference != reference:
        raise NoAnswer("the analysis is of another customer")
    if analysis.subject.hash.lower() != order.subject_hash.lower():
        raise NoAnswer("the analysis is about another subject")
