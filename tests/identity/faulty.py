"""A provider that other tests script: it fails, times out, answers anything, and remembers.

Unlike the sandbox it keeps what it was told, so tests can count what was made twice.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from datetime import timedelta

from landbridge.core.errors import Rejected
from landbridge.identity.port import (
    Applicant,
    Document,
    IncomingReview,
    NotSubmitted,
    Standing,
    StillPending,
)

SECRET = "shared with the provider"
PENDING = StillPending(ask_after=timedelta(seconds=5))

Fault = Callable[[str], None]


class ScriptedIdentity:
    """`answers` says how each key stands; `before` and `after` may raise around a call's effect."""

    def __init__(self, *, acts_at_once: bool = False) -> None:
        self.acts_at_once = acts_at_once
        self.answers: dict[str, Standing] = {}
        self.default: Standing = PENDING
        self.before: Fault = _no_fault
        self.after: Fault = _no_fault
        self.calls: Counter[str] = Counter()
        self.made: dict[str, str] = {}
        self.attached: Counter[tuple[str, object]] = Counter()
        self.submitted: set[str] = set()

    async def create(self, applicant: Applicant) -> str:
        self._begin("create")
        reference = self.made.setdefault(applicant.key, f"scripted:{applicant.key}")
        self.after("create")
        return reference

    async def attach(self, reference: str, document: Document) -> None:
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

    async def status(self, reference: str, *, waited: timedelta) -> Standing:
        del waited
        self._begin("status")
        key = reference.removeprefix("scripted:")
        answer = self.answers.get(key, self.default)
        standing = answer if reference in self.submitted else NotSubmitted()
        self.after("status")
        return standing

    def read_review(self, raw: bytes, headers: Mapping[str, str]) -> IncomingReview:
        try:
            told = json.loads(raw)
        except (ValueError, RecursionError) as error:
            raise Rejected("not JSON") from error
        if headers.get("x-secret") != SECRET:
            raise Rejected("not the provider's")
        return IncomingReview(str(told["key"]))

    def _begin(self, call: str) -> None:
        self.calls[call] += 1
        self.before(call)


def _no_fault(call: str) -> None:
    del call
