"""Verbs on reviews: the queue of cases that somebody here must decide, and the decisions.

Guarantees: only a reviewer sees or decides anything; of two decisions on one case one counts; what
is decided is final as to the case, whatever a provider says later; nobody is approved past a
resemblance to the active sanctions list that no reviewer could see.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from landbridge.core.clock import Clock
from landbridge.core.errors import FieldInvalid, ResourceConflict, ResourceNotFound
from landbridge.core.pages import Window
from landbridge.identity.port import (
    Answer,
    InformationAsked,
    ManualReviewAsked,
    RejectType,
    Result,
    Review,
    Verdict,
)
from landbridge.screening.model import ListReplaced
from landbridge.screening.service import Screening
from landbridge.users.model import UserCard
from landbridge.users.service import Users
from landbridge.verification.cases import Cases
from landbridge.verification.model import Case, KycStatus, QueuedCase, Snapshot
from landbridge.verification.names import subjects
from landbridge.verification.submissions import is_field
from landbridge.verification.verdicts import (
    SANCTIONS_LIST,
    compared_again,
    concluded,
    decision_on,
    status_of,
    unseen,
    with_hits,
)
from landbridge.web.caller import Caller, check_reviewer


class Choice(StrEnum):
    """What a reviewer may decide."""

    APPROVE = "approve"
    REJECT = "reject"
    RETRY = "retry"
    REQUEST_INFORMATION = "requestInformation"
    REVOKE = "revoke"


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """A decision as it was told, texts checked. `version`: only if the case still has this one."""

    choice: Choice
    reject_reasons: tuple[str, ...]
    comment: str | None
    note: str | None
    fields: tuple[str, ...]
    documents: tuple[tuple[UUID, tuple[str, ...]], ...]
    version: int | None


class Reviews:
    """Cases as reviewers see them."""

    def __init__(self, cases: Cases, users: Users, screening: Screening, clock: Clock) -> None:
        self._cases = cases
        self._users = users
        self._screening = screening
        self._clock = clock

    async def page(
        self, caller: Caller, statuses: Collection[KycStatus], window: Window
    ) -> Sequence[tuple[QueuedCase, UserCard]]:
        """Cases of these statuses, oldest first; raises `RoleNotAllowed`."""
        check_reviewer(caller)
        cases = await self._cases.queue(
            caller.org_id,
            statuses,
            since=window.since,
            before=window.position.created_at,
            limit=window.limit,
        )
        cards = await self._users.cards(caller.org_id, list({each.user_id for each in cases}))
        return [(each, cards[each.user_id]) for each in cases]

    async def get(self, caller: Caller, case_id: UUID) -> tuple[Case, UserCard]:
        """A case; raises `RoleNotAllowed` and `ResourceNotFound`, also once it was erased."""
        check_reviewer(caller)
        case = await self._cases.get(caller.org_id, case_id)
        if case is None or case.snapshot is None:
            raise ResourceNotFound(f"there is no case {case_id}")
        cards = await self._users.cards(caller.org_id, [case.user_id])
        return case, cards[case.user_id]

    async def decide(self, caller: Caller, case_id: UUID, told: Told) -> tuple[Case, UserCard]:
        """Decide a case; answers what has become of it.

        Raises `RoleNotAllowed`, `ResourceNotFound`, `FieldInvalid`, and `ResourceConflict` if the
        case is not where this can be decided, somebody else has just decided, or an approval does
        not know of names on a new sanctions list: those stand in the case from then on.
        """
        case, card = await self.get(caller, case_id)
        snapshot = case.submitted
        verdict = _verdict(snapshot, told)
        _check_state(case, told)
        if status_of(verdict) is KycStatus.ACTIVE:
            return await self._approve(caller, case, verdict), card
        at = self._clock.stamp(caller.clock_offset)
        decided = _decided(case, verdict, actor=caller.actor, at=at)
        status = status_of(verdict)
        moved = await self._cases.move(case, decided, status, actor=caller.actor, at=at)
        return _checked(moved), card

    async def _approve(self, caller: Caller, case: Case, verdict: Verdict) -> Case:
        """Approve a case, compared again if there is another list than the one it knows."""
        compared = case
        while True:
            at = self._clock.stamp(caller.clock_offset)
            decided = _decided(compared, verdict, actor=caller.actor, at=at)
            try:
                moved = await self._cases.approve(
                    case, decided, self._screening, actor=caller.actor, at=at
                )
            except ListReplaced:
                compared = await self._compare(caller, case)
            else:
                return _checked(moved)

    async def _compare(self, caller: Caller, case: Case) -> Case:
        """The case with what the active list has of its names.

        What nobody has seen of that is stored first, and raises `ResourceConflict`.
        """
        screened = await self._screening.screen(subjects(case.submitted))
        found = unseen(case.findings, screened)
        if not found:
            return replace(case, findings=with_hits(case.findings, screened))
        at = self._clock.stamp(caller.clock_offset)
        again = compared_again(case, screened, at)
        _checked(
            await self._cases.move(
                case, again, KycStatus.MANUAL_REVIEW, actor=SANCTIONS_LIST, at=at
            )
        )
        # Entries by their numbers: names belong into the case alone.
        entries = ", ".join(dict.fromkeys(f"{hit.entry_id} ({hit.program})" for hit in found))
        raise ResourceConflict(
            f"the case was looked at again with {screened.list_version}, loaded since: "
            f"it has names like entries {entries} of it; look at these hits, then decide",
            field="decision",
        )


def _decided(case: Case, verdict: Verdict, *, actor: str, at: datetime) -> Case:
    """The case with a decision and what it says."""
    findings = case.findings.with_decision(decision_on(verdict, actor=actor, at=at))
    return replace(case, findings=concluded(findings, verdict, case.submitted))


def _checked(moved: Case | None) -> Case:
    if moved is None:
        raise ResourceConflict("somebody else has just moved this case; look at it again")
    return moved


def _check_state(case: Case, told: Told) -> None:
    """Raise `ResourceConflict` unless the case waits for this decision."""
    if told.version is not None and told.version != case.version:
        raise ResourceConflict(
            f"the case has version {case.version} by now; look at it again", field="version"
        )
    is_revoking = told.choice is Choice.REVOKE
    wanted = KycStatus.ACTIVE if is_revoking else KycStatus.MANUAL_REVIEW
    if case.status is not wanted:
        raise ResourceConflict(
            f"{told.choice} takes a case that is {wanted}, this one is {case.status}",
            field="decision",
        )


def _verdict(snapshot: Snapshot, told: Told) -> Verdict:
    match told.choice:
        case Choice.APPROVE:
            _refuse(told, "rejectReasons", "fields", "documents")
            result = Result(answer=Answer.APPROVED, comment=told.comment)
            return Review(result=result, note=told.note)
        case Choice.REJECT:
            _require_reasons(told)
            _refuse(told, "fields")
            return _decline(snapshot, told, RejectType.FINAL)
        case Choice.RETRY:
            if not (told.reject_reasons or told.fields or told.documents):
                raise FieldInvalid(
                    "rejectReasons: say what is to be mended, here, in fields or in documents",
                    field="rejectReasons",
                )
            return _decline(snapshot, told, RejectType.RETRY)
        case Choice.REQUEST_INFORMATION:
            _refuse(told, "rejectReasons", "fields", "documents")
            if told.comment is None:
                raise FieldInvalid("comment is required: it says what to send", field="comment")
            return InformationAsked(comment=told.comment, note=told.note)
        case Choice.REVOKE if told.reject_reasons:
            _refuse(told, "fields", "documents")
            return _decline(snapshot, told, RejectType.FINAL)
        case Choice.REVOKE:
            _refuse(told, "fields", "documents", "comment")
            return ManualReviewAsked(note=told.note)


def _decline(snapshot: Snapshot, told: Told, reject_type: RejectType) -> Review:
    known = {each.id for each in snapshot.documents}
    for place, (document_id, _) in enumerate(told.documents):
        if document_id not in known:
            field = f"documents[{place}].id"
            raise FieldInvalid(f"{field}: the case has no document {document_id}", field=field)
    for place, name in enumerate(told.fields):
        if not is_field(snapshot, name):
            field = f"fields[{place}]"
            raise FieldInvalid(f"{field}: KYC data has no such field", field=field)
    return Review(
        result=_declined(reject_type, told.reject_reasons, told.comment),
        note=told.note,
        fields=tuple(dict.fromkeys(told.fields)),
        documents={
            document_id: _declined(reject_type, reasons, None)
            for document_id, reasons in told.documents
        },
    )


def _declined(reject_type: RejectType, reasons: Sequence[str], comment: str | None) -> Result:
    return Result(
        answer=Answer.DECLINED,
        reject_type=reject_type,
        reject_reasons=tuple(reasons),
        comment=comment,
    )


def _require_reasons(told: Told) -> None:
    if not told.reject_reasons:
        raise FieldInvalid("rejectReasons: give at least one", field="rejectReasons")


def _refuse(told: Told, *names: str) -> None:
    """What does not belong to this decision is a misunderstanding, and none to guess about."""
    given = {
        "rejectReasons": told.reject_reasons,
        "fields": told.fields,
        "documents": told.documents,
        "comment": told.comment,
    }
    for name in names:
        if given[name]:
            raise FieldInvalid(f"{name} does not belong to {told.choice}", field=name)
