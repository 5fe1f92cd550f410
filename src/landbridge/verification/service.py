"""Verbs on verification. Source: contract, users 3.2 and 3.3.

Guarantees: nothing is submitted unless the data is enough for every rail that was asked for; what
was submitted is a snapshot, so that later changes neither help nor harm; asked again, a submission
answers how it stands.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from typing import Any
from uuid import UUID

import structlog

from landbridge.core.clock import Clock
from landbridge.core.errors import Busy, FieldInvalid, ResourceConflict
from landbridge.core.pages import Position, Window
from landbridge.db.pool import Database, Tx
from landbridge.identity.port import Identity
from landbridge.kyc.model import Dossier, Rail, Requirements
from landbridge.kyc.requirements import ask
from landbridge.kyc.service import Dossiers
from landbridge.users.model import User, UserCard
from landbridge.users.search import fold
from landbridge.users.service import Users
from landbridge.verification import store
from landbridge.verification.cases import Cases
from landbridge.verification.checks import Checks
from landbridge.verification.errors import KycDataInvalid, VerificationMissing
from landbridge.verification.model import (
    WAIT_FOR_USER,
    Case,
    Findings,
    KycStatus,
    Snapshot,
    case_id,
    read_key,
)
from landbridge.verification.rejections import requirements_of
from landbridge.verification.store import Listed
from landbridge.verification.submissions import snapshot_of
from landbridge.web.caller import Caller, check_editor

_log = structlog.stdlib.get_logger()

BATCH_SIZE = 64
# Each may wait for a provider and hold a connection for a moment.
_STEPS_AT_ONCE = 8
# Handed over, asked: what answers from memory needs no more.
_STEPS_IN_REQUEST_MAX = 4
# How long a submission waits for a worker that has just taken it up.
_LOOKS_MAX, _LOOK_EVERY_S = 20, 0.05
_ATTEMPTS = 3
# Cases that are opened at once to be compared with a name.
BATCH_SEARCHED = 250
# Cases that one list looks through.
LOOKED_THROUGH_MAX = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusFilters:
    """None leaves a filter out; name and e-mail match parts, whatever their case."""

    user_id: UUID | None
    user_name: str | None
    user_email: str | None
    rails: Collection[Rail] | None
    statuses: Collection[KycStatus] | None


class Verification:
    """Submissions and statuses of all organisations."""

    def __init__(
        self,
        database: Database,
        cases: Cases,
        checks: Checks,
        users: Users,
        dossiers: Dossiers,
        *,
        identity: Identity,
        clock: Clock,
    ) -> None:
        self._database = database
        self._cases = cases
        self._checks = checks
        self._users = users
        self._dossiers = dossiers
        self._identity = identity
        self._clock = clock
        self._room = asyncio.Semaphore(_STEPS_AT_ONCE)

    async def submit(
        self, caller: Caller, user_id: UUID, rails: Sequence[Rail]
    ) -> dict[Rail, Case]:
        """Submit the user's data as it is now for these rails; answers each case as submitted.

        A rail that waits for somebody else, or is ACTIVE, is answered as it is. Raises
        `KycDataInvalid` with what is missing, `ResourceConflict` for a rail that was rejected for
        good, `UserNotFound` and `UserFrozen`; then nothing is submitted for any rail.
        """
        check_editor(caller)
        org_id = caller.org_id
        for _ in range(_ATTEMPTS):
            await self._users.check_active(org_id, user_id)
            user = await self._users.get(org_id, user_id)
            known = await self._known(org_id, user_id, rails)
            if any(case.status is KycStatus.REJECTED for case in known.values()):
                raise ResourceConflict("this user was rejected for good", field="rails")
            wanted = [
                rail for rail in rails if rail not in known or known[rail].status in WAIT_FOR_USER
            ]
            if not wanted:
                return known
            dossier = await self._dossiers.get(org_id, user)
            today = self._clock.now(caller.clock_offset).date()
            _check(dossier, wanted, known, today=today)
            made = await self._store(caller, user, dossier, wanted, known)
            if made is not None:
                if self._identity.acts_at_once:
                    for case in made.values():
                        await self._run_at_once(case, caller.clock_offset)
                return known | made
        raise Busy("the case is being changed by somebody else")

    async def status(self, org_id: UUID, user_id: UUID, rail: Rail) -> Case | None:
        """The case of a user for a rail; raises `UserNotFound`.

        None if there is none, or nothing of it is left: the user was erased.
        """
        await self._users.check_exists(org_id, user_id)
        found = await self._cases.get(org_id, case_id(user_id, rail))
        return None if found is None or found.snapshot is None else found

    async def requirements(
        self, org_id: UUID, rail: Rail, dossier: Dossier, *, today: date
    ) -> Requirements:
        """What the rail asks of a user, and what is wrong: also what a review has rejected."""
        case = await self._cases.get(org_id, case_id(dossier.user_id, rail))
        if case is None:
            return ask(rail, dossier, today=today)
        return requirements_of(case, dossier, today=today)

    async def check_active(self, org_id: UUID, user_id: UUID, rail: Rail) -> None:
        """Raise `VerificationMissing` unless the user is verified for this rail."""
        wanted = case_id(user_id, rail)
        found = await self._database.single(lambda tx: store.statuses(tx, org_id, [wanted]))
        if found.get(wanted) is not KycStatus.ACTIVE:
            raise VerificationMissing(f"user {user_id} is not verified for {rail}")

    async def page(
        self,
        org_id: UUID,
        filters: StatusFilters,
        window: Window,
        *,
        batch_size: int = BATCH_SEARCHED,
        looked_through_max: int = LOOKED_THROUGH_MAX,
    ) -> Sequence[tuple[Listed, UserCard]]:
        """Cases newest first, each with its user.

        Names are encrypted, so they are opened and compared here. Raises `FieldInvalid` if
        `looked_through_max` cases don't fill the page and there are more.
        """
        patterns = [fold(each or "") for each in (filters.user_name, filters.user_email)]
        size = batch_size if any(patterns) else window.limit
        found: list[tuple[Listed, UserCard]] = []
        position, looked_through = window.position, 0
        while True:
            batch = await self._batch(org_id, filters, window.since, position, size)
            cards = await self._users.cards(org_id, list({each.user_id for each in batch}))
            looked_through += len(batch)
            found += [
                (each, card)
                for each in batch
                if (card := cards.get(each.user_id)) is not None and _matches(card, patterns)
            ]
            if len(batch) < size or len(found) >= window.limit:
                return found[: window.limit]
            if looked_through >= looked_through_max:
                raise _too_many(filters)
            position = Position(batch[-1].created_at, batch[-1].id)

    async def run_due(self, offsets: Mapping[UUID, timedelta]) -> int:
        """One batch of what is due; answers how many cases it held.

        A case whose step fails is due again after a pause, so it stands in nobody's way.
        """
        clocks = {org_id: self._clock.now(offset) for org_id, offset in offsets.items()}
        cases = await self._cases.due(clocks, limit=BATCH_SIZE)
        await asyncio.gather(*(self._step(each, offsets[each.org_id]) for each in cases))
        return len(cases)

    async def run_all(self, offsets: Mapping[UUID, timedelta]) -> None:
        """Until nothing is due any more."""
        while await self.run_due(offsets):
            pass

    async def see_through(self, offsets: Mapping[UUID, timedelta]) -> None:
        """As `run_all`, and until others have ended what they had just begun, within a second."""
        for _ in range(_LOOKS_MAX):
            await self.run_all(offsets)
            clocks = {org_id: self._clock.now(offset) for org_id, offset in offsets.items()}
            if not await self._database.single(lambda tx, at=clocks: store.has_claimed(tx, at)):
                return
            await asyncio.sleep(_LOOK_EVERY_S)

    async def receive(
        self, raw: bytes, headers: Mapping[str, str], offsets: Mapping[UUID, timedelta]
    ) -> bool:
        """Take in a message of the identity provider; False if nobody waits for it any more.

        Its answer is asked for next, so a message that comes twice or late changes nothing.
        Raises `Rejected` for a message that is not the provider's.
        """
        named = read_key(self._identity.read_review(raw, headers).key)
        if named is None or named[0] not in offsets:
            return False
        org_id, wanted, number = named
        at = self._clock.now(offsets[org_id])
        return await self._database.single(lambda tx: store.hurry(tx, org_id, wanted, number, at))

    async def _known(self, org_id: UUID, user_id: UUID, rails: Iterable[Rail]) -> dict[Rail, Case]:
        found = await self._cases.find(org_id, [case_id(user_id, rail) for rail in rails])
        return {case.rail: case for case in found.values()}

    async def _store(
        self,
        caller: Caller,
        user: User,
        dossier: Dossier,
        rails: Sequence[Rail],
        known: Mapping[Rail, Case],
    ) -> dict[Rail, Case] | None:
        """Store a submission, for all rails or none; None if somebody else was faster."""
        snapshot = snapshot_of(user, dossier)
        at = self._clock.stamp(caller.clock_offset)

        async def work(tx: Tx) -> dict[Rail, Case]:
            made: dict[Rail, Case] = {}
            for rail in rails:
                before = known.get(rail)
                after = (
                    await self._open(tx, _new_case(user, rail, snapshot, at), caller.actor)
                    if before is None
                    else await self._cases.move_in(
                        tx,
                        before,
                        _again(before, snapshot, at),
                        KycStatus.PENDING,
                        actor=caller.actor,
                        at=at,
                    )
                )
                if after is None:
                    raise _LostError
                made[rail] = after
            return made

        try:
            return await self._database.transact(work)
        except _LostError:
            return None

    async def _open(self, tx: Tx, case: Case, actor: str) -> Case | None:
        return case if await self._cases.open(tx, case, actor) else None

    async def _run_at_once(self, case: Case, clock_offset: timedelta) -> None:
        """Take its steps here and now, or wait a moment for a worker that was faster."""
        here: Case | None = case
        for _ in range(_STEPS_IN_REQUEST_MAX):
            if here is not None:
                here = await self._step(here, clock_offset)
        for _ in range(_LOOKS_MAX):
            found = (await self._known(case.org_id, case.user_id, [case.rail])).get(case.rail)
            if found is None or found.due_at is None:
                return
            # A claim counts as a failure until its answer is there.
            if not found.failures and found.due_at > self._clock.now(clock_offset):
                return
            await asyncio.sleep(_LOOK_EVERY_S)

    async def _step(self, case: Case, clock_offset: timedelta) -> Case | None:
        async with self._room:
            try:
                return await self._checks.step(case, clock_offset)
            except Exception as error:  # noqa: BLE001  what was submitted stays so, whatever fails
                _log.error("verification.step_failed", id=str(case.id), exc_info=error)
                return None

    async def _batch(
        self,
        org_id: UUID,
        filters: StatusFilters,
        since: datetime,
        before: Position,
        limit: int,
    ) -> Sequence[Listed]:
        return await self._database.single(
            lambda tx: store.page(
                tx,
                org_id,
                after=since,
                before=before,
                limit=limit,
                user_id=filters.user_id,
                rails=filters.rails,
                statuses=filters.statuses,
            )
        )


class _LostError(Exception):
    """Rolls a submission back: somebody else has changed one of its cases."""


def _too_many(filters: StatusFilters) -> FieldInvalid:
    field = "userName" if filters.user_name else "userEmail"
    return FieldInvalid(
        f"{field}: too many cases to look through; add userId, rails, status or createdAfter",
        field=field,
    )


def _matches(card: UserCard, patterns: Sequence[str]) -> bool:
    texts = (card.name, card.email)
    return all(pattern in fold(text) for pattern, text in zip(patterns, texts, strict=True))


def _new_case(user: User, rail: Rail, snapshot: Snapshot, at: datetime) -> Case:
    return Case(
        org_id=user.org_id,
        id=case_id(user.id, rail),
        user_id=user.id,
        rail=rail,
        status=KycStatus.CREATED,
        version=1,
        round=1,
        claims=0,
        failures=0,
        reference=None,
        snapshot=snapshot,
        findings=Findings(),
        submitted_at=at,
        due_at=at,
        created_at=at,
        updated_at=at,
    )


def _again(case: Case, snapshot: Snapshot, at: datetime) -> Case:
    """A case submitted once more: what was found before counts no longer."""
    return replace(
        case,
        round=case.round + 1,
        reference=None,
        failures=0,
        snapshot=snapshot,
        findings=Findings(history=case.findings.history),
        submitted_at=at,
        due_at=at,
    )


def _check(
    dossier: Dossier, rails: Sequence[Rail], known: Mapping[Rail, Case], *, today: date
) -> None:
    """Raise `KycDataInvalid` with what is wrong: that of the rail, or of each rail by its name."""
    wrong: dict[str, Any] = {}
    for rail in rails:
        case = known.get(rail)
        asked = (
            ask(rail, dossier, today=today)
            if case is None
            else requirements_of(case, dossier, today=today)
        )
        if asked.invalid:
            wrong[rail] = asked.invalid
    if wrong:
        names = ", ".join(wrong)
        raise KycDataInvalid(
            f"the KYC data is not enough for {names}: see invalid",
            invalid=next(iter(wrong.values())) if len(rails) == 1 else wrong,
        )
