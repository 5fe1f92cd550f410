"""Nobody but the people here checks: every application goes to the queue of reviews."""

from collections.abc import Mapping
from datetime import timedelta

from landbridge.core.errors import Rejected
from landbridge.identity.port import (
    Applicant,
    Document,
    IncomingReview,
    ManualReviewAsked,
    Standing,
    StillPending,
)


class ManualIdentity:
    """Keeps nothing: what there is to review is in our own case."""

    acts_at_once = True

    async def create(self, applicant: Applicant) -> str:
        """Name it as we do."""
        return f"manual:{applicant.key}"

    async def attach(self, reference: str, document: Document) -> None:
        """Reviewers look at our own files."""
        del reference, document

    async def submit(self, reference: str) -> StillPending:
        """Ask at once."""
        del reference
        return StillPending(ask_after=timedelta())

    async def status(self, reference: str, *, waited: timedelta) -> Standing:
        """Somebody here must decide."""
        del reference, waited
        return ManualReviewAsked()

    def read_review(self, raw: bytes, headers: Mapping[str, str]) -> IncomingReview:
        """Refuse: nobody sends us messages."""
        del raw, headers
        raise Rejected("manual review has no messages")
