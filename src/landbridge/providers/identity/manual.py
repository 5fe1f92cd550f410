"""Manual verification: every application goes to our own review queue."""

from collections.abc import Mapping
from datetime import timedelta
from uuid import UUID

from landbridge.platform.core.errors import Rejected
from landbridge.providers.identity.port import (
    Applicant,
    ApplicantDocument,
    ApplicationStatus,
    IncomingReview,
    ManualReviewRequested,
    StillPending,
)


class ManualIdentity:
    """Stores nothing: the KYC case has everything that a reviewer needs."""

    def is_synchronous(self, org_id: UUID, rail: str) -> bool:
        """Return True: no provider has to be waited for."""
        del org_id, rail
        return True

    async def create(self, applicant: Applicant) -> str:
        """Return our own key as the reference."""
        return f"manual:{applicant.key}"

    async def attach(self, reference: str, document: ApplicantDocument) -> None:
        """Do nothing: reviewers open our own files."""
        del reference, document

    async def submit(self, reference: str) -> StillPending:
        """Return that the result can be queried immediately."""
        del reference
        return StillPending(retry_after=timedelta())

    async def status(self, reference: str, *, waited: timedelta) -> ApplicationStatus:
        """Request a manual review."""
        del reference, waited
        return ManualReviewRequested()

    async def open_link(self, reference: str) -> None:
        """Return None: there is no provider, so there is no page."""
        del reference

    def read_review(self, raw: bytes, headers: Mapping[str, str]) -> IncomingReview:
        """Reject every message: there is no provider that sends any."""
        del raw, headers
        raise Rejected("manual review has no messages")
