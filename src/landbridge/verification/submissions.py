"""What is taken out of a dossier when it is submitted. Pure."""

from typing import Any

import msgspec

from landbridge.kyc.fields import BUSINESS, INDIVIDUAL, OWNERS
from landbridge.kyc.model import Dossier
from landbridge.users.model import User, UserType
from landbridge.verification.model import Snapshot, SubmittedDocument, SubmittedOwner


def snapshot_of(user: User, dossier: Dossier) -> Snapshot:
    """The user and the dossier as they are now."""
    return Snapshot(
        is_business=user.type is UserType.BUSINESS,
        email=user.email,
        first_name=user.first_name,
        last_name=user.last_name,
        business_name=user.business_name,
        data=as_json(dossier.data),
        owners=owners_of(dossier),
        documents=documents_of(dossier),
    )


def owners_of(dossier: Dossier) -> tuple[SubmittedOwner, ...]:
    """The owners of a business."""
    return tuple(SubmittedOwner(id=each.id, data=as_json(each.data)) for each in dossier.owners)


def documents_of(dossier: Dossier) -> tuple[SubmittedDocument, ...]:
    """The documents of the user and of its owners."""
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


def is_field(snapshot: Snapshot, name: str) -> bool:
    """Whether this is a field that can be told, and so be told anew."""
    return name in BUSINESS or name == OWNERS if snapshot.is_business else name in INDIVIDUAL


def as_json(value: Any) -> Any:
    """A value as it is when it was written as JSON and read again: what is compared later."""
    return msgspec.json.decode(msgspec.json.encode(value))
