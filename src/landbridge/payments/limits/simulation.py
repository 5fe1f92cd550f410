"""Simulation of other rules on past payments; writes nothing.

Guarantees:
- A simulation blocks no other request, because it runs in a thread.
- A simulation by a request is bounded, and a process runs only one per organisation at a time.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from landbridge.ledger.service import Ledger
from landbridge.payments.limits.destinations import KnownDestinations
from landbridge.payments.limits.evaluation import counter_increments, evaluate
from landbridge.payments.limits.maintenance import window_start
from landbridge.payments.limits.model import (
    CounterUsage,
    LimitAction,
    LimitRules,
    LimitUsage,
    LimitVerdict,
    UsageCounter,
)
from landbridge.payments.limits.service import Limits
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict
from landbridge.platform.core.pagination import PageWindow
from landbridge.platform.db.pool import Database

DAYS_MAX = 90
SHOWN_MAX = 20
# Records of each kind that a simulation by a request evaluates; a command evaluates all.
RECORDS_MAX = 10_000
# Evaluations (one payment, one rule) of a simulation by a request. Each takes ten microseconds.
_STEPS_MAX = 300_000
_PAGE_SIZE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleMatches:
    """Payments that matched one rule: their count, their amount, and the first of their ids."""

    rule: str
    over: LimitAction
    payment_count: int
    usd: Decimal
    record_ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedRules:
    """Outcomes of one set of rules: by rule, and in total."""

    refused: int
    sent_to_approval: int
    matches: tuple[RuleMatches, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitSimulationReport:
    """Payments from `since` on, under the submitted rules and under the current rules."""

    since: datetime
    payment_count: int
    usd: Decimal
    # False if only the newest payments were evaluated, because one request can't evaluate them all.
    is_complete: bool
    submitted: SimulatedRules
    today: SimulatedRules


class LimitSimulation:
    """Simulates rules on the records of an organisation."""

    def __init__(self, database: Database, ledger: Ledger, limits: Limits) -> None:
        self._database = database
        self._ledger = ledger
        self._limits = limits
        # Organisations for which a request of this process runs a simulation now.
        self._running_orgs: set[UUID] = set()

    async def simulate_bounded(
        self, org_id: UUID, rules: LimitRules, *, days: int, now: datetime
    ) -> LimitSimulationReport:
        """Simulate rules on the newest payments, within the bounds for a request.

        Raises `ResourceConflict` while another simulation of the organisation is running.
        """
        if org_id in self._running_orgs:
            raise ResourceConflict(
                "a simulation of this organisation is running; try again when it has finished"
            )
        self._running_orgs.add(org_id)
        try:
            return await self.simulate(org_id, rules, days=days, now=now, steps_max=_STEPS_MAX)
        finally:
            self._running_orgs.discard(org_id)

    async def simulate(
        self,
        org_id: UUID,
        rules: LimitRules,
        *,
        days: int,
        now: datetime,
        steps_max: int | None = None,
    ) -> LimitSimulationReport:
        """Simulate `rules` on the payments of `days`, and compare with the current rules.

        Payments are evaluated in the order of their requests. Failed payments, and payments that
        the rules would have rejected, use nothing; a payment that would have awaited an approval
        counts as approved. `steps_max` bounds the evaluations of a payment against a rule; None
        means no bound. Raises `FieldInvalid`.
        """
        if not 1 <= days <= DAYS_MAX:
            raise FieldInvalid(f"days must be from 1 to {DAYS_MAX}", field="days")
        since = now - timedelta(days=days)
        today = (await self._limits.rules(org_id)).rules
        # Payments before `since` are evaluated too, so that counters cover the whole month.
        begin = min(window_start(rules, since), window_start(today, since))
        records_max = None
        if steps_max is not None:
            rule_count = max(len(rules.rules) + len(today.rules), 1)
            records_max = min(steps_max // (rule_count * len(self._limits.kinds)), RECORDS_MAX)
        found, is_complete = await self._usages(org_id, begin, records_max)
        displayed = [each for each in found if each.at >= since]
        return LimitSimulationReport(
            since=since,
            payment_count=len(displayed),
            usd=sum((each.usd for each in displayed), Decimal(0)),
            is_complete=is_complete,
            submitted=await self._simulated(org_id, rules, found, since),
            today=await self._simulated(org_id, today, found, since),
        )

    async def _usages(
        self, org_id: UUID, begin: datetime, records_max: int | None
    ) -> tuple[list[LimitUsage], bool]:
        """Return committed payments that did not fail, oldest first.

        The second value is False if there were more than `records_max` of a kind.
        """
        found: list[LimitUsage] = []
        is_complete = True
        for name, kind in self._limits.kinds.items():
            before: datetime | None = None
            record_count = 0
            while True:
                limit = (
                    _PAGE_SIZE
                    if records_max is None
                    else min(_PAGE_SIZE, records_max - record_count)
                )
                page = PageWindow(limit=limit, after=begin, before=before)
                records = await self._ledger.page(org_id, name, None, page)
                record_count += len(records)
                read = [kind.read(each) for each in records if not kind.has_failed(each)]
                found += [each for each in read if each is not None and each.is_committed]
                if len(records) < limit:
                    break
                before = records[-1].created_at
                if records_max is not None and record_count >= records_max:
                    is_complete = False
                    break
        return sorted(found, key=lambda each: each.at), is_complete

    async def _simulated(
        self, org_id: UUID, rules: LimitRules, usages: Sequence[LimitUsage], since: datetime
    ) -> SimulatedRules:
        resolved = await self._database.transact(
            lambda tx: self._limits.destinations.resolved(tx, org_id, rules)
        )
        known = await self._known(org_id, resolved, usages)
        return await asyncio.to_thread(simulate_rules, resolved, usages, known, since)

    async def _known(
        self, org_id: UUID, rules: LimitRules, usages: Sequence[LimitUsage]
    ) -> KnownDestinations:
        accounts: dict[UUID, datetime] = {}
        addresses: dict[tuple[UUID, str], datetime] = {}
        hashes: dict[UUID, frozenset[bytes]] = {}
        for index in range(0, len(usages), _PAGE_SIZE):
            some = usages[index : index + _PAGE_SIZE]
            found = await self._database.transact(
                lambda tx, of=some: self._limits.destinations.known(tx, org_id, rules, of)
            )
            accounts |= found.accounts
            addresses |= found.addresses
            hashes |= found.hashes
        return KnownDestinations(accounts, addresses, hashes)


def simulate_rules(
    rules: LimitRules, usages: Sequence[LimitUsage], known: KnownDestinations, since: datetime
) -> SimulatedRules:
    """Evaluate rules on payments, oldest first; report the payments from `since` on."""
    used: defaultdict[UsageCounter, CounterUsage] = defaultdict(CounterUsage)
    matches: defaultdict[tuple[str, LimitAction], list[LimitUsage]] = defaultdict(list)
    ends: list[LimitAction] = []
    for each in usages:
        verdict = _take(rules, each, known, used)
        if each.at < since or verdict.over is None:
            continue
        ends.append(verdict.over)
        # A rule counts once for a payment, even if the payment exceeds it in two ways.
        for rule in {(finding.rule, finding.over) for finding in verdict.findings}:
            matches[rule].append(each)
    return SimulatedRules(
        refused=ends.count(LimitAction.REFUSE),
        sent_to_approval=ends.count(LimitAction.APPROVE),
        matches=tuple(_met(rule, over, of) for (rule, over), of in sorted(matches.items())),
    )


def _take(
    rules: LimitRules,
    usage: LimitUsage,
    known: KnownDestinations,
    used: dict[UsageCounter, CounterUsage],
) -> LimitVerdict:
    """Evaluate one payment, and add it to `used` unless it is rejected."""
    known_of = known.of(usage)
    after = {
        counter: used[counter] + usd
        for counter, usd in counter_increments(rules, usage, known_of).items()
    }
    verdict = evaluate(rules, known.located(usage), known_of, after)
    if verdict.over is not LimitAction.REFUSE:
        used.update(after)
    return verdict


def _met(rule: str, over: LimitAction, usages: Sequence[LimitUsage]) -> RuleMatches:
    return RuleMatches(
        rule=rule,
        over=over,
        payment_count=len(usages),
        usd=sum((each.usd for each in usages), Decimal(0)),
        record_ids=tuple(each.record_id for each in usages[:SHOWN_MAX]),
    )
