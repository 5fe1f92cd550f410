"""What is known about a user for verification: the dossier, its owners and its documents."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Any, TypeAlias
from uuid import UUID

from landbridge.core.errors import ResourceNotFound
from landbridge.core.ids import derived_id
from landbridge.users.model import UserType

KIND = "KYC.DATA"

# A company with more people behind it is not verified by a form.
OWNERS_MAX = 50
DOCUMENTS_MAX = 200

# Values as JSON has them, under the names of the contract; `shareProportion` is a text.
Data: TypeAlias = Mapping[str, Any]


class Rail(StrEnum):
    """What a user is verified for. Source: contract, users 3.1."""

    USD = "USD"
    SOUTH_AMERICA_STANDARD = "SOUTH_AMERICA_STANDARD"
    AFRICA_GENERAL = "AFRICA_GENERAL"
    AFRICA_NIGERIA = "AFRICA_NIGERIA"
    GLOBAL_NETWORK = "GLOBAL_NETWORK"


class SubType(StrEnum):
    """Which side of a document a file shows."""

    FRONT_SIDE = "FRONT_SIDE"
    BACK_SIDE = "BACK_SIDE"
    SINGLE_SIDE = "SINGLE_SIDE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """Somebody behind a business; `data` has the members of `kyc.fields.OWNER` that were told."""

    id: UUID
    data: Data
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A document of a user, or of one of its owners; exactly one of `url` and `file_id` is set."""

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
        """On the day that it names a document is still good."""
        return self.expiry_date is not None and self.expiry_date < today


@dataclass(frozen=True, slots=True, kw_only=True)
class Dossier:
    """All KYC data of a user, in the order in which it was told.

    `version` counts the changes since the user was made. `data` has the members of
    `kyc.fields.INDIVIDUAL` or `BUSINESS` that were told. Once the user is erased, it is empty.
    """

    user_id: UUID
    type: UserType
    data: Data
    owners: tuple[Owner, ...]
    documents: tuple[Document, ...]
    version: int

    def owner(self, owner_id: UUID) -> Owner:
        """One owner; raises `ResourceNotFound`."""
        found = next((each for each in self.owners if each.id == owner_id), None)
        if found is None:
            raise ResourceNotFound(f"the user has no owner {owner_id}")
        return found

    def document(self, document_id: UUID) -> Document:
        """One document; raises `ResourceNotFound`."""
        found = next((each for each in self.documents if each.id == document_id), None)
        if found is None:
            raise ResourceNotFound(f"the user has no document {document_id}")
        return found

    def documents_of(self, owner_id: UUID | None) -> tuple[Document, ...]:
        """Those of an owner, or (None) the user's own."""
        return tuple(each for each in self.documents if each.owner_id == owner_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirements:
    """What a rail asks of a user, in the shapes of the contract.

    `invalid` is what is wrong with what was told: empty if nothing is, else `message`, `fields`
    (the name of a field to `missing` or a sentence) and, if any are lacking, `documents` with
    `message` and `groups`. Fields of owners are named `ultimateBeneficialOwners[0].phone`, their
    groups `ultimateBeneficialOwners[0].identity`.
    """

    rail: Rail
    type: UserType
    required: Mapping[str, Any]
    optional: Mapping[str, Any]
    invalid: Mapping[str, Any]


def dossier_id(user_id: UUID) -> UUID:
    """The dossier's name in the log of changes."""
    return derived_id(user_id, KIND)
