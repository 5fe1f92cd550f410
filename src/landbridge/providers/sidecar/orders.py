"""Rails that route payouts to connected providers, and all other payouts to the configured rails.

Guarantees:
- an order belongs to one provider. It goes to the route's next one only while every call so far is
  known to have done nothing: a call is counted before it is made, and discounted only then, so a
  kill during a call binds the order to its provider;
- a deposit that came from a provider is returned by that one, and by no other;
- a final state never changes: an answer that contradicts it is stored as a problem for a person.
  While a failed order is reported as settled, no other order of its payment is sent;
- an order that other rails have stays with them, whatever the providers file says now;
- a refusal after an unanswered call counts only if a query does not contradict it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

import structlog

from landbridge.platform.core.errors import (
    InvariantBroken,
    Rejected,
    Unavailable,
    Unclear,
    Upstream,
)
from landbridge.platform.db.pool import Database
from landbridge.providers.rails.port import (
    DepositCoordinates,
    PayeeMatch,
    PayeeVerification,
    PaymentTracking,
    PayoutDestination,
    RailPayment,
    RailPaymentState,
    RailPaymentStatus,
    Rails,
)
from landbridge.providers.sidecar import credit_store, order_store
from landbridge.providers.sidecar.accounts import ProviderAccounts
from landbridge.providers.sidecar.configuration import ProvidersFile
from landbridge.providers.sidecar.model import (
    FINAL,
    AnswerUnusable,
    NothingDone,
    OrderDecision,
    OrderProblem,
    PayoutProvider,
    PayoutReport,
    ProviderOrder,
    ProviderOrderState,
    decide,
    overdue_at,
    warn_of_problem,
)

_log = structlog.stdlib.get_logger()

_POLL_S = 60
_JUDGED_MAX = 5


@dataclass(frozen=True, slots=True)
class _OrderRoute:
    """Providers that may carry out a payment, in order; `returns` is the id of a credit."""

    providers: tuple[str, ...]
    returns: str | None = None


@dataclass(frozen=True, slots=True)
class ProviderRails:
    """Rails of connected providers; see the port.

    `others` carries out payments that no route names. `elsewhere` are all rails that may have an
    order from a time before a route named its payments.
    """

    database: Database
    routes: ProvidersFile
    providers: Mapping[str, PayoutProvider]
    accounts: ProviderAccounts
    others: Rails
    elsewhere: Sequence[Rails]

    @property
    def key_lifetime(self) -> timedelta | None:
        """Return the lifetime of the other rails: keys of the protocol never expire."""
        return self.others.key_lifetime

    async def pay(self, payment: RailPayment) -> RailPaymentStatus:
        """Submit a payment by its route; see the port."""
        order, route = await self._find(payment.org_id, payment.key), await self._route(payment)
        if order is None:
            rails = self.others
            for each in self.elsewhere if route.providers else ():
                # `Unavailable` is raised, because that rail may have the payment.
                if await each.find_status(payment.org_id, payment.key, payment.at) is not None:
                    route, rails = _OrderRoute(()), each
            if not route.providers:
                return await rails.pay(payment)
            order = await self._assign(payment, route.providers[0])
        if (order.money, order.rail, order.is_same_day) != (
            payment.money,
            payment.rail,
            payment.is_same_day,
        ):
            raise InvariantBroken(f"the key {payment.key} came with another payment before")
        if order.state not in FINAL:
            order = await self._order(order, payment, route)
        return order_status(order, payment.at)

    async def find_status(self, org_id: UUID, key: UUID, at: datetime) -> RailPaymentStatus | None:
        """Return the status of a payment; see the port."""
        order = await self._find(org_id, key)
        if order is None:
            for each in self.elsewhere:
                if (found := await each.find_status(org_id, key, at)) is not None:
                    return found
            return None
        if order.state not in FINAL:
            queried = await self.query(order, at)
            if queried is None:
                return None
            order = queried
        return order_status(order, at)

    async def query(self, order: ProviderOrder, at: datetime) -> ProviderOrder | None:
        """Query an order, final or not, and store the answer.

        Returns None if the provider does not have the order. Raises `Unavailable` and `Unclear`.
        """
        if order.state is ProviderOrderState.ASSIGNED and not order.open_calls:
            return None
        provider = self._provider(order)
        try:
            report = await provider.find(order.org_id, order.key, order.money, order.rail)
        except AnswerUnusable as error:
            await self._note_problem(order, error.problem)
            raise
        return None if report is None else await self._apply(order, report, at)

    async def rejection_reason(self, payment: RailPayment) -> str | None:
        """Return why a payment would be rejected; see the port. No provider is called."""
        if not (await self._route(payment)).providers:
            return await self.others.rejection_reason(payment)
        return None if payment.money.units > 0 else "the amount must be positive"

    async def verify_payee(self, destination: PayoutDestination) -> PayeeVerification:
        """Verify the payee at the provider that would pay first; see the port."""
        names = self.routes.providers_for(destination)
        if not names:
            return await self.others.verify_payee(destination)
        try:
            return await self.providers[names[0]].verify_payee(destination)
        except Upstream as error:
            _log.info("provider.payee_unverified", provider=names[0], reason=str(error))
            return PayeeVerification(match=PayeeMatch.UNAVAILABLE)

    async def coordinates(
        self, org_id: UUID, currency: str, account_number: str
    ) -> DepositCoordinates | None:
        """Return where to send deposits; see the port.

        An account stays with the rails that gave it.
        """
        found = await self.accounts.coordinates(org_id, account_number)
        return found or await self.others.coordinates(org_id, currency, account_number)

    async def takes_deposits(self, org_id: UUID, currency: str) -> bool:
        """Return whether a route or the other rails take deposits; see the port."""
        if self.routes.deposit_provider(org_id, currency) is not None:
            return True
        return await self.others.takes_deposits(org_id, currency)

    async def new_account_number(self, org_id: UUID, currency: str, seed: UUID) -> str:
        """Return an account number of the route's provider, or of the other rails; see the port."""
        found = await self.accounts.number(org_id, currency, seed)
        return found or await self.others.new_account_number(org_id, currency, seed)

    async def _route(self, payment: RailPayment) -> _OrderRoute:
        """Return the providers that may carry out a payment."""
        returned = payment.returns
        if returned is None:
            return _OrderRoute(self.routes.providers_for(payment.destination))
        credit = await self.database.single(
            lambda tx: credit_store.of_payment(tx, payment.org_id, returned)
        )
        if credit is None:
            return _OrderRoute(())
        return _OrderRoute((credit.provider,), credit.credit_id if payment.goes_to_sender else None)

    async def _order(
        self, order: ProviderOrder, payment: RailPayment, route: _OrderRoute
    ) -> ProviderOrder:
        """Call the provider, then the next ones of the route while nothing was certainly done.

        Raises `Unavailable` and `Unclear`; `Rejected` is stored as a failure.
        """
        names = route.providers
        for _ in range(max(len(names), 1)):
            provider = self._provider(order)
            calling = await self._begin_call(order, payment.at)
            try:
                report = await provider.pay(payment, returns=route.returns)
            except NothingDone as error:
                released = await self._end_call(calling, _after(calling.provider, names))
                if released.provider == order.provider:
                    raise
                _log.warning(
                    "provider.failover",
                    provider=order.provider,
                    order=str(order.key),
                    reason=str(error),
                )
                order = released
            except Rejected as error:
                return await self._reject(calling, str(error), payment.at)
            except AnswerUnusable as error:
                await self._note_problem(calling, error.problem)
                raise
            else:
                return await self._apply(calling, report, payment.at)
        raise Unavailable(f"no provider of the route takes the order {order.key} now")

    async def _reject(self, order: ProviderOrder, reason: str, at: datetime) -> ProviderOrder:
        """Store a refusal, unless an earlier call may have been carried out."""
        if order.state is ProviderOrderState.PENDING:
            await self._note_problem(order, OrderProblem.CONTRADICTION)
            raise Unclear(f"provider {order.provider} refused an order that it had accepted")
        if order.open_calls > 1:
            found = await self.query(order, at)
            if found is not None and found.state is not ProviderOrderState.FAILED:
                await self._note_problem(order, OrderProblem.CONTRADICTION)
                raise Unclear(f"provider {order.provider} refused an order that it has")
        decision = OrderDecision(state=ProviderOrderState.FAILED, reason=reason, problem=None)
        stored = await self.database.transact(
            lambda tx: order_store.apply(tx, order, decision, None, at=at)
        )
        if stored is None:
            raise Unclear(f"the order {order.key} was answered meanwhile")
        return stored

    async def _apply(
        self, order: ProviderOrder, report: PayoutReport, at: datetime
    ) -> ProviderOrder:
        """Store the decision on an answer, based on the order's current state."""
        expected_in = timedelta(seconds=report.expected_in_s or _POLL_S)
        for _ in range(_JUDGED_MAX):
            judged, decision = order, decide(order, report)
            write = partial(
                order_store.apply,
                order=judged,
                decision=decision,
                report=report,
                at=at,
                expected_at=at + expected_in,
            )
            stored = await self.database.transact(write)
            if stored is not None:
                if stored.problem is not None and stored.problem is not judged.problem:
                    warn_of_problem(stored.provider, stored.key, stored.problem)
                if stored.problem is not None and stored.state not in FINAL:
                    raise Unclear(f"provider {order.provider} contradicts itself about {order.key}")
                return stored
            found = await self._find(order.org_id, order.key)
            if found is None:
                break
            order = found
        raise Unclear(f"the order {order.key} is being changed by others")

    async def _assign(self, payment: RailPayment, provider: str) -> ProviderOrder:
        await self.database.transact(lambda tx: order_store.add(tx, payment, provider))
        found = await self._find(payment.org_id, payment.key)
        if found is None:
            raise InvariantBroken(f"the order {payment.key} was not stored")
        return found

    async def _find(self, org_id: UUID, key: UUID) -> ProviderOrder | None:
        return await self.database.single(lambda tx: order_store.find(tx, org_id, key))

    async def _begin_call(self, order: ProviderOrder, at: datetime) -> ProviderOrder:
        # If the answer to the commit is lost, the call is counted twice, which only binds the order
        # to its provider.
        calling = await self.database.transact(lambda tx: order_store.begin_call(tx, order, at))
        if calling is None:
            raise Unavailable(
                f"the order {order.key} ended, or went to another provider, meanwhile, or a failed "
                "order of its payment is reported as settled"
            )
        return calling

    async def _end_call(self, order: ProviderOrder, next_provider: str) -> ProviderOrder:
        # Runs only once: a repetition after a lost answer would remove another call.
        released = await self.database.transact_once(
            lambda tx: order_store.end_call(tx, order, next_provider)
        )
        if released is None:
            raise InvariantBroken(f"the order {order.key} is not there")
        return released

    async def _note_problem(self, order: ProviderOrder, problem: OrderProblem) -> None:
        if await self.database.transact(lambda tx: order_store.set_problem(tx, order, problem)):
            warn_of_problem(order.provider, order.key, problem)

    def _provider(self, order: ProviderOrder) -> PayoutProvider:
        found = self.providers.get(order.provider)
        if found is None:
            raise Unavailable(
                f"the order {order.key} is at provider {order.provider}, which the providers file "
                "has no more"
            )
        return found


def order_status(order: ProviderOrder, at: datetime) -> RailPaymentStatus:
    """Return the status of an order at `at`, as the port defines it."""
    expected_at: datetime | None = None
    state = RailPaymentState.PENDING
    match order.state:
        case ProviderOrderState.SETTLED:
            state = RailPaymentState.SETTLED
        case ProviderOrderState.FAILED:
            state = RailPaymentState.FAILED
        case ProviderOrderState.ASSIGNED | ProviderOrderState.PENDING:
            stuck_at = overdue_at(order.rail, order.created_at, is_same_day=order.is_same_day)
            expected_at = min(order.expected_at or at + timedelta(seconds=_POLL_S), stuck_at)
    return RailPaymentStatus(
        state=state,
        tracking=order.tracking or PaymentTracking(payment_rail=order.rail),
        expected_at=expected_at,
        reason=order.reason,
    )


def _after(provider: str, names: Sequence[str]) -> str:
    """Return the next provider of a route after this one; after the last, the first."""
    if provider not in names:
        return names[0] if names else provider
    return names[(names.index(provider) + 1) % len(names)]
