"""Opening a record: once per request id, within the rules, with or without an approval."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from uuid import UUID

from landbridge.approvals.service import Approvals
from landbridge.core.errors import Refused
from landbridge.core.states import Moves
from landbridge.db.pool import Database, Tx
from landbridge.ledger.errors import InsufficientBalance
from landbridge.ledger.model import Opening, Outcome, Role, Transfer
from landbridge.ledger.service import Ledger, Opened, open_missing
from landbridge.ledger.trial import TRIAL
from landbridge.limits.errors import LimitExceeded
from landbridge.limits.model import Over, Verdict
from landbridge.limits.service import Limits
from landbridge.payments.amounts import too_little
from landbridge.payments.forced import as_forced, must_ask
from landbridge.payments.manner import PLAIN, Manner
from landbridge.payments.rehearsal import Course, Rehearsal, Station, stations_of
from landbridge.simulation.forcing import Forcing, Plan, with_plan
from landbridge.wallets.service import wallets_of
from landbridge.web.caller import Caller
from landbridge.web.replays import note_replay


@dataclass(frozen=True, slots=True, kw_only=True)
class Drafted:
    """An opening, with what else belongs to it.

    `beside` writes rows of the flow's own with it, once.
    """

    opening: Opening
    beside: Callable[[Tx], Awaitable[None]] | None = None

    @property
    def is_committed(self) -> bool:
        """Whether its coins are spoken for from the start: those of a quote are once accepted."""
        return self.opening.path[-1] != _QUOTED


# What every flow that quotes calls what waits for its owner.
_QUOTED = "OPEN_QUOTE"

# Makes the record, as one that asks for an approval or as one that does not.
Draft = Callable[[bool], Awaitable[Drafted]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """How a record is opened, whatever its flow.

    `asks` says that an approval was asked for; it lapses after `lifetime`, which is None where the
    flow knows no approvals. `course` is what becomes of it after that, if all goes well.
    """

    kind: str
    request_id: UUID
    request: Mapping[str, Any]
    course: Course
    asks: bool = False
    lifetime: timedelta | None = None
    manner: Manner = PLAIN


class _MustAsk(Exception):
    """A rule wants an approval that was not asked for."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        super().__init__()


class _Rehearsed(Exception):
    """All went well, and is rolled back."""

    def __init__(self, opened: Opened) -> None:
        self.opened = opened
        super().__init__()


@dataclass(frozen=True, slots=True)
class Openings:
    """Opens records of any flow."""

    database: Database
    ledger: Ledger
    approvals: Approvals
    limits: Limits
    forcing: Forcing

    async def once(self, caller: Caller, draft: Draft, moves: Moves[Any], terms: Terms) -> Transfer:
        """The record of this request id, made now or before.

        What `draft` refuses gives way to a replay: that is answered whatever has become of users,
        prices and balances since. A rule may make it ask for an approval. Raises what `draft`
        raises, `RequestIdTaken`, `LimitExceeded`, and `InsufficientBalance` naming the source.
        """
        plan = self.forcing.read(terms.manner.forced, terms.kind)
        if plan is not None:
            request = with_plan(terms.request, plan)
            terms = replace(terms, request=request, asks=terms.asks or must_ask(plan, terms.kind))
        rehearsal = terms.manner.rehearsal
        before = TRIAL.set(None if rehearsal is None else rehearsal.trial)
        try:
            return await self._once(caller, draft, moves, terms, plan)
        except _MustAsk as asked:
            if terms.lifetime is None:
                raise LimitExceeded(asked.verdict.sentence) from None
            return await self._once(caller, draft, moves, replace(terms, asks=True), plan)
        finally:
            TRIAL.reset(before)

    async def _once(
        self, caller: Caller, draft: Draft, moves: Moves[Any], terms: Terms, plan: Plan | None
    ) -> Transfer:
        try:
            drafted = await draft(terms.asks)
        except Refused:
            replayed = await self.ledger.find_replay(
                caller.org_id, terms.request_id, terms.kind, terms.request
            )
            if replayed is None:
                raise
            note_replay()
            return replayed
        opening = replace(drafted.opening, request=terms.request)
        if plan is not None:
            is_committed = drafted.is_committed
            opening = as_forced(plan, opening, asks=terms.asks, is_committed=is_committed)
        drafted = replace(drafted, opening=opening)
        opened = await self._open(caller, drafted, moves, terms, plan)
        if isinstance(opened, Outcome):
            raise InsufficientBalance(too_little(opening.source))
        # It is ours after all if the commit was not heard of and all was done again.
        if opened.is_replay and opened.transfer.id != opening.id:
            note_replay()
        return opened.transfer

    async def _open(
        self,
        caller: Caller,
        drafted: Drafted,
        moves: Moves[Any],
        terms: Terms,
        plan: Plan | None,
    ) -> Opened | Outcome:
        opening, rehearsal = drafted.opening, terms.manner.rehearsal
        is_ruled = await self.limits.has_rules(opening.org_id)
        is_alone = not terms.asks and drafted.beside is None and plan is None
        if is_alone and not is_ruled and rehearsal is None:
            return await self.ledger.open(opening, moves)

        async def work(tx: Tx) -> Opened | Outcome:
            if rehearsal is not None:
                await open_missing(tx, opening.org_id, rehearsal.trial)
            made = await self.ledger.open_in(tx, opening, moves)
            if isinstance(made, Opened) and not made.is_replay:
                await self._beside(tx, caller, drafted, terms, plan)
                # Last: what was used is kept in rows that many payments want.
                if is_ruled:
                    verdict = await self._judge(tx, made.transfer, terms)
                    if rehearsal is not None:
                        rehearsal.verdict = verdict
            if isinstance(made, Opened) and rehearsal is not None:
                if not made.is_replay:
                    await _foresee(tx, rehearsal, opening, terms.course(made.transfer))
                raise _Rehearsed(made)
            return made

        try:
            return await self.database.transact(work)
        except _Rehearsed as rehearsed:
            return rehearsed.opened

    async def _beside(
        self, tx: Tx, caller: Caller, drafted: Drafted, terms: Terms, plan: Plan | None
    ) -> None:
        """Everything that belongs to a new record, in its transaction."""
        opening, rehearsal = drafted.opening, terms.manner.rehearsal or Rehearsal()
        if drafted.beside is not None:
            await drafted.beside(tx)
        if terms.asks and terms.lifetime is not None:
            rehearsal.approval = await self.approvals.ask(
                tx, caller, opening, lifetime=terms.lifetime
            )
        if plan is not None:
            await self.forcing.keep(tx, opening.org_id, opening.id, plan)

    async def _judge(self, tx: Tx, record: Transfer, terms: Terms) -> Verdict:
        verdict = await self.limits.take_in(tx, record)
        if verdict.over is Over.REFUSE:
            raise LimitExceeded(verdict.sentence)
        if verdict.over is Over.APPROVE and not terms.asks:
            raise _MustAsk(verdict)
        return verdict


async def _foresee(
    tx: Tx, rehearsal: Rehearsal, opening: Opening, course: Sequence[Station]
) -> None:
    """Note all that is posted, from the opening to the end, and whose accounts those are."""
    stations = [*stations_of(opening), *course]
    accounts = {
        posting.account
        for station in stations
        for posting in station.postings
        if not isinstance(posting.account, Role)
    }
    rehearsal.wallets = await wallets_of(tx, opening.org_id, accounts)
    rehearsal.stations = stations
