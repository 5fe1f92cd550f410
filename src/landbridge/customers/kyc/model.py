"""KYC profile of a user, with its owners and documents."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any, TypeAlias
from uuid import UUID

from typing_extensions import override

from landbridge.customers.users.model import UserType
from landbridge.platform.core.errors import ResourceNotFound
from landbridge.platform.core.ids import derived_id

KIND = "KYC.DATA"

# Most owners of a business; one with more cannot be verified by a form.
OWNERS_MAX = 50
DOCUMENTS_MAX = 200

# JSON values by the contract's member names; `shareProportion` is a text.
Data: TypeAlias = Mapping[str, Any]


# Name of the rail `USD` in older versions of the reference.
OLD_USD = "USD_EURO"


class Rail(StrEnum):
    """Rail for which a user is verified. Source: contract, users 3.1."""

    USD = "USD"
    SOUTH_AMERICA_STANDARD = "SOUTH_AMERICA_STANDARD"
    AFRICA_GENERAL = "AFRICA_GENERAL"
    AFRICA_NIGERIA = "AFRICA_NIGERIA"
    GLOBAL_NETWORK = "GLOBAL_NETWORK"

    @classmethod
    @override
    def _missing_(cls, value: object) -> "Rail | None":
        """Accept `USD_EURO`, the name of `USD` in older versions of the reference."""
        return cls.USD if value == OLD_USD else None


class SubType(StrEnum):
    """Side of a document that a file shows."""

    FRONT_SIDE = "FRONT_SIDE"
    BACK_SIDE = "BACK_SIDE"
    SINGLE_SIDE = "SINGLE_SIDE"


@dataclass(frozen=True, slots=True, kw_only=True)
class KycOwner:
    """Beneficial owner of a business; `data` has the submitted members of `kyc.fields.OWNER`."""

    id: UUID
    data: Data
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class KycDocument:
    """Document of a user or of one of its owners; exactly one of `url` and `file_id` is set."""

    id: UUID
    owner_id: UUID | None
    type: str
    sub_type: SubType
    issued_country: str
    issued_date: date | None
    expiry_date: date | None
    number: str | None
    description: str | None
    url: str | None
    file_id: str | None
    created_at: datetime
    updated_at: datetime

    def is_expired(self, today: date) -> bool:
        """Return True after the expiry date; on that date the document is still valid."""
        return self.expiry_date is not None and self.expiry_date < today


@dataclass(frozen=True, slots=True, kw_only=True)
class KycProfile:
    """All KYC data of a user, in the order of submission.

    `version` counts the changes since the creation of the user. `data` has the submitted members of
    `kyc.fields.INDIVIDUAL` or `BUSINESS`. After the user is erased, it is empty.
    """

    user_id: UUID
    type: UserType
    data: Data
    owners: tuple[KycOwner, ...]
    documents: tuple[KycDocument, ...]
    version: int

    def owner(self, owner_id: UUID) -> KycOwner:
        """Return an owner; raises `ResourceNotFound`."""
        found = next((each for each in self.owners if each.id == owner_id), None)
        if found is None:
            raise ResourceNotFound(f"the user has no owner {owner_id}")
        return found

    def document(self, document_id: UUID) -> KycDocument:
        """Return a document; raises `ResourceNotFound`."""
        found = next((each for each in self.documents if each.id == document_id), None)
        if found is None:
            raise ResourceNotFound(f"the user has no document {document_id}")
        return found

    def documents_of(self, owner_id: UUID | None) -> tuple[KycDocument, ...]:
        """Return the documents of an owner; if `owner_id` is None, those of the user."""
        return tuple(each for each in self.documents if each.owner_id == owner_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """Requirements of a rail for a user, in the schemas of the contract.

    `invalid` lists the violations in the submitted data, and is empty if there are none. Otherwise
    it has `message`, `fields` (from a field's name to `missing` or a sentence) and, if documents
    are missing, `documents` with `message` and `groups`. Names of owners' fields have a prefix, as
    in `ultimateBeneficialOwners[0].phone`; so have their groups of documents.
    """

    rail: Rail
    type: UserType
    required: Mapping[str, Any]
    optional: Mapping[str, Any]
    invalid: Mapping[str, Any]


def kyc_profile_id(user_id: UUID) -> UUID:
    """Return the id of the KYC profile in the change log."""
    return derived_id(user_id, KIND)
