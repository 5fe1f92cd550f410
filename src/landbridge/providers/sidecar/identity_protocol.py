"""Messages about the verification of users; see `protocol.py`. They hold personal data."""

from enum import StrEnum
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, field

from landbridge.providers.identity.port import (
    REASON_LENGTH_MAX,
    REASONS_MAX,
    RESULTS_MAX,
    TEXT_LENGTH_MAX,
    ApplicationSection,
)
from landbridge.providers.sidecar.protocol import (
    EXPECTED_IN_S_MAX,
    ProviderReference,
    RequestedVerification,
    SidecarMessage,
)

APPLICATIONS_PATH = "/v1/applications"
APPLICATION_DOCUMENTS_PATH = "/v1/applications/documents"
SUBMISSIONS_PATH = "/v1/applications/submit"
APPLICATION_QUERY_PATH = "/v1/applications/query"
VERIFICATION_LINKS_PATH = "/v1/applications/link"

# Of a file, before it is encoded: no upload of ours is larger.
DOCUMENT_BYTES_MAX = 10 * 1024 * 1024
# Of a request with a file: base64 adds a third, the other members a little.
DOCUMENT_REQUEST_BYTES_MAX = 14 * 1024 * 1024
_LINK_LENGTH_MAX = 2_000

_Reason = Annotated[str, Meta(min_length=1, max_length=REASON_LENGTH_MAX)]
_Reasons = Annotated[tuple[_Reason, ...], Meta(max_length=REASONS_MAX)]
_Text = Annotated[str, Meta(max_length=TEXT_LENGTH_MAX)]


class ApplicationState(StrEnum):
    """State of an application at the provider."""

    CREATED = "created"  # not submitted yet
    PENDING = "pending"  # submitted, and not decided
    APPROVED = "approved"  # final: verified
    RETRY = "retry"  # declined, and can be corrected with another application
    DECLINED = "declined"  # final: declined
    INFORMATION = "information"  # the person must say more: `comment` says what
    REVIEW = "review"  # the provider does not decide: our reviewers must


class PartState(StrEnum):
    """What a review says about one part of an application."""

    APPROVED = "approved"
    RETRY = "retry"
    DECLINED = "declined"


class ApplicationRefusalCode(StrEnum):
    """Why a call about an application was refused for good. Each has a sentence of ours."""

    UNSUPPORTED = "unsupported"
    DATA_INVALID = "data_invalid"
    DOCUMENT_INVALID = "document_invalid"
    SHARE_TOKEN_INVALID = "share_token_invalid"  # noqa: S105  a code, no secret
    OTHER = "other"


APPLICATION_REFUSALS = {
    ApplicationRefusalCode.UNSUPPORTED: "the provider does not verify such applicants",
    ApplicationRefusalCode.DATA_INVALID: "the provider does not accept the applicant's data",
    ApplicationRefusalCode.DOCUMENT_INVALID: "the provider does not accept a document",
    ApplicationRefusalCode.SHARE_TOKEN_INVALID: "the provider does not accept the share token",
    ApplicationRefusalCode.OTHER: "the provider refused the application",
}


class ApplicationOwner(SidecarMessage, frozen=True):
    """Owner of a business. `facts` are KYC data as submitted."""

    id: UUID
    facts: dict[str, Any]
    last_name: str | None = None


class ApplicationRequest(SidecarMessage, frozen=True):
    """Application of a person or business. `key` is ours, and the same for every attempt.

    `facts` are KYC data under the names of the API; `lastName` and `businessName` are those of the
    account. `shareToken` lets the provider take over what another of its clients has verified.
    `testOutcome` is sent by `landbridge adapters test` only.
    """

    key: UUID
    org_id: UUID
    is_business: bool
    rail: str
    facts: dict[str, Any]
    last_name: str | None = None
    business_name: str | None = None
    owners: tuple[ApplicationOwner, ...] = ()
    share_token: str | None = None
    test_outcome: RequestedVerification | None = None


class ApplicationDocumentRequest(SidecarMessage, frozen=True):
    """Document of an application: `file` has its bytes in base64, or `url` an address of it.

    `documentId` is ours: a known one changes nothing.
    """

    key: UUID
    document_id: UUID
    type: str
    sub_type: str
    issued_country: str
    owner_id: UUID | None = None
    number: str | None = None
    url: str | None = None
    file: bytes | None = None


class ApplicationKey(SidecarMessage, frozen=True):
    """Submission of an application, a question about it, or a request of a link."""

    key: UUID


class ReviewedPart(SidecarMessage, frozen=True):
    """What a review says about a part. `comment` may be shown to the person."""

    state: PartState
    reject_reasons: _Reasons = ()
    comment: _Text | None = None


_ReviewedParts = Annotated[dict[UUID, ReviewedPart], Meta(max_length=RESULTS_MAX)]


class ApplicationAnswer(SidecarMessage, frozen=True):
    """State of an application, and what its review says.

    `comment` may be shown to the person, `note` never: it is for reviewers. `fields` are names of
    KYC data to submit again. Documents and owners are named by our ids; parts that are not listed
    follow the whole. `expectedInSeconds` is when a pending one is queried again.
    """

    key: UUID
    state: ApplicationState
    provider_reference: ProviderReference
    expected_in_seconds: Annotated[int, Meta(ge=1, le=EXPECTED_IN_S_MAX)] | None = None
    reject_reasons: _Reasons = ()
    comment: _Text | None = None
    note: _Text | None = None
    fields: Annotated[tuple[_Reason, ...], Meta(max_length=RESULTS_MAX)] = ()
    sections: dict[ApplicationSection, ReviewedPart] = field(
        default_factory=dict[ApplicationSection, ReviewedPart]
    )
    documents: _ReviewedParts = field(default_factory=dict[UUID, ReviewedPart])
    owners: _ReviewedParts = field(default_factory=dict[UUID, ReviewedPart])


class ApplicationRefusal(SidecarMessage, frozen=True):
    """Refusal of a call about an application, for good: the same call is refused for ever."""

    key: UUID
    code: ApplicationRefusalCode


class VerificationLinkAnswer(SidecarMessage, frozen=True):
    """Address of the provider's own page for the person, and for how long it can be opened.

    Anyone who has it can act as the person.
    """

    key: UUID
    url: Annotated[str, Meta(pattern=r"^https://[!-~]+\Z", max_length=_LINK_LENGTH_MAX)]
    expires_in_seconds: Annotated[int, Meta(ge=1)] | None = None
