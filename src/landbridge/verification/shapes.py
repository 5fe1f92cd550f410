"""Status objects as the contract has them. Pure. Source: contract, users 3.3 and interface/kyc.

Three shapes: the USD rail of an individual, that of a business, and the tree of currencies and
methods that every other rail has. Only what may be shown gets here: never notes, never hits.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, TypeAlias
from uuid import UUID

import msgspec

from landbridge.identity.port import Answer, RejectType, Result, Review, Section
from landbridge.kyc.fields import OWNERS
from landbridge.kyc.model import Rail
from landbridge.kyc.rails import RAILS
from landbridge.verification.model import (
    MESSAGES,
    Case,
    KycStatus,
    Snapshot,
    SubmittedDocument,
)
from landbridge.web.reply import WireStruct

_PROOF_OF_ADDRESS = "PROOF_OF_ADDRESS"


class ResultReply(WireStruct, frozen=True, omit_defaults=True):
    """What was found; empty while nothing is."""

    review_answer: Answer | None = None
    review_reject_type: RejectType | None = None
    reject_reasons: Sequence[str] | None = None
    comment: str | None = None


class SectionReply(WireStruct, frozen=True):
    """What was found of a part of the data."""

    review_result: ResultReply


class DocumentReply(WireStruct, frozen=True):
    """What was found of a document."""

    id: UUID
    type: str
    sub_type: str
    review_result: ResultReply


class DocumentsReply(WireStruct, frozen=True):
    """What was found of a group of documents, and of each."""

    review_result: ResultReply
    details: list[DocumentReply]


class IndividualDetails(WireStruct, frozen=True):
    """The parts of a person's application."""

    personal_info: SectionReply
    identity: DocumentsReply
    proof_of_address: DocumentsReply
    questionnaire: SectionReply


class IndividualStatus(WireStruct, frozen=True):
    """A person's status for the USD rail."""

    status: KycStatus
    message: str
    review_result: ResultReply
    details: IndividualDetails


class OwnerStatus(WireStruct, frozen=True):
    """An owner's status within that of a business."""

    id: UUID
    status: KycStatus
    message: str
    review_result: ResultReply
    details: IndividualDetails


class OwnersReply(WireStruct, frozen=True):
    """What was found of the owners, and of each."""

    review_result: ResultReply
    details: list[OwnerStatus]


class BusinessDetails(WireStruct, frozen=True):
    """The parts of a business's application."""

    company_info: SectionReply
    company_documents: DocumentsReply
    questionnaire: SectionReply
    ultimate_beneficial_owners: OwnersReply


class BusinessStatus(WireStruct, frozen=True):
    """A business's status for the USD rail."""

    status: KycStatus
    message: str
    review_result: ResultReply
    details: BusinessDetails


class BriefStatus(WireStruct, frozen=True):
    """The status for the USD rail on submission, or before any."""

    status: KycStatus
    message: str


class MethodStatus(WireStruct, frozen=True):
    """Whether money can go this way; as the rail it belongs to."""

    status: KycStatus
    warnings: Sequence[str]
    message: str


Tree: TypeAlias = dict[str, dict[str, MethodStatus]]


class RailStatus(WireStruct, frozen=True):
    """The status for a rail other than USD; `warnings` are the reasons of a decline."""

    status: KycStatus
    warnings: Sequence[str]
    message: str
    on_ramp: Tree
    off_ramp: Tree
    # SOUTH_AMERICA_STANDARD only. We have no limits of our own, so it is empty.
    limit: dict[str, Any] | msgspec.UnsetType = msgspec.UNSET


class SubmissionReplies(
    WireStruct,
    frozen=True,
    omit_defaults=True,
    rename={rail.lower(): rail.value for rail in Rail},
):
    """The status of each rail that was asked for, by its name."""

    usd: BriefStatus | msgspec.UnsetType = msgspec.UNSET
    south_america_standard: RailStatus | msgspec.UnsetType = msgspec.UNSET
    africa_general: RailStatus | msgspec.UnsetType = msgspec.UNSET
    africa_nigeria: RailStatus | msgspec.UnsetType = msgspec.UNSET
    global_network: RailStatus | msgspec.UnsetType = msgspec.UNSET


StatusReply: TypeAlias = IndividualStatus | BusinessStatus | BriefStatus | RailStatus
SubmissionReply: TypeAlias = BriefStatus | RailStatus


def status_object(rail: Rail, case: Case | None) -> StatusReply:
    """The status of a case; None: nothing was ever submitted."""
    if rail is not Rail.USD:
        return submission_object(rail, case)
    if case is None:
        return _brief(KycStatus.INACTIVE)
    shape = _business if case.submitted.is_business else _person
    return shape(case, case.submitted)


def told_status(user_id: UUID, rail: Rail, case: Case | None) -> dict[str, Any]:
    """The status of a case as events show it: whose and for what, which a retrieve's path says."""
    told: dict[str, Any] = msgspec.to_builtins(status_object(rail, case))
    return {"userId": str(user_id), "rails": rail.value, **told}


def submission_object(rail: Rail, case: Case | None) -> SubmissionReply:
    """The status of a case as a submission answers it."""
    status = KycStatus.INACTIVE if case is None else case.status
    table = RAILS[rail]
    if rail is Rail.USD:
        return _brief(status)
    result = None if case is None else shown_result(case)
    asked_for = None if case is None else _asked_for(case)
    comment = asked_for or (None if result is None else result.comment)
    return RailStatus(
        status=status,
        warnings=() if result is None else result.reject_reasons,
        message=comment or MESSAGES[status],
        on_ramp=_tree(table.ON_RAMP, status),
        off_ramp=_tree(table.OFF_RAMP, status),
        limit={} if rail is Rail.SOUTH_AMERICA_STANDARD else msgspec.UNSET,
    )


def submission_objects(cases: Mapping[Rail, Case]) -> SubmissionReplies:
    """What a submission answers: the status of each of these cases, by its rail."""
    told: dict[str, Any] = {
        rail.lower(): submission_object(rail, case) for rail, case in cases.items()
    }
    return SubmissionReplies(**told)


def shown_result(case: Case) -> Result | None:
    """The result of the whole that a user may see, None while there is none."""
    review = _review(case)
    return None if review is None else review.result


def _brief(status: KycStatus) -> BriefStatus:
    return BriefStatus(status=status, message=MESSAGES[status])


def _tree(methods: Mapping[str, Collection[str]], status: KycStatus) -> Tree:
    reply = MethodStatus(status=status, warnings=(), message=MESSAGES[status])
    return {currency: dict.fromkeys(each, reply) for currency, each in methods.items()}


def _person(case: Case, snapshot: Snapshot) -> IndividualStatus:
    review = _review(case)
    return IndividualStatus(
        status=case.status,
        message=MESSAGES[case.status],
        review_result=_whole(case),
        details=_details(
            review,
            snapshot.documents,
            personal=_section(review, Section.PERSONAL_INFO),
            questionnaire=_section(review, Section.QUESTIONNAIRE),
        ),
    )


def _business(case: Case, snapshot: Snapshot) -> BusinessStatus:
    review = _review(case)
    owners = [
        _owner(case, review, owner.id, [d for d in snapshot.documents if d.owner_id == owner.id])
        for owner in snapshot.owners
    ]
    declined = [] if review is None else [each for each in review.owners.values() if _bad(each)]
    if review is not None and OWNERS in review.fields:
        declined.append(review.result)
    return BusinessStatus(
        status=case.status,
        message=MESSAGES[case.status],
        review_result=_whole(case),
        details=BusinessDetails(
            company_info=_section_reply(_section(review, Section.COMPANY_INFO)),
            company_documents=_documents(
                review, [each for each in snapshot.documents if each.owner_id is None]
            ),
            questionnaire=_section_reply(_section(review, Section.QUESTIONNAIRE)),
            ultimate_beneficial_owners=OwnersReply(
                review_result=_reply(_sum(declined) or _approval(review)), details=owners
            ),
        ),
    )


def _owner(
    case: Case, review: Review | None, owner_id: UUID, documents: Sequence[SubmittedDocument]
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
    review: Review | None,
    documents: Iterable[SubmittedDocument],
    *,
    personal: Result | None,
    questionnaire: Result | None,
) -> IndividualDetails:
    groups: dict[bool, list[SubmittedDocument]] = {True: [], False: []}
    for each in documents:
        groups[each.type == _PROOF_OF_ADDRESS].append(each)
    return IndividualDetails(
        personal_info=_section_reply(personal),
        identity=_documents(review, groups[False]),
        proof_of_address=_documents(review, groups[True]),
        questionnaire=_section_reply(questionnaire),
    )


def _documents(review: Review | None, documents: Sequence[SubmittedDocument]) -> DocumentsReply:
    results = {
        each.id: (None if review is None else review.documents.get(each.id)) or _approval(review)
        for each in documents
    }
    declined = [each for each in results.values() if each is not None and _bad(each)]
    return DocumentsReply(
        review_result=_reply(_sum(declined) or _approval(review)),
        details=[
            DocumentReply(
                id=each.id,
                type=each.type,
                sub_type=each.sub_type,
                review_result=_reply(results[each.id]),
            )
            for each in documents
        ],
    )


def _section(review: Review | None, section: Section) -> Result | None:
    """What was found of a section: as said, or as its fields and the whole have it."""
    if review is None:
        return None
    if section in review.sections:
        return review.sections[section]
    is_touched = any(_section_of(name, section) is section for name in review.fields)
    return review.result if is_touched else _approval(review)


def _section_of(field: str, info: Section) -> Section | None:
    """The section that a field belongs to; `info` is what the rest belongs to here."""
    match field:
        case "sofEuQuestionnaire":
            return Section.QUESTIONNAIRE
        case "ultimateBeneficialOwners":
            return None
        case _:
            return None if info is Section.QUESTIONNAIRE else info


def _review(case: Case) -> Review | None:
    """The review that counts: that of a status which follows from one."""
    follows = case.status in {KycStatus.ACTIVE, KycStatus.INCOMPLETE, KycStatus.REJECTED}
    return case.findings.review if follows else None


def _asked_for(case: Case) -> str | None:
    return case.findings.asked_for if case.status is KycStatus.RFI_PENDING else None


def _approval(review: Review | None) -> Result | None:
    """Parts of which nothing is said are approved with the whole, but not declined with it."""
    is_approved = review is not None and review.result.answer is Answer.APPROVED
    return Result(answer=Answer.APPROVED) if is_approved else None


def _sum(declined: Sequence[Result]) -> Result | None:
    """The decline of a group of which these are declined."""
    if not declined:
        return None
    is_final = any(each.reject_type is RejectType.FINAL for each in declined)
    reasons = dict.fromkeys(reason for each in declined for reason in each.reject_reasons)
    return Result(
        answer=Answer.DECLINED,
        reject_type=RejectType.FINAL if is_final else RejectType.RETRY,
        reject_reasons=tuple(reasons),
    )


def _status(result: Result) -> KycStatus:
    if result.answer is Answer.APPROVED:
        return KycStatus.ACTIVE
    return KycStatus.REJECTED if result.reject_type is RejectType.FINAL else KycStatus.INCOMPLETE


def _bad(result: Result) -> bool:
    return result.answer is Answer.DECLINED


def _whole(case: Case) -> ResultReply:
    asked_for = _asked_for(case)
    return ResultReply(comment=asked_for) if asked_for else _reply(shown_result(case))


def _section_reply(result: Result | None) -> SectionReply:
    return SectionReply(review_result=_reply(result))


def _reply(result: Result | None) -> ResultReply:
    if result is None:
        return ResultReply()
    return ResultReply(
        review_answer=result.answer,
        review_reject_type=result.reject_type,
        reject_reasons=result.reject_reasons or None,
        comment=result.comment,
    )
