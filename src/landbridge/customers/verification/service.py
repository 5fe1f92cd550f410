"""Operations on verification. Source: contract, users 3.2 and 3.3.

Guarantees: no data is submitted unless it satisfies every requested rail; a submission is a
snapshot, so that later changes have no effect on it; a repeated submission returns the current
status.
"""

import asyncio
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from uuid import UUID

from landbridge.customers.kyc.model import KycProfile, Rail, Requirements
from landbridge.customers.kyc.service import KycProfiles
from landbridge.customers.users.model import User, UserCard
from landbridge.customers.users.search import fold
from landbridge.customers.users.service import Users
from landbridge.customers.verification import store
from landbridge.customers.verification.cases import VerificationCases
from landbridge.customers.verification.errors import VerificationMissing
from landbridge.customers.verification.model import (
    WAIT_FOR_USER,
    CaseFindings,
    KycStatus,
    ListedCase,
    SubmissionSnapshot,
    VerificationCase,
    case_id,
    read_key,
)
from landbridge.customers.verification.provider_checks import StepRunner, VerificationSteps
from landbridge.customers.verification.submissions import check_data, requirements_of, snapshot_of
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict
from landbridge.platform.core.optimistic_retry import optimistic_retry
from landbridge.platform.core.pagination import PagePosition, PageWindow, PositionWindow
from landbridge.platform.db.group_commit import GroupCommit
from landbridge.platform.db.organisation_groups import grouped
from landbridge.platform.db.pool import Database, Tx
from landbridge.platform.http.caller import Caller, check_editor
from landbridge.providers.identity.port import Identity

# Most steps that a request runs itself: an in-memory provider needs no more than this.
_STEPS_IN_REQUEST_MAX = 4
# Number and interval of checks for a worker that has just claimed the submitted case.
_POLLS_MAX, _POLL_INTERVAL_S = 20, 0.05
# Cases that are decrypted at once for comparison with a name.
BATCH_SEARCHED = 250
# Most cases that one list request scans.
LOOKED_THROUGH_MAX = 10_000


@dataclass(frozen=True, slots=True, kw_only=True)
class StatusFilters:
    """Filters of a list of cases; None does not filter. Name and e-mail match in part."""

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
        cases: VerificationCases,
        checks: VerificationSteps,
        users: Users,
        dossiers: KycProfiles,
        *,
        identity: Identity,
        clock: Clock,
    ) -> None:
        self._database = database
        self._cases = cases
        self._users = users
        self._dossiers = dossiers
        self._identity = identity
        self._clock = clock
        self.runner = StepRunner(cases, checks, clock)
        self._statuses = grouped(database, lambda: GroupCommit(self._find_statuses, concurrency=2))

    @optimistic_retry("the case was changed concurrently; try again")
    async def submit(
        self,
        caller: Caller,
        user_id: UUID,
        rails: Sequence[Rail],
        *,
        share_token: str | None = None,
    ) -> dict[Rail, VerificationCase] | None:
        """Submit the user's current data for these rails and return each case as submitted.

        A rail that waits for another party, or is ACTIVE, is returned unchanged. Raises
        `FieldInvalid` for a share token where no connected provider verifies, `KycDataInvalid` with
        the missing data, `ResourceConflict` for a rail with a final rejection, `UserNotFound` and
        `UserFrozen`; then no data is submitted for any rail.
        """
        check_editor(caller)
        org_id = caller.org_id
        await self._users.check_active(org_id, user_id)
        user = await self._users.get(org_id, user_id)
        if share_token is not None:
            self._check_shared(org_id, rails)
        known = await self._known(org_id, user_id, rails)
        if any(case.status is KycStatus.REJECTED for case in known.values()):
            raise ResourceConflict("this user was rejected for good", field="rails")
        open_rails = [
            rail for rail in rails if rail not in known or known[rail].status in WAIT_FOR_USER
        ]
        if not open_rails:
            return known
        dossier = await self._dossiers.get(org_id, user)
        today = self._clock.now(caller.clock_offset).date()
        dummies = self._dossiers.takes_dummies
        check_data(dossier, open_rails, known, today=today, takes_dummies=dummies)
        snapshot = snapshot_of(user, dossier, share_token)
        created = await self._store(caller, user, snapshot, open_rails, known)
        if created is not None:
            for case in created.values():
                if self._identity.is_synchronous(org_id, case.rail):
                    await self._run_at_once(case, caller.clock_offset)
            return known | created
        return None

    async def status(self, org_id: UUID, user_id: UUID, rail: Rail) -> VerificationCase | None:
        """Return the case of a user for a rail; raise `UserNotFound`.

        Return None if the user has no such case, or was erased.
        """
        await self._users.check_exists(org_id, user_id)
        found = await self._cases.get(org_id, case_id(user_id, rail))
        return None if found is None or found.snapshot is None else found

    async def requirements(
        self, org_id: UUID, rail: Rail, dossier: KycProfile, *, today: date
    ) -> Requirements:
        """Return the rail's requirements for a user, and violations, including rejected data."""
        case = await self._cases.get(org_id, case_id(dossier.user_id, rail))
        dummies = self._dossiers.takes_dummies
        return requirements_of(rail, case, dossier, today=today, takes_dummies=dummies)

    async def check_active(self, org_id: UUID, user_id: UUID, rail: Rail) -> None:
        """Raise `VerificationMissing` unless verified for this rail; cheap under load."""
        if await self._statuses.call((org_id, case_id(user_id, rail))) is not KycStatus.ACTIVE:
            raise VerificationMissing(f"user {user_id} is not verified for {rail}")

    async def _find_statuses(self, cases: list[tuple[UUID, UUID]]) -> list[KycStatus | None]:
        found = await self._database.single(lambda tx: store.statuses(tx, cases))
        return [found.get(each) for each in cases]

    async def page(
        self,
        org_id: UUID,
        filters: StatusFilters,
        window: PageWindow,
        *,
        batch_size: int = BATCH_SEARCHED,
        looked_through_max: int = LOOKED_THROUGH_MAX,
    ) -> Sequence[tuple[ListedCase, UserCard]]:
        """List cases, newest first, each with its user.

        Names are encrypted, so they are decrypted and compared here. Raises `FieldInvalid` if
        `looked_through_max` cases do not fill the page and more exist.
        """
        patterns = [fold(each or "") for each in (filters.user_name, filters.user_email)]
        size = batch_size if any(patterns) else window.limit
        found: list[tuple[ListedCase, UserCard]] = []
        position, looked_through = window.position, 0
        while True:
            batch = await self._batch(org_id, filters, PositionWindow(size, window.since, position))
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
            position = PagePosition(batch[-1].created_at, batch[-1].id)

    async def run_due(self, offsets: Mapping[UUID, timedelta]) -> int:
        """Process one batch of due cases and return its size.

        A case with a failed step is due again after a pause, so it does not block other cases.
        """
        return await self.runner.run_batch(offsets)

    async def run_all(self, offsets: Mapping[UUID, timedelta]) -> None:
        """Process batches until no case is due."""
        while await self.run_due(offsets):
            pass

    async def see_through(self, offsets: Mapping[UUID, timedelta]) -> None:
        """Run `run_all`, then wait up to a second for steps just started by other workers."""
        for _ in range(_POLLS_MAX):
            await self.run_all(offsets)
            clocks = self._clock.now_of(offsets)
            if not await self._database.single(lambda tx, at=clocks: store.has_claimed(tx, at)):
                return
            await asyncio.sleep(_POLL_INTERVAL_S)

    async def receive(
        self, raw: bytes, headers: Mapping[str, str], offsets: Mapping[UUID, timedelta]
    ) -> bool:
        """Accept a message of the identity provider; False if no case waits for it.

        The result is polled next, so a duplicate or late message has no effect. Raises `Rejected`
        for a message that is not authentic.
        """
        named = read_key(self._identity.read_review(raw, headers).key)
        if named is None or named[0] not in offsets:
            return False
        org_id, case, number = named
        at = self._clock.now(offsets[org_id])
        return await self._database.single(lambda tx: store.make_due(tx, org_id, case, number, at))

    def _check_shared(self, org_id: UUID, rails: Iterable[Rail]) -> None:
        if any(self._identity.is_synchronous(org_id, rail) for rail in rails):
            raise FieldInvalid(
                "no connected provider verifies for this rail, so nobody can take a share token",
                field="shareToken",
            )

    async def _known(
        self, org_id: UUID, user_id: UUID, rails: Iterable[Rail]
    ) -> dict[Rail, VerificationCase]:
        found = await self._cases.find(org_id, [case_id(user_id, rail) for rail in rails])
        return {case.rail: case for case in found.values()}

    async def _store(
        self,
        caller: Caller,
        user: User,
        snapshot: SubmissionSnapshot,
        rails: Sequence[Rail],
        known: Mapping[Rail, VerificationCase],
    ) -> dict[Rail, VerificationCase] | None:
        """Store a submission, for all rails or none; None after a concurrent change."""
        at = self._clock.stamp(caller.clock_offset)
        # Each case has its own creation time, because this is the cursor of lists.
        times = [at, *(self._clock.stamp(caller.clock_offset) for _ in rails[1:])]

        async def work(tx: Tx) -> dict[Rail, VerificationCase]:
            created: dict[Rail, VerificationCase] = {}
            for rail, created_at in zip(rails, times, strict=True):
                before = known.get(rail)
                after = (
                    await self._cases.open(
                        tx, _new_case(user, rail, snapshot, at, created_at), caller.actor
                    )
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
                created[rail] = after
            return created

        try:
            return await self._database.transact(work)
        except _LostError:
            return None

    async def _run_at_once(self, case: VerificationCase, clock_offset: timedelta) -> None:
        """Run the case's steps in this request, or wait briefly for a worker that claimed it."""
        here: VerificationCase | None = case
        for _ in range(_STEPS_IN_REQUEST_MAX):
            if here is not None:
                here = await self.runner.run(here, clock_offset)
        for _ in range(_POLLS_MAX):
            found = (await self._known(case.org_id, case.user_id, [case.rail])).get(case.rail)
            if found is None or found.due_at is None:
                return
            # No failures means no claim: a claim counts as a failure until its result is recorded.
            if not found.failures and found.due_at > self._clock.now(clock_offset):
                return
            await asyncio.sleep(_POLL_INTERVAL_S)

    async def _batch(
        self, org_id: UUID, filters: StatusFilters, window: PositionWindow
    ) -> Sequence[ListedCase]:
        return await self._database.single(
            lambda tx: store.page(
                tx,
                org_id,
                window,
                user_id=filters.user_id,
                rails=filters.rails,
                statuses=filters.statuses,
            )
        )


class _LostError(Exception):
    """Rolls back a submission after a concurrent change of one of its cases."""


def _too_many(filters: StatusFilters) -> FieldInvalid:
    field = "userName" if filters.user_name else "userEmail"
    return FieldInvalid(
        f"{field}: too many cases to look through; add userId, rails, status or createdAfter",
        field=field,
    )


def _matches(card: UserCard, patterns: Sequence[str]) -> bool:
    texts = (card.name, card.email)
    return all(pattern in fold(text) for pattern, text in zip(patterns, texts, strict=True))


def _new_case(
    user: User, rail: Rail, snapshot: SubmissionSnapshot, at: datetime, created_at: datetime
) -> VerificationCase:
    return VerificationCase(
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
        findings=CaseFindings(),
        submitted_at=at,
        due_at=at,
        created_at=created_at,
        updated_at=created_at,
    )


def _again(case: VerificationCase, snapshot: SubmissionSnapshot, at: datetime) -> VerificationCase:
    """Return a case submitted again, without the earlier findings."""
    return replace(
        case,
        round=case.round + 1,
        reference=None,
        failures=0,
        snapshot=snapshot,
        findings=CaseFindings(history=case.findings.history),
        submitted_at=at,
        due_at=at,
    )
