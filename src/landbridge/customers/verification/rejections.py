"""Rejected data of an INCOMPLETE case that is unchanged since the rejection. Pure.

A resubmitted field or a changed document no longer counts as rejected: the next review decides on
it. A rejected document does not count towards required documents.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any, cast
from uuid import UUID

from landbridge.customers.kyc.fields import OWNERS
from landbridge.customers.kyc.model import KycProfile, Rail, Requirements
from landbridge.customers.kyc.requirements import ask
from landbridge.customers.verification.errors import KycDataInvalid
from landbridge.customers.verification.model import (
    KycStatus,
    SubmissionSnapshot,
    VerificationCase,
)
from landbridge.customers.verification.submissions import as_json, documents_of, owners_of
from landbridge.providers.identity.port import IdentityReview, ReviewOutcome

_REJECTED = "rejected"
_MESSAGE = "Some of the data was not accepted; submit it again."


def requirements_of(
    rail: Rail,
    case: VerificationCase | None,
    dossier: KycProfile,
    *,
    today: date,
    takes_dummies: bool,
) -> Requirements:
    """Return the requirements of the rail, and violations: missing, or rejected and unchanged."""
    asked = partial(ask, rail, today=today, takes_dummies=takes_dummies)
    if case is None or case.status is not KycStatus.INCOMPLETE:
        return asked(dossier)
    review, snapshot = case.findings.review, case.snapshot
    if review is None or snapshot is None:
        return asked(dossier)
    dropped = _rejected_documents(review, snapshot, dossier)
    remaining = tuple(each for each in dossier.documents if each.id not in dropped)
    requirements = asked(replace(dossier, documents=remaining))
    fields = dict.fromkeys(_rejected_fields(review, snapshot, dossier), _REJECTED)
    if not fields:
        return requirements
    invalid = {"message": _MESSAGE, **requirements.invalid}
    # Missing or malformed is the more useful message for a field.
    invalid["fields"] = {**fields, **cast("Mapping[str, Any]", invalid.get("fields", {}))}
    return replace(requirements, invalid=invalid)


def _rejected_fields(
    review: IdentityReview, snapshot: SubmissionSnapshot, dossier: KycProfile
) -> list[str]:
    now = {**as_json(dossier.data), OWNERS: as_json(owners_of(dossier))}
    then = {**snapshot.data, OWNERS: as_json(snapshot.owners)}
    return [name for name in review.fields if now.get(name) == then.get(name)]


def _rejected_documents(
    review: IdentityReview, snapshot: SubmissionSnapshot, dossier: KycProfile
) -> set[UUID]:
    submitted = {each.id: each for each in snapshot.documents}
    return {
        each.id
        for each in documents_of(dossier)
        if (result := review.documents.get(each.id)) is not None
        and result.answer is ReviewOutcome.DECLINED
        and submitted.get(each.id) == each
    }


def check_data(
    dossier: KycProfile,
    rails: Sequence[Rail],
    known: Mapping[Rail, VerificationCase],
    *,
    today: date,
    takes_dummies: bool,
) -> None:
    """Raise `KycDataInvalid` with the violations of the rail, or of each rail by name."""
    wrong: dict[str, Any] = {}
    for rail in rails:
        case = known.get(rail)
        requirements = requirements_of(
            rail, case, dossier, today=today, takes_dummies=takes_dummies
        )
        if requirements.invalid:
            wrong[rail] = requirements.invalid
    if wrong:
        names = ", ".join(wrong)
        raise KycDataInvalid(
            f"the KYC data is not enough for {names}: see invalid",
            invalid=next(iter(wrong.values())) if len(rails) == 1 else wrong,
        )
