"""Submission of a KYC profile: its snapshot, and the checks before it. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any, cast
from uuid import UUID

import msgspec

from landbridge.customers.kyc.fields import BUSINESS, INDIVIDUAL, OWNERS
from landbridge.customers.kyc.model import KycProfile, Rail, Requirements
from landbridge.customers.kyc.requirements import ask
from landbridge.customers.users.model import User, UserType
from landbridge.customers.verification.errors import KycDataInvalid
from landbridge.customers.verification.model import (
    KycStatus,
    SubmissionSnapshot,
    SubmittedDocument,
    SubmittedOwner,
    VerificationCase,
)
from landbridge.platform.core.fields import copy_fields
from landbridge.providers.identity.port import IdentityReview, ReviewOutcome


def snapshot_of(
    user: User, dossier: KycProfile, share_token: str | None = None
) -> SubmissionSnapshot:
    """Return the snapshot of the current user and KYC profile."""
    return copy_fields(
        user,
        SubmissionSnapshot,
        is_business=user.type is UserType.BUSINESS,
        data=as_json(dossier.data),
        owners=owners_of(dossier),
        documents=documents_of(dossier),
        share_token=share_token,
    )


def owners_of(dossier: KycProfile) -> tuple[SubmittedOwner, ...]:
    """Return the owners of a business."""
    return tuple(SubmittedOwner(id=each.id, data=as_json(each.data)) for each in dossier.owners)


def documents_of(dossier: KycProfile) -> tuple[SubmittedDocument, ...]:
    """Return the documents of the user and of its owners."""
    return msgspec.convert(dossier.documents, tuple[SubmittedDocument, ...], from_attributes=True)


def is_field(snapshot: SubmissionSnapshot, name: str) -> bool:
    """Return whether a submitted snapshot has a field of this name, which can be corrected."""
    return name in BUSINESS or name == OWNERS if snapshot.is_business else name in INDIVIDUAL


def as_json(value: Any) -> Any:
    """Return a value after a JSON round trip, in the form in which values are compared."""
    return msgspec.json.decode(msgspec.json.encode(value))


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
    """Return the requirements of the rail, and violations: missing, or rejected and unchanged.

    A changed field or document no longer counts as rejected: the next review decides on it. A
    rejected document does not count towards required documents.
    """
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
    # The rail's own message, missing or malformed, replaces `rejected`: it is more useful.
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
