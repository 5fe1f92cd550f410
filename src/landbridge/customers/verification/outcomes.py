"""Effects of a provider or reviewer result on a case. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import msgspec

from landbridge.customers.verification.model import (
    CaseFindings,
    KycStatus,
    ReviewDecision,
    SubmissionSnapshot,
    VerificationCase,
    list_of,
)
from landbridge.customers.verification.submissions import is_field
from landbridge.providers.identity.port import (
    IdentityReview,
    InformationRequested,
    ManualReviewRequested,
    RejectType,
    ReviewOutcome,
    Verdict,
)
from landbridge.providers.screening.model import ScreeningMatch, ScreeningResult

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
    """Return the transitions from CREATED or PENDING through PENDING to the final status."""
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
    """Return the findings with an effective result; parts that were not submitted are omitted."""
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
                # Internal content is stored in the history only.
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
    """Return the case for review, with the hits of the present lists."""
    verdict = ManualReviewRequested(note=f"Compared again with {screened.list_version}.")
    findings = with_hits(case.findings, screened).with_decision(
        decision_on(verdict, actor=SANCTIONS_LIST, at=at)
    )
    return replace(case, findings=concluded(findings, verdict, case.submitted))
