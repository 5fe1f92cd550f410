"""What an answer, of a provider or a reviewer, makes of a case. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import msgspec

from landbridge.identity.port import (
    Answer,
    InformationAsked,
    ManualReviewAsked,
    RejectType,
    Review,
    Verdict,
)
from landbridge.screening.model import Hit, Screened
from landbridge.verification.model import Case, Decision, Findings, KycStatus, Snapshot
from landbridge.verification.submissions import is_field

# Who opened a case again, in its history.
SANCTIONS_LIST = "sanctions list"


def status_of(verdict: Verdict) -> KycStatus:
    """Where an answer leads."""
    match verdict:
        case InformationAsked():
            return KycStatus.RFI_PENDING
        case ManualReviewAsked():
            return KycStatus.MANUAL_REVIEW
        case Review(result=result):
            if result.answer is Answer.APPROVED:
                return KycStatus.ACTIVE
            is_final = result.reject_type is RejectType.FINAL
            return KycStatus.REJECTED if is_final else KycStatus.INCOMPLETE


def path_from(case: Case, *after_pending: KycStatus) -> tuple[KycStatus, ...]:
    """The way from CREATED or PENDING over PENDING to where it ends."""
    first = (KycStatus.PENDING,) if case.status is KycStatus.CREATED else ()
    return (*first, *after_pending)


def decision_on(verdict: Verdict, *, actor: str, at: datetime) -> Decision:
    """An answer as the history of a case keeps it."""
    status = status_of(verdict)
    match verdict:
        case InformationAsked(comment=comment, note=note):
            return Decision(at=at, actor=actor, status=status, comment=comment, note=note)
        case ManualReviewAsked(note=note):
            return Decision(at=at, actor=actor, status=status, note=note)
        case Review(result=result, note=note):
            return Decision(
                at=at,
                actor=actor,
                status=status,
                reject_reasons=result.reject_reasons,
                comment=result.comment,
                note=note,
            )


def concluded(findings: Findings, verdict: Verdict, snapshot: Snapshot) -> Findings:
    """The findings with an answer that counts; parts that were not submitted are left out."""
    match verdict:
        case ManualReviewAsked():
            return msgspec.structs.replace(findings, review=None, asked_for=None)
        case InformationAsked(comment=comment):
            return msgspec.structs.replace(findings, review=None, asked_for=comment)
        case Review():
            document_ids = {each.id for each in snapshot.documents}
            owner_ids = {each.id for each in snapshot.owners}
            kept = replace(
                verdict,
                # What is not to be shown is in the history alone.
                note=None,
                fields=tuple(each for each in verdict.fields if is_field(snapshot, each)),
                documents={
                    key: each for key, each in verdict.documents.items() if key in document_ids
                },
                owners={key: each for key, each in verdict.owners.items() if key in owner_ids},
            )
            return msgspec.structs.replace(findings, review=kept, asked_for=None)


def with_hits(findings: Findings, screened: Screened) -> Findings:
    """The findings with what the sanctions list has of these names."""
    hits: Sequence[dict[str, object]] = [msgspec.to_builtins(hit) for hit in screened.hits]
    return msgspec.structs.replace(
        findings,
        list_version=screened.list_version,
        hits=tuple(hits),
        unread=screened.unread,
    )


def unseen(findings: Findings, screened: Screened) -> tuple[Hit, ...]:
    """The resemblances that nobody has looked at yet."""
    known = {hit["entry_id"] for hit in findings.hits}
    return tuple(hit for hit in screened.hits if hit.entry_id not in known)


def compared_again(case: Case, screened: Screened, at: datetime) -> Case:
    """The case for a reviewer to look at, with what a new list has of its names."""
    verdict = ManualReviewAsked(note=f"Compared again with {screened.list_version}.")
    findings = with_hits(case.findings, screened).with_decision(
        decision_on(verdict, actor=SANCTIONS_LIST, at=at)
    )
    return replace(case, findings=concluded(findings, verdict, case.submitted))
