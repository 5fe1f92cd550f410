"""Routing of payouts: one provider for each, and failover only while none can have paid."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from uuid import UUID

import pytest

from landbridge.platform.core.clock import ReadingClock
from landbridge.platform.core.errors import Rejected, Unavailable, Unclear
from landbridge.platform.core.money import Money
from landbridge.platform.db.pool import Database
from landbridge.platform.db.sealing import Sealer, new_key
from landbridge.platform.encryption.service import Vault
from landbridge.providers.rails.none import NoRails
from landbridge.providers.rails.port import (
    PayeeMatch,
    PayeeVerification,
    PaymentTracking,
    PayoutDestination,
    RailPayment,
    RailPaymentState,
    RailPaymentStatus,
)
from landbridge.providers.sidecar import order_store
from landbridge.providers.sidecar.accounts import ProviderAccounts
from landbridge.providers.sidecar.configuration import PayoutRoute, ProvidersFile
from landbridge.providers.sidecar.model import (
    AnswerUnusable,
    NothingDone,
    OrderProblem,
    PayoutReport,
)
from landbridge.providers.sidecar.orders import ProviderRails
from landbridge.providers.sidecar.protocol import FailureCode, PayoutState
from tests.providers.sidecar.kit import payment
from tests.tenants import Tenant

Outcome = PayoutState | Exception


@dataclass
class ScriptedProvider:
    """Provider that answers each call with the next outcome, the last one again and again."""

    outcomes: list[Outcome]
    found: list[Outcome | None] = field(default_factory=list[Outcome | None])
    reference: str = "bank-1"
    paid: list[UUID] = field(default_factory=list[UUID])

    def report(self, outcome: Outcome, money: Money, rail: str) -> PayoutReport:
        if isinstance(outcome, Exception):
            raise outcome
        failure = FailureCode.ACCOUNT_CLOSED if outcome is PayoutState.FAILED else None
        tracking = PaymentTracking(payment_rail=rail, trace_number="T1")
        return PayoutReport(
            state=outcome,
            money=money,
            provider_reference=self.reference,
            tracking=tracking,
            expected_in_s=5,
            failure=failure,
        )

    async def pay(self, payment: RailPayment, *, returns: str | None = None) -> PayoutReport:
        assert returns is None
        self.paid.append(payment.key)
        outcome = self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]
        return self.report(outcome, payment.money, payment.rail)

    async def find(self, org_id: UUID, key: UUID, money: Money, rail: str) -> PayoutReport | None:
        del org_id, key
        outcome = self.found.pop(0) if len(self.found) > 1 else self.found[0]
        return None if outcome is None else self.report(outcome, money, rail)

    async def verify_payee(self, destination: PayoutDestination) -> PayeeVerification:
        del destination
        outcome = self.outcomes[0]
        if isinstance(outcome, Exception):
            raise outcome
        return PayeeVerification(match=PayeeMatch.CLOSE_MATCH, name="A. Example")


class KnowingRails(NoRails):
    """Rails that have every payment already."""

    async def pay(self, payment: RailPayment) -> RailPaymentStatus:
        tracking = PaymentTracking(payment_rail=payment.rail)
        return RailPaymentStatus(
            state=RailPaymentState.PENDING, tracking=tracking, expected_at=payment.at
        )

    async def find_status(self, org_id: UUID, key: UUID, at: object) -> RailPaymentStatus | None:
        del org_id, key, at
        return await self.pay(payment())


Rails = Callable[..., ProviderRails]


@pytest.fixture
def rails(database: Database) -> Rails:
    def build(others: NoRails | None = None, **providers: ScriptedProvider) -> ProviderRails:
        route = PayoutRoute(
            providers=tuple(providers),
            rails=frozenset({"ach"}),
            currencies=None,
            countries=None,
            organisations=None,
        )
        own = others or NoRails()
        file = ProvidersFile(sidecars={}, routes=(route,))
        accounts = ProviderAccounts(
            database=database,
            vault=Vault(Sealer(new_key())),
            clock=ReadingClock(),
            routes=file,
            providers={},
        )
        return ProviderRails(
            database=database,
            routes=file,
            providers=providers,
            accounts=accounts,
            others=own,
            elsewhere=() if others is None else (own,),
        )

    return build


async def problem(rails: ProviderRails, order: RailPayment) -> OrderProblem | None:
    found = await rails.database.single(lambda tx: order_store.find(tx, order.org_id, order.key))
    assert found is not None
    return found.problem


async def test_a_payout_settles_at_its_provider(rails: Rails, org: Tenant) -> None:
    acme = ScriptedProvider([PayoutState.PENDING], [PayoutState.SETTLED])
    routed, order = rails(acme=acme), payment(org_id=org.org_id)
    paid = await routed.pay(order)
    assert (paid.state, paid.tracking.trace_number) == (RailPaymentState.PENDING, "T1")
    assert paid.expected_at == order.at + timedelta(seconds=5)
    found = await routed.find_status(order.org_id, order.key, order.at)
    assert found is not None
    assert (found.state, found.expected_at) == (RailPaymentState.SETTLED, None)
    # Final: the provider is not called again.
    assert (await routed.pay(order)).state is RailPaymentState.SETTLED
    assert acme.paid == [order.key]


async def test_a_provider_that_took_nothing_is_followed_by_the_next(
    rails: Rails, org: Tenant
) -> None:
    first, second = ScriptedProvider([NothingDone("")]), ScriptedProvider([PayoutState.PENDING])
    order = payment(org_id=org.org_id)
    assert (await rails(first=first, second=second).pay(order)).state is RailPaymentState.PENDING
    assert (len(first.paid), len(second.paid)) == (1, 1)


@pytest.mark.parametrize(
    "outcome", [Unclear(""), AnswerUnusable(OrderProblem.ANSWER_INVALID, ""), RuntimeError()]
)
async def test_an_unknown_outcome_is_followed_by_nobody_else(
    rails: Rails, org: Tenant, outcome: Exception
) -> None:
    first = ScriptedProvider([outcome, NothingDone(""), PayoutState.PENDING])
    second = ScriptedProvider([PayoutState.PENDING])
    routed, order = rails(first=first, second=second), payment(org_id=org.org_id)
    with pytest.raises(type(outcome)):
        await routed.pay(order)
    # It may have been paid by the first call, whatever the second says.
    with pytest.raises(NothingDone):
        await routed.pay(order)
    assert (await routed.pay(order)).state is RailPaymentState.PENDING
    assert second.paid == []


async def test_all_providers_are_asked_once_and_then_it_waits(rails: Rails, org: Tenant) -> None:
    first = ScriptedProvider([NothingDone("")])
    second = ScriptedProvider([NothingDone(""), PayoutState.PENDING])
    routed, order = rails(first=first, second=second), payment(org_id=org.org_id)
    with pytest.raises(Unavailable, match="no provider of the route"):
        await routed.pay(order)
    assert (await routed.pay(order)).state is RailPaymentState.PENDING
    assert (len(first.paid), len(second.paid)) == (2, 2)


async def test_a_refusal_fails_the_payout(rails: Rails, org: Tenant) -> None:
    acme, order = ScriptedProvider([Rejected("no such account")]), payment(org_id=org.org_id)
    routed = rails(acme=acme, other=ScriptedProvider([PayoutState.PENDING]))
    for _ in range(2):
        paid = await routed.pay(order)
        assert (paid.state, paid.reason) == (RailPaymentState.FAILED, "no such account")
    assert len(acme.paid) == 1


async def test_a_refusal_of_what_was_accepted_decides_nothing(rails: Rails, org: Tenant) -> None:
    acme = ScriptedProvider([PayoutState.PENDING, Rejected("no")])
    routed, order = rails(acme=acme), payment(org_id=org.org_id)
    await routed.pay(order)
    with pytest.raises(Unclear):
        await routed.pay(order)
    assert await problem(routed, order) is OrderProblem.CONTRADICTION


async def test_a_refusal_after_silence_is_checked(rails: Rails, org: Tenant) -> None:
    lying = ScriptedProvider([Unclear(""), Rejected("no")], [PayoutState.SETTLED])
    routed, order = rails(acme=lying), payment(org_id=org.org_id)
    with pytest.raises(Unclear):
        await routed.pay(order)
    with pytest.raises(Unclear):
        await routed.pay(order)
    # The query has found it settled, and that stays.
    assert (await routed.pay(order)).state is RailPaymentState.SETTLED
    honest = ScriptedProvider([Unclear(""), Rejected("no")], [None])
    routed, order = rails(acme=honest), payment(org_id=org.org_id)
    with pytest.raises(Unclear):
        await routed.pay(order)
    assert (await routed.pay(order)).state is RailPaymentState.FAILED


@pytest.mark.parametrize(
    ("first", "later", "expected"),
    [
        (PayoutState.SETTLED, PayoutState.RETURNED, OrderProblem.RETURNED_LATE),
        (PayoutState.SETTLED, PayoutState.FAILED, OrderProblem.CONTRADICTION),
        (PayoutState.FAILED, PayoutState.SETTLED, OrderProblem.CONTRADICTION),
        (PayoutState.SETTLED, PayoutState.PENDING, None),
        (PayoutState.FAILED, PayoutState.RETURNED, None),
    ],
)
async def test_a_final_state_never_changes(
    rails: Rails,
    org: Tenant,
    first: PayoutState,
    later: PayoutState,
    expected: OrderProblem | None,
) -> None:
    acme = ScriptedProvider([first], [later])
    routed, order = rails(acme=acme), payment(org_id=org.org_id)
    before = await routed.pay(order)
    stored = await routed.database.single(lambda tx: order_store.find(tx, order.org_id, order.key))
    assert stored is not None
    await routed.query(stored, order.at)
    assert await problem(routed, order) is expected
    assert (await routed.pay(order)).state is before.state


async def test_a_problem_is_closed_until_there_is_another(rails: Rails, org: Tenant) -> None:
    acme = ScriptedProvider(
        [PayoutState.SETTLED],
        [PayoutState.RETURNED, PayoutState.RETURNED, PayoutState.SETTLED, PayoutState.FAILED],
    )
    routed, order = rails(acme=acme), payment(org_id=org.org_id)
    await routed.pay(order)

    async def listed() -> list[OrderProblem | None]:
        stored = await routed.database.single(
            lambda tx: order_store.find(tx, order.org_id, order.key)
        )
        assert stored is not None
        await routed.query(stored, order.at)
        found = await routed.database.single(
            lambda tx: order_store.problems(tx, order.org_id, limit=9)
        )
        return [each.problem for each in found]

    assert await listed() == [OrderProblem.RETURNED_LATE]
    for expected in (True, False):
        assert expected is await routed.database.single(
            lambda tx: order_store.close(tx, "acme", order.key)
        )
    # The same again, and an answer without a problem, keep it closed.
    assert await listed() == []
    assert await listed() == []
    assert await listed() == [OrderProblem.CONTRADICTION]


async def test_another_reference_of_the_provider_decides_nothing(rails: Rails, org: Tenant) -> None:
    acme = ScriptedProvider([PayoutState.PENDING], [PayoutState.SETTLED])
    routed, order = rails(acme=acme), payment(org_id=org.org_id)
    await routed.pay(order)
    acme.reference = "bank-2"
    with pytest.raises(Unclear):
        await routed.find_status(order.org_id, order.key, order.at)
    assert await problem(routed, order) is OrderProblem.CONTRADICTION


async def test_an_order_that_was_never_sent_is_unknown(rails: Rails, org: Tenant) -> None:
    routed, order = rails(acme=ScriptedProvider([NothingDone("")])), payment(org_id=org.org_id)
    with pytest.raises(NothingDone):
        await routed.pay(order)
    assert await routed.find_status(order.org_id, order.key, order.at) is None


async def test_an_unknown_key_fails_nothing(rails: Rails, org: Tenant) -> None:
    acme = ScriptedProvider([PayoutState.PENDING], [None, PayoutState.SETTLED])
    routed, order = rails(acme=acme), payment(org_id=org.org_id)
    await routed.pay(order)
    assert await routed.find_status(order.org_id, order.key, order.at) is None
    found = await routed.find_status(order.org_id, order.key, order.at)
    assert found is not None
    assert found.state is RailPaymentState.SETTLED


async def test_what_other_rails_have_stays_there(rails: Rails, org: Tenant) -> None:
    acme = ScriptedProvider([PayoutState.PENDING])
    routed = rails(KnowingRails(), acme=acme)
    await routed.pay(payment(org_id=org.org_id))
    assert acme.paid == []


async def test_rails_that_do_not_answer_may_have_the_payment(rails: Rails, org: Tenant) -> None:
    acme = ScriptedProvider([PayoutState.PENDING])
    with pytest.raises(Unavailable):
        await rails(NoRails(), acme=acme).pay(payment(org_id=org.org_id))
    assert acme.paid == []


async def test_a_provider_that_was_removed_is_waited_for(rails: Rails, org: Tenant) -> None:
    order = payment(org_id=org.org_id)
    await rails(acme=ScriptedProvider([PayoutState.PENDING])).pay(order)
    other = ScriptedProvider([PayoutState.PENDING])
    with pytest.raises(Unavailable, match="which the providers file has no more"):
        await rails(other=other).pay(order)
    assert other.paid == []


async def test_other_payouts_and_returns_go_to_the_other_rails(rails: Rails, org: Tenant) -> None:
    acme = ScriptedProvider([PayoutState.PENDING])
    routed = rails(acme=acme)
    order = payment(org_id=org.org_id)
    for each in (replace(order, rail="wire"), replace(order, returns=order.record_id)):
        with pytest.raises(Unavailable, match="no bank is connected"):
            await routed.pay(each)
        assert await routed.rejection_reason(each) == "no bank is connected"
    assert await routed.rejection_reason(order) is None
    assert acme.paid == []


async def test_a_payout_that_is_long_overdue_is_expected_in_the_past(
    rails: Rails, org: Tenant
) -> None:
    acme = ScriptedProvider([PayoutState.PENDING], [PayoutState.PENDING])
    routed, order = rails(acme=acme), payment(org_id=org.org_id)
    await routed.pay(order)
    later = order.at + timedelta(days=10)
    found = await routed.find_status(order.org_id, order.key, later)
    assert found is not None
    assert found.expected_at is not None
    assert found.expected_at < later


async def test_the_first_provider_of_a_route_verifies_the_payee(rails: Rails, org: Tenant) -> None:
    there = payment(org_id=org.org_id).destination
    acme, other = ScriptedProvider([PayoutState.SETTLED]), ScriptedProvider([Unclear("")])
    found = await rails(acme=acme, other=other).verify_payee(there)
    assert found == PayeeVerification(match=PayeeMatch.CLOSE_MATCH, name="A. Example")


@pytest.mark.parametrize(
    "failure",
    [
        Unavailable(""),
        Unclear(""),
        NothingDone(""),
        AnswerUnusable(OrderProblem.ANSWER_INVALID, ""),
    ],
    ids=repr,
)
async def test_no_answer_says_nothing_about_a_payee(
    rails: Rails, org: Tenant, failure: Exception
) -> None:
    there = payment(org_id=org.org_id).destination
    unavailable = PayeeVerification(match=PayeeMatch.UNAVAILABLE)
    assert await rails(acme=ScriptedProvider([failure])).verify_payee(there) == unavailable
    elsewhere = replace(there, rail="wire")
    assert await rails(acme=ScriptedProvider([failure])).verify_payee(elsewhere) == unavailable
