"""Snapshot of a KYC profile on submission. Pure."""

from typing import Any

import msgspec

from landbridge.customers.kyc.fields import BUSINESS, INDIVIDUAL, OWNERS
from landbridge.customers.kyc.model import KycProfile
from landbridge.customers.users.model import User, UserType
from landbridge.customers.verification.model import (
    SubmissionSnapshot,
    SubmittedDocument,
    SubmittedOwner,
)


def snapshot_of(
    user: User, dossier: KycProfile, share_token: str | None = None
) -> SubmissionSnapshot:
    """Return the snapshot of the current user and KYC profile."""
    return SubmissionSnapshot(
        is_business=user.type is UserType.BUSINESS,
        email=user.email,
        first_name=user.first_name,
        last_name=user.last_name,
        business_name=user.business_name,
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
    return tuple(
        SubmittedDocument(
            id=each.id,
            owner_id=each.owner_id,
            type=each.type,
            sub_type=each.sub_type,
            issued_country=each.issued_country,
            issued_date=each.issued_date,
            expiry_date=each.expiry_date,
            number=each.number,
            description=each.description,
            file_id=each.file_id,
            url=each.url,
        )
        for each in dossier.documents
    )


def is_field(snapshot: SubmissionSnapshot, name: str) -> bool:
    """Return whether this is a field that can be submitted again."""
    return name in BUSINESS or name == OWNERS if snapshot.is_business else name in INDIVIDUAL


def as_json(value: Any) -> Any:
    """Return a value after a JSON round trip, the form that is compared later."""
    return msgspec.json.decode(msgspec.json.encode(value))
