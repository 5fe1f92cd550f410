"""What other rules would have done to payments of the past. Reads only.

Guarantees: a rehearsal holds nobody up: it is judged in a thread. One that a request asks for is
bounded in what it looks at, and alone of its organisation in a process.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from uuid import UUID

from landbridge.core.errors import FieldInvalid, ResourceConflict
from landbridge.core.pages import Window as Page
from landbridge.db.pool import Database
from landbridge.ledger.service import Ledger
from landbridge.limits.judging import claims, judge
from landbridge.limits.model import Counter, Over, Rules, Spending, Used, Verdict
from landbridge.limits.service import Known, Limits, known_since
from landbridge.limits.upkeep import begin_of

DAYS_MAX = 90
SHOWN_MAX = 20
# What a request may look at, of each kind; a command looks at all.
RECORDS_MAX = 10_000
# How often a request may hold a payment against a rule: ten microseconds each, so for some seconds.
_STEPS_MAX = 300_000
_PAGE_SIZE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """The payments that met one rule: how many, how much, and the first of them."""

    rule: str
    over: Over
    payment_count: int
    usd: Decimal
    record_ids: tuple[UUID, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What one set of rules would have done: by rule, and in all."""

    refused: int
    sent_to_approval: int
    met: tuple[Met, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Payments from `since` on, under the rules that are asked about and under today's."""

    since: datetime
    payment_count: int
    usd: Decimal
    # False if there were more payments than are looked at in one request: the newest were.
    is_complete: bool
    asked: Played
    today: Played


class Rehearsing:
    """Plays rules on the records of an organisation."""

    def __init__(self, database: Database, ledger: Ledger, limits: Limits) -> None:
        self._database = database
        self._ledger = ledger
        self._limits = limits
        # The organisations that a request of this process is rehearsing for.
        self._asked_by: set[UUID] = set()

    async def rehearse_bounded(
        self, org_id: UUID, rules: Rules, *, days: int, now: datetime
    ) -> Report:
        """The same as `rehearse` of the newest payments, for a request.

        Raises `ResourceConflict` while another of the organisation is under way, too.
        """
        if org_id in self._asked_by:
            raise ResourceConflict(
                "a rehearsal of this organisation is under way; ask again when it has answered"
            )
        self._asked_by.add(org_id)
        try:
            return await self.rehearse(org_id, rules, days=days, now=now, steps_max=_STEPS_MAX)
        finally:
            self._asked_by.discard(org_id)

    async def rehearse(
        self,
        org_id: UUID,
        rules: Rules,
        *,
        days: int,
        now: datetime,
        steps_max: int | None = None,
    ) -> Report:
        """What `rules` would have done to the payments of so many days, beside today's rules.

        Payments count in the order in which they were asked for; those that came to nothing use
        nothing. What would have been refused uses nothing either; what would have waited for an
        approval counts as approved. `steps_max` is how often a payment may be held against a rule;
        None for as often as it takes. Raises `FieldInvalid`.
        """
        if not 1 <= days <= DAYS_MAX:
            raise FieldInvalid(f"days must be from 1 to {DAYS_MAX}", field="days")
        since = now - timedelta(days=days)
        today = (await self._limits.rules(org_id)).rules
        # Earlier ones are played too, so that a month is not begun in its middle.
        begin = min(begin_of(rules, since), begin_of(today, since))
        records_max = None
        if steps_max is not None:
            rule_count = max(len(rules.rules) + len(today.rules), 1)
            records_max = min(steps_max // (rule_count * len(self._limits.kinds)), RECORDS_MAX)
        found, is_complete = await self._spendings(org_id, begin, records_max)
        shown = [each for each in found if each.at >= since]
        return Report(
            since=since,
            payment_count=len(shown),
            usd=sum((each.usd for each in shown), Decimal(0)),
            is_complete=is_complete,
            asked=await self._played(org_id, rules, found, since),
            today=await self._played(org_id, today, found, since),
        )

    async def _spendings(
        self, org_id: UUID, begin: datetime, records_max: int | None
    ) -> tuple[list[Spending], bool]:
        """Committed payments that did not fail, oldest first; and whether these are all."""
        found: list[Spending] = []
        is_complete = True
        for name, kind in self._limits.kinds.items():
            before: datetime | None = None
            seen = 0
            while True:
                limit = _PAGE_SIZE if records_max is None else min(_PAGE_SIZE, records_max - seen)
                page = Page(limit=limit, after=begin, before=before)
                records = await self._ledger.page(org_id, name, None, page)
                seen += len(records)
                read = [kind.read(each) for each in records if not kind.has_failed(each)]
                found += [each for each in read if each is not None and each.is_committed]
                if len(records) < limit:
                    break
                before = records[-1].created_at
                if records_max is not None and seen >= records_max:
                    is_complete = False
                    break
        return sorted(found, key=lambda each: each.at), is_complete

    async def _played(
        self, org_id: UUID, rules: Rules, spendings: Sequence[Spending], since: datetime
    ) -> Played:
        known = await self._known(org_id, rules, spendings)
        return await asyncio.to_thread(play, rules, spendings, known, since)

    async def _known(self, org_id: UUID, rules: Rules, spendings: Sequence[Spending]) -> Known:
        accounts: dict[UUID, datetime] = {}
        addresses: dict[tuple[UUID, str], datetime] = {}
        for place in range(0, len(spendings), _PAGE_SIZE):
            some = spendings[place : place + _PAGE_SIZE]
            found = await self._database.transact(
                lambda tx, of=some: known_since(tx, org_id, rules, of)
            )
            accounts |= found.accounts
            addresses |= found.addresses
        return Known(accounts, addresses)


def play(rules: Rules, spendings: Sequence[Spending], known: Known, since: datetime) -> Played:
    """What rules would have done to payments, oldest first; told of those from `since` on."""
    used: defaultdict[Counter, Used] = defaultdict(Used)
    met: defaultdict[tuple[str, Over], list[Spending]] = defaultdict(list)
    ends: list[Over] = []
    for each in spendings:
        verdict = _take(rules, each, known, used)
        if each.at < since or verdict.over is None:
            continue
        ends.append(verdict.over)
        # A rule that is met in two ways is one rule that is met.
        for rule in {(finding.rule, finding.over) for finding in verdict.findings}:
            met[rule].append(each)
    return Played(
        refused=ends.count(Over.REFUSE),
        sent_to_approval=ends.count(Over.APPROVE),
        met=tuple(_met(rule, over, of) for (rule, over), of in sorted(met.items())),
    )


def _take(rules: Rules, spending: Spending, known: Known, used: dict[Counter, Used]) -> Verdict:
    """The verdict on one payment, counted unless it is refused."""
    known_of = known.of(spending)
    after = {
        counter: used[counter] + usd for counter, usd in claims(rules, spending, known_of).items()
    }
    verdict = judge(rules, spending, known_of, after)
    if verdict.over is not Over.REFUSE:
        used.update(after)
    return verdict


def _met(rule: str, over: Over, spendings: Sequence[Spending]) -> Met:
    return Met(
        rule=rule,
        over=over,
        payment_count=len(spendings),
        usd=sum((each.usd for each in spendings), Decimal(0)),
        record_ids=tuple(each.record_id for each in spendings[:SHOWN_MAX]),
    )
