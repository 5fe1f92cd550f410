"""Status objects of the contract. Pure. Source: contract, users 3.3 and interface/kyc.

There are three schemas: the USD rail of an individual, the USD rail of a business, and the tree of
currencies and methods of every other rail. They contain no internal notes and no hits.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias
from uuid import UUID

import msgspec

from landbridge.customers.kyc.fields import OWNERS
from landbridge.customers.kyc.model import Rail
from landbridge.customers.kyc.rails import RAILS
from landbridge.customers.verification.model import (
    MESSAGES,
    KycStatus,
    SubmissionSnapshot,
    SubmittedDocument,
    VerificationCase,
)
from landbridge.platform.http.responses import WireStruct, reply_of
from landbridge.providers.identity.port import (
    ApplicationSection,
    CheckResult,
    IdentityReview,
    RejectType,
    ReviewOutcome,
)

_PROOF_OF_ADDRESS = "PROOF_OF_ADDRESS"


class CheckResultReply(WireStruct, frozen=True, omit_defaults=True):
    """Result of a check; empty without findings."""

    review_answer: ReviewOutcome | None = None
    review_reject_type: RejectType | None = None
    reject_reasons: Sequence[str] | None = None
    comment: str | None = None


class SectionReply(WireStruct, frozen=True):
    """Result for a section of the data."""

    review_result: CheckResultReply


class DocumentReply(WireStruct, frozen=True):
    """Result for a document."""

    id: UUID
    type: str
    sub_type: str
    review_result: CheckResultReply


class DocumentsReply(WireStruct, frozen=True):
    """Result for a group of documents, and for each document."""

    review_result: CheckResultReply
    details: list[DocumentReply]


class BriefStatus(WireStruct, frozen=True):
    """Status for the USD rail on submission, or before the first submission."""

    status: KycStatus
    message: str


class IndividualDetails(WireStruct, frozen=True):
    """Sections of a person's application."""

    personal_info: SectionReply
    identity: DocumentsReply
    proof_of_address: DocumentsReply
    questionnaire: SectionReply


class IndividualStatus(BriefStatus, frozen=True):
    """Status of a person for the USD rail."""

    review_result: CheckResultReply
    details: IndividualDetails


class OwnerStatus(WireStruct, frozen=True):
    """An owner's status within that of a business."""

    id: UUID
    status: KycStatus
    message: str
    review_result: CheckResultReply
    details: IndividualDetails


class OwnersReply(WireStruct, frozen=True):
    """Result for the owners as a group, and for each owner."""

    review_result: CheckResultReply
    details: list[OwnerStatus]


class BusinessDetails(WireStruct, frozen=True):
    """Sections of a business's application."""

    company_info: SectionReply
    company_documents: DocumentsReply
    questionnaire: SectionReply
    ultimate_beneficial_owners: OwnersReply


class BusinessStatus(BriefStatus, frozen=True):
    """Status of a business for the USD rail."""

    review_result: CheckResultReply
    details: BusinessDetails


class MethodStatus(WireStruct, frozen=True):
    """Availability of a payment method; equals the status of its rail."""

    status: KycStatus
    warnings: Sequence[str]
    message: str


Tree: TypeAlias = dict[str, dict[str, MethodStatus]]


class RailStatus(WireStruct, frozen=True):
    """Status for a rail other than USD; `warnings` are the reasons of a decline."""

    status: KycStatus
    warnings: Sequence[str]
    message: str
    on_ramp: Tree
    off_ramp: Tree
    # Only for SOUTH_AMERICA_STANDARD, and empty, because Landbridge sets no such limits.
    limit: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


class SubmissionReplies(
    WireStruct,
    frozen=True,
    omit_defaults=True,
    rename={rail.lower(): rail.value for rail in Rail},
):
    """Status of each requested rail, by name."""

    usd: BriefStatus | msgspec.UnsetType = msgspec.UNSET
    south_america_standard: RailStatus | msgspec.UnsetType = msgspec.UNSET
    africa_general: RailStatus | msgspec.UnsetType = msgspec.UNSET
    africa_nigeria: RailStatus | msgspec.UnsetType = msgspec.UNSET
    global_network: RailStatus | msgspec.UnsetType = msgspec.UNSET


StatusReply: TypeAlias = IndividualStatus | BusinessStatus | BriefStatus | RailStatus
SubmissionReply: TypeAlias = BriefStatus | RailStatus


def status_object(rail: Rail, case: VerificationCase | None) -> StatusReply:
    """Return the status of a case; `case` is None if no data was ever submitted."""
    if rail is not Rail.USD:
        return submission_object(rail, case)
    if case is None:
        return _brief(KycStatus.INACTIVE)
    shape = _business if case.submitted.is_business else _person
    return shape(case, case.submitted)


def status_payload(user_id: UUID, rail: Rail, case: VerificationCase | None) -> dict[str, Any]:
    """Return a status for an event, with user and rail, which a request has in its path."""
    status: dict[str, Any] = msgspec.to_builtins(status_object(rail, case))
    return {"userId": str(user_id), "rails": rail.value, **status}


def submission_object(rail: Rail, case: VerificationCase | None) -> SubmissionReply:
    """Return the status of a case in the response to a submission."""
    status = KycStatus.INACTIVE if case is None else case.status
    table = RAILS[rail]
    if rail is Rail.USD:
        return _brief(status)
    result = None if case is None else shown_result(case)
    requested = None if case is None else _requested_information(case)
    comment = requested or (None if result is None else result.comment)
    return RailStatus(
        status=status,
        warnings=() if result is None else result.reject_reasons,
        message=comment or MESSAGES[status],
        on_ramp=_tree(table.on_ramp, status),
        off_ramp=_tree(table.off_ramp, status),
        limit={} if rail is Rail.SOUTH_AMERICA_STANDARD else msgspec.UNSET,
    )


def submission_objects(cases: Mapping[Rail, VerificationCase]) -> SubmissionReplies:
    """Return the response to a submission: the status of each of these cases, by rail."""
    by_rail: dict[str, Any] = {
        rail.lower(): submission_object(rail, case) for rail, case in cases.items()
    }
    return SubmissionReplies(**by_rail)


def shown_result(case: VerificationCase) -> CheckResult | None:
    """Return the overall result as visible to the user, None if there is no result."""
    review = _review(case)
    return None if review is None else review.result


def _brief(status: KycStatus) -> BriefStatus:
    return BriefStatus(status=status, message=MESSAGES[status])


def _tree(methods: Mapping[str, Collection[str]], status: KycStatus) -> Tree:
    reply = MethodStatus(status=status, warnings=(), message=MESSAGES[status])
    return {currency: dict.fromkeys(each, reply) for currency, each in methods.items()}


def _person(case: VerificationCase, snapshot: SubmissionSnapshot) -> IndividualStatus:
    review = _review(case)
    return IndividualStatus(
        status=case.status,
        message=MESSAGES[case.status],
        review_result=_whole(case),
        details=_details(
            review,
            snapshot.documents,
            personal=_section(review, ApplicationSection.PERSONAL_INFO),
            questionnaire=_section(review, ApplicationSection.QUESTIONNAIRE),
        ),
    )


def _business(case: VerificationCase, snapshot: SubmissionSnapshot) -> BusinessStatus:
    review = _review(case)
    owners = [
        _owner(case, review, owner.id, [d for d in snapshot.documents if d.owner_id == owner.id])
        for owner in snapshot.owners
    ]
    declined = _declined(() if review is None else review.owners.values())
    if review is not None and OWNERS in review.fields:
        declined.append(review.result)
    return BusinessStatus(
        status=case.status,
        message=MESSAGES[case.status],
        review_result=_whole(case),
        details=BusinessDetails(
            company_info=SectionReply(
                review_result=_reply(_section(review, ApplicationSection.COMPANY_INFO))
            ),
            company_documents=_documents(
                review, [each for each in snapshot.documents if each.owner_id is None]
            ),
            questionnaire=SectionReply(
                review_result=_reply(_section(review, ApplicationSection.QUESTIONNAIRE))
            ),
            ultimate_beneficial_owners=OwnersReply(
                review_result=_reply(_sum(declined) or _approval(review)), details=owners
            ),
        ),
    )


def _owner(
    case: VerificationCase,
    review: IdentityReview | None,
    owner_id: UUID,
    documents: Sequence[SubmittedDocument],
) -> OwnerStatus:
    result = None if review is None else review.owners.get(owner_id)
    result = result or _approval(review)
    status = case.status if result is None else _status(result)
    return OwnerStatus(
        id=owner_id,
        status=status,
        message=MESSAGES[status],
        review_result=_reply(result),
        details=_details(review, documents, personal=result, questionnaire=_approval(review)),
    )


def _details(
    review: IdentityReview | None,
    documents: Iterable[SubmittedDocument],
    *,
    personal: CheckResult | None,
    questionnaire: CheckResult | None,
) -> IndividualDetails:
    groups: dict[bool, list[SubmittedDocument]] = {True: [], False: []}
    for each in documents:
        groups[each.type == _PROOF_OF_ADDRESS].append(each)
    return IndividualDetails(
        personal_info=SectionReply(review_result=_reply(personal)),
        identity=_documents(review, groups[False]),
        proof_of_address=_documents(review, groups[True]),
        questionnaire=SectionReply(review_result=_reply(questionnaire)),
    )


def _documents(
    review: IdentityReview | None, documents: Sequence[SubmittedDocument]
) -> DocumentsReply:
    results = {
        each.id: (None if review is None else review.documents.get(each.id)) or _approval(review)
        for each in documents
    }
    declined = _declined(results.values())
    return DocumentsReply(
        review_result=_reply(_sum(declined) or _approval(review)),
        details=[
            reply_of(each, DocumentReply, review_result=_reply(results[each.id]))
            for each in documents
        ],
    )


def _section(review: IdentityReview | None, section: ApplicationSection) -> CheckResult | None:
    """Return a section's stated result, else one from its fields and the overall result."""
    if review is None:
        return None
    if section in review.sections:
        return review.sections[section]
    is_touched = any(_section_of(name, section) is section for name in review.fields)
    return review.result if is_touched else _approval(review)


def _section_of(field: str, info: ApplicationSection) -> ApplicationSection | None:
    """Return the section of a field; `info` is that of fields without a section of their own."""
    match field:
        case "sofEuQuestionnaire":
            return ApplicationSection.QUESTIONNAIRE
        case "ultimateBeneficialOwners":
            return None
        case _:
            return None if info is ApplicationSection.QUESTIONNAIRE else info


def _review(case: VerificationCase) -> IdentityReview | None:
    """Return the review that led to the present status; None if no review did."""
    follows = case.status in {KycStatus.ACTIVE, KycStatus.INCOMPLETE, KycStatus.REJECTED}
    return case.findings.review if follows else None


def _requested_information(case: VerificationCase) -> str | None:
    return case.findings.asked_for if case.status is KycStatus.RFI_PENDING else None


def _approval(review: IdentityReview | None) -> CheckResult | None:
    """Return the result for parts that a review does not mention: they share only approvals."""
    is_approved = review is not None and review.result.answer is ReviewOutcome.APPROVED
    return CheckResult(answer=ReviewOutcome.APPROVED) if is_approved else None


def _declined(results: Iterable[CheckResult | None]) -> list[CheckResult]:
    return [each for each in results if each and each.answer is ReviewOutcome.DECLINED]


def _sum(declined: Sequence[CheckResult]) -> CheckResult | None:
    if not declined:
        return None
    is_final = any(each.reject_type is RejectType.FINAL for each in declined)
    reasons = dict.fromkeys(reason for each in declined for reason in each.reject_reasons)
    return CheckResult(
        answer=ReviewOutcome.DECLINED,
        reject_type=RejectType.FINAL if is_final else RejectType.RETRY,
        reject_reasons=tuple(reasons),
    )


def _status(result: CheckResult) -> KycStatus:
    refused = KycStatus.REJECTED if result.reject_type is RejectType.FINAL else KycStatus.INCOMPLETE
    return KycStatus.ACTIVE if result.answer is ReviewOutcome.APPROVED else refused


def _whole(case: VerificationCase) -> CheckResultReply:
    requested = _requested_information(case)
    return CheckResultReply(comment=requested) if requested else _reply(shown_result(case))


def _reply(result: CheckResult | None) -> CheckResultReply:
    if result is None:
        return CheckResultReply()
    return CheckResultReply(
        review_answer=result.answer,
        review_reject_type=result.reject_type,
        reject_reasons=result.reject_reasons or None,
        comment=result.comment,
    )
