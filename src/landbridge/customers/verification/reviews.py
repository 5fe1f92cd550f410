"""Operations on reviews: the queue of cases for internal reviewers, and decisions.

Guarantees: only a reviewer can read or decide cases; of two concurrent decisions one counts; a
decision is final for the case, regardless of later provider results; a case cannot be approved with
a hit on the active sanctions list that no reviewer could see.

The effects of a provider's or reviewer's result on a case are pure functions at the end of this
file.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from uuid import UUID

import msgspec

from landbridge.customers.users.model import UserCard
from landbridge.customers.users.service import Users
from landbridge.customers.verification.cases import VerificationCases
from landbridge.customers.verification.model import (
    CaseFindings,
    KycStatus,
    QueuedCase,
    ReviewDecision,
    SubmissionSnapshot,
    VerificationCase,
    list_of,
)
from landbridge.customers.verification.screened_names import subjects
from landbridge.customers.verification.submissions import is_field
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, ResourceConflict, ResourceNotFound
from landbridge.platform.core.pagination import QueueWindow
from landbridge.platform.http.caller import Caller, check_reviewer
from landbridge.providers.identity.port import (
    CheckResult,
    IdentityReview,
    InformationRequested,
    ManualReviewRequested,
    RejectType,
    ReviewOutcome,
    Verdict,
)
from landbridge.providers.screening.model import ListReplaced, ScreeningMatch, ScreeningResult
from landbridge.providers.screening.service import Screening


class ReviewChoice(StrEnum):
    """Decision of a reviewer."""

    APPROVE = "approve"
    REJECT = "reject"
    RETRY = "retry"
    REQUEST_INFORMATION = "requestInformation"
    REVOKE = "revoke"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewDecisionRequest:
    """Submitted decision with validated texts; it applies only to `version` of the case."""

    choice: ReviewChoice
    reject_reasons: tuple[str, ...]
    comment: str | None
    note: str | None
    fields: tuple[str, ...]
    documents: tuple[tuple[UUID, tuple[str, ...]], ...]
    version: int | None


@dataclass(frozen=True, slots=True)
class KycReviews:
    """Cases as reviewers see them."""

    cases: VerificationCases
    users: Users
    screening: Screening
    clock: Clock

    async def page(
        self, caller: Caller, statuses: Collection[KycStatus], window: QueueWindow
    ) -> Sequence[tuple[QueuedCase, UserCard]]:
        """List cases in these statuses, oldest first; raise `RoleNotAllowed`."""
        check_reviewer(caller)
        cases = await self.cases.queue(caller.org_id, statuses, window)
        cards = await self.users.cards(caller.org_id, list({each.user_id for each in cases}))
        return [(each, cards[each.user_id]) for each in cases]

    async def get(self, caller: Caller, case_id: UUID) -> tuple[VerificationCase, UserCard]:
        """Return a case; raise `RoleNotAllowed` and `ResourceNotFound`, also after erasure."""
        check_reviewer(caller)
        case = await self.cases.get(caller.org_id, case_id)
        if case is None or case.snapshot is None:
            raise ResourceNotFound(f"there is no case {case_id}")
        cards = await self.users.cards(caller.org_id, [case.user_id])
        return case, cards[case.user_id]

    async def decide(
        self, caller: Caller, case_id: UUID, request: ReviewDecisionRequest
    ) -> tuple[VerificationCase, UserCard]:
        """Decide a case and return the changed case.

        Raises `RoleNotAllowed`, `ResourceNotFound`, `FieldInvalid`, and `ResourceConflict` if the
        status does not permit the decision, another decision was just made, or the reviewer of an
        approval has not seen the hits of a new list: these are then stored in the case.
        """
        case, card = await self.get(caller, case_id)
        snapshot = case.submitted
        verdict = _verdict(snapshot, request)
        _check_state(case, request)
        if status_of(verdict) is KycStatus.ACTIVE:
            return await self._approve(caller, case, verdict), card
        at = self.clock.stamp(caller.clock_offset)
        updated = _decided(case, verdict, actor=caller.actor, at=at)
        status = status_of(verdict)
        moved = await self.cases.move(case, updated, status, actor=caller.actor, at=at)
        return _checked(moved), card

    async def _approve(
        self, caller: Caller, case: VerificationCase, verdict: Verdict
    ) -> VerificationCase:
        """Approve a case, after a new comparison if other lists are active than those it used."""
        compared = case
        while True:
            at = self.clock.stamp(caller.clock_offset)
            updated = _decided(compared, verdict, actor=caller.actor, at=at)
            try:
                moved = await self.cases.approve(
                    case, updated, self.screening, actor=caller.actor, at=at
                )
            except ListReplaced:
                compared = await self._compare(caller, case)
            else:
                return _checked(moved)

    async def _compare(self, caller: Caller, case: VerificationCase) -> VerificationCase:
        """Return the case with the hits of the active list.

        If no reviewer has seen some of the hits, store these and raise `ResourceConflict`.
        """
        screened = await self.screening.screen(subjects(case.submitted), org_id=caller.org_id)
        found = unseen(case.findings, screened)
        if not found:
            return replace(case, findings=with_hits(case.findings, screened))
        at = self.clock.stamp(caller.clock_offset)
        again = compared_again(case, screened, at)
        _checked(
            await self.cases.move(case, again, KycStatus.MANUAL_REVIEW, actor=SANCTIONS_LIST, at=at)
        )
        # The message names entries by number only, because names are personal data.
        entries = ", ".join(
            dict.fromkeys(f"{hit.list} {hit.entry_id} ({hit.program})" for hit in found)
        )
        raise ResourceConflict(
            f"the case was looked at again with {screened.list_version}, loaded since: "
            f"it has names like the entries {entries}; look at these hits, then decide",
            field="decision",
        )


def _decided(
    case: VerificationCase, verdict: Verdict, *, actor: str, at: datetime
) -> VerificationCase:
    """Return the case with a decision and its effects."""
    findings = case.findings.with_decision(decision_on(verdict, actor=actor, at=at))
    return replace(case, findings=concluded(findings, verdict, case.submitted))


def _checked(moved: VerificationCase | None) -> VerificationCase:
    if moved is None:
        raise ResourceConflict("somebody else has just moved this case; look at it again")
    return moved


def _check_state(case: VerificationCase, request: ReviewDecisionRequest) -> None:
    """Raise `ResourceConflict` unless the case waits for this decision."""
    if request.version is not None and request.version != case.version:
        raise ResourceConflict(
            f"the case has version {case.version} by now; look at it again", field="version"
        )
    is_revoking = request.choice is ReviewChoice.REVOKE
    required_status = KycStatus.ACTIVE if is_revoking else KycStatus.MANUAL_REVIEW
    if case.status is not required_status:
        raise ResourceConflict(
            f"{request.choice} takes a case that is {required_status}, this one is {case.status}",
            field="decision",
        )


def _verdict(snapshot: SubmissionSnapshot, request: ReviewDecisionRequest) -> Verdict:
    match request.choice:
        case ReviewChoice.APPROVE:
            _refuse(request, "rejectReasons", "fields", "documents")
            result = CheckResult(answer=ReviewOutcome.APPROVED, comment=request.comment)
            return IdentityReview(result=result, note=request.note)
        case ReviewChoice.REJECT:
            _require_reasons(request)
            _refuse(request, "fields")
            return _decline(snapshot, request, RejectType.FINAL)
        case ReviewChoice.RETRY:
            if not (request.reject_reasons or request.fields or request.documents):
                raise FieldInvalid(
                    "rejectReasons: say what is to be mended, here, in fields or in documents",
                    field="rejectReasons",
                )
            return _decline(snapshot, request, RejectType.RETRY)
        case ReviewChoice.REQUEST_INFORMATION:
            _refuse(request, "rejectReasons", "fields", "documents")
            if request.comment is None:
                raise FieldInvalid("comment is required: it says what to send", field="comment")
            return InformationRequested(comment=request.comment, note=request.note)
        case ReviewChoice.REVOKE if request.reject_reasons:
            _refuse(request, "fields", "documents")
            return _decline(snapshot, request, RejectType.FINAL)
        case ReviewChoice.REVOKE:
            _refuse(request, "fields", "documents", "comment")
            return ManualReviewRequested(note=request.note)


def _decline(
    snapshot: SubmissionSnapshot, request: ReviewDecisionRequest, reject_type: RejectType
) -> IdentityReview:
    known = {each.id for each in snapshot.documents}
    for index, (document_id, _) in enumerate(request.documents):
        if document_id not in known:
            field = f"documents[{index}].id"
            raise FieldInvalid(f"{field}: the case has no document {document_id}", field=field)
    for index, name in enumerate(request.fields):
        if not is_field(snapshot, name):
            field = f"fields[{index}]"
            raise FieldInvalid(f"{field}: KYC data has no such field", field=field)
    return IdentityReview(
        result=_declined(reject_type, request.reject_reasons, request.comment),
        note=request.note,
        fields=tuple(dict.fromkeys(request.fields)),
        documents={
            document_id: _declined(reject_type, reasons, None)
            for document_id, reasons in request.documents
        },
    )


def _declined(reject_type: RejectType, reasons: Sequence[str], comment: str | None) -> CheckResult:
    return CheckResult(
        answer=ReviewOutcome.DECLINED,
        reject_type=reject_type,
        reject_reasons=tuple(reasons),
        comment=comment,
    )


def _require_reasons(request: ReviewDecisionRequest) -> None:
    if not request.reject_reasons:
        raise FieldInvalid("rejectReasons: give at least one", field="rejectReasons")


def _refuse(request: ReviewDecisionRequest, *names: str) -> None:
    """Reject members that do not belong to the decision, as they indicate a misunderstanding."""
    submitted = {
        "rejectReasons": request.reject_reasons,
        "fields": request.fields,
        "documents": request.documents,
        "comment": request.comment,
    }
    for name in names:
        if submitted[name]:
            raise FieldInvalid(f"{name} does not belong to {request.choice}", field=name)


# Actor recorded in the history of a reopened case.
SANCTIONS_LIST = "sanctions list"


def status_of(verdict: Verdict) -> KycStatus:
    """Return the status that follows from a result."""
    match verdict:
        case InformationRequested():
            return KycStatus.RFI_PENDING
        case ManualReviewRequested():
            return KycStatus.MANUAL_REVIEW
        case IdentityReview(result=result):
            if result.answer is ReviewOutcome.APPROVED:
                return KycStatus.ACTIVE
            is_final = result.reject_type is RejectType.FINAL
            return KycStatus.REJECTED if is_final else KycStatus.INCOMPLETE


def path_from(case: VerificationCase, *after_pending: KycStatus) -> tuple[KycStatus, ...]:
    """Return the path to the final statuses, through PENDING if the case is CREATED."""
    first = (KycStatus.PENDING,) if case.status is KycStatus.CREATED else ()
    return (*first, *after_pending)


def decision_on(verdict: Verdict, *, actor: str, at: datetime) -> ReviewDecision:
    """Return a result as an entry of the case history."""
    status = status_of(verdict)
    match verdict:
        case InformationRequested(comment=comment, note=note):
            return ReviewDecision(at=at, actor=actor, status=status, comment=comment, note=note)
        case ManualReviewRequested(note=note):
            return ReviewDecision(at=at, actor=actor, status=status, note=note)
        case IdentityReview(result=result, note=note):
            return ReviewDecision(
                at=at,
                actor=actor,
                status=status,
                reject_reasons=result.reject_reasons,
                comment=result.comment,
                note=note,
            )


def concluded(
    findings: CaseFindings, verdict: Verdict, snapshot: SubmissionSnapshot
) -> CaseFindings:
    """Return the findings after a result takes effect, without parts that were not submitted."""
    match verdict:
        case ManualReviewRequested():
            return msgspec.structs.replace(findings, review=None, asked_for=None)
        case InformationRequested(comment=comment):
            return msgspec.structs.replace(findings, review=None, asked_for=comment)
        case IdentityReview():
            document_ids = {each.id for each in snapshot.documents}
            owner_ids = {each.id for each in snapshot.owners}
            updated = replace(
                verdict,
                # The internal note is stored only in the history.
                note=None,
                fields=tuple(each for each in verdict.fields if is_field(snapshot, each)),
                documents={
                    key: each for key, each in verdict.documents.items() if key in document_ids
                },
                owners={key: each for key, each in verdict.owners.items() if key in owner_ids},
            )
            return msgspec.structs.replace(findings, review=updated, asked_for=None)


def with_hits(findings: CaseFindings, screened: ScreeningResult) -> CaseFindings:
    """Return the findings with the hits of these names on all lists."""
    hits: Sequence[dict[str, object]] = [msgspec.to_builtins(hit) for hit in screened.hits]
    return msgspec.structs.replace(
        findings,
        list_version=screened.list_version,
        hits=tuple(hits),
        unread=screened.unread,
    )


def unseen(findings: CaseFindings, screened: ScreeningResult) -> tuple[ScreeningMatch, ...]:
    """Return the hits that no reviewer has reviewed yet."""
    known = {(list_of(hit), hit["entry_id"]) for hit in findings.hits}
    return tuple(hit for hit in screened.hits if (hit.list, hit.entry_id) not in known)


def compared_again(
    case: VerificationCase, screened: ScreeningResult, at: datetime
) -> VerificationCase:
    """Return the case, to be reviewed again, with the hits of the present lists."""
    verdict = ManualReviewRequested(note=f"Compared again with {screened.list_version}.")
    findings = with_hits(case.findings, screened).with_decision(
        decision_on(verdict, actor=SANCTIONS_LIST, at=at)
    )
    return replace(case, findings=concluded(findings, verdict, case.submitted))
