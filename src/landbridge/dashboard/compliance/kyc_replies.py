"""Replies of KYC routes, with the members that pages read of a user of either type."""

from collections.abc import Iterator, Sequence
from datetime import date
from uuid import UUID

from landbridge.customers.verification.model import KycStatus
from landbridge.customers.verification.schemas import (
    CheckResultReply,
    DocumentReply,
    DocumentsReply,
    OwnersReply,
)
from landbridge.platform.http.responses import WireStruct


class KycReply(WireStruct, frozen=True):
    """KYC data of a user; the members of `kycInfo` depend on the user's type."""

    kyc_info: dict[str, object]


class KycDocumentReply(WireStruct, frozen=True):
    """Document of a user or of an owner (`uboId`)."""

    id: UUID
    type: str
    sub_type: str
    issued_country: str | None
    issued_date: date | None
    expiry_date: date | None
    number: str | None
    description: str | None
    file_id: str | None
    ubo_id: UUID | None
    url: str | None = None


class RailStatusDetails(WireStruct, frozen=True):
    """Results of the documents of a person, or of a business and its owners."""

    identity: DocumentsReply | None = None
    proof_of_address: DocumentsReply | None = None
    company_documents: DocumentsReply | None = None
    ultimate_beneficial_owners: OwnersReply | None = None

    @property
    def documents(self) -> Iterator[DocumentReply]:
        """Yield the result of each document."""
        owners = self.ultimate_beneficial_owners
        people = [each.details for each in owners.details] if owners else []
        groups = (each for one in (self, *people) for each in (one.identity, one.proof_of_address))
        for group in (self.company_documents, *groups):
            yield from group.details if group else ()


class RailStatusReply(WireStruct, frozen=True):
    """Status of a user for a rail. USD has a review result and details, other rails warnings."""

    status: KycStatus
    message: str
    review_result: CheckResultReply = CheckResultReply()
    details: RailStatusDetails = RailStatusDetails()
    warnings: Sequence[str] = ()
