"""Scripted identity provider for other tests: it fails, times out, and returns any result.

Unlike the sandbox it stores its calls, so that tests can count duplicates.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import timedelta
from uuid import UUID

from landbridge.platform.core.errors import Rejected
from landbridge.providers.identity.port import (
    Applicant,
    ApplicantDocument,
    ApplicationStatus,
    IncomingReview,
    NotSubmitted,
    StillPending,
)

SECRET = "shared with the provider"
PENDING = StillPending(retry_after=timedelta(seconds=5))

Fault = Callable[[str], None]


class ScriptedIdentity:
    """Scripted provider: `answers` by key; `before` and `after` may raise around a call."""

    def __init__(self, *, is_synchronous: bool = False) -> None:
        self._is_synchronous = is_synchronous
        self.answers: dict[str, ApplicationStatus] = {}
        self.default: ApplicationStatus = PENDING
        self.before: Fault = _no_fault
        self.after: Fault = _no_fault
        self.calls: Counter[str] = Counter()
        self.created_checks: dict[str, str] = {}
        self.attached: Counter[tuple[str, object]] = Counter()
        self.submitted: set[str] = set()

    def is_synchronous(self, org_id: UUID, rail: str) -> bool:
        del org_id, rail
        return self._is_synchronous

    async def create(self, applicant: Applicant) -> str:
        self._begin("create")
        reference = self.created_checks.setdefault(applicant.key, f"scripted:{applicant.key}")
        self.after("create")
        return reference

    async def attach(self, reference: str, document: ApplicantDocument) -> None:
        self._begin("attach")
        if document.read is not None:
            assert await document.read()
        self.attached[reference, document.id] += 1
        self.after("attach")

    async def submit(self, reference: str) -> StillPending:
        self._begin("submit")
        self.submitted.add(reference)
        self.after("submit")
        return PENDING

    async def status(self, reference: str, *, waited: timedelta) -> ApplicationStatus:
        del waited
        self._begin("status")
        key = reference.removeprefix("scripted:")
        answer = self.answers.get(key, self.default)
        standing = answer if reference in self.submitted else NotSubmitted()
        self.after("status")
        return standing

    async def open_link(self, reference: str) -> None:
        del reference

    def read_review(self, raw: bytes, headers: Mapping[str, str]) -> IncomingReview:
        try:
            message = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise Rejected("not JSON") from error
        if headers.get("x-secret") != SECRET:
            raise Rejected("not the provider's")
        return IncomingReview(str(message["key"]))

    def _begin(self, call: str) -> None:
        self.calls[call] += 1
        self.before(call)


def _no_fault(call: str) -> None:
    del call
