"""What of an INCOMPLETE case is still as it was when it was rejected. Pure.

A field that was told anew, or a document that was changed, is not rejected any more: whether it is
good now is for the next review to say. A rejected document does not count where documents are
required.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any, cast
from uuid import UUID

from landbridge.identity.port import Answer, Review
from landbridge.kyc.fields import OWNERS
from landbridge.kyc.model import Dossier, Requirements
from landbridge.kyc.requirements import ask
from landbridge.verification.model import Case, KycStatus, Snapshot
from landbridge.verification.submissions import as_json, documents_of, owners_of

_REJECTED = "rejected"
_MESSAGE = "Some of the data was not accepted; tell it anew."


def requirements_of(case: Case, dossier: Dossier, *, today: date) -> Requirements:
    """What the rail asks, and what is wrong: missing, or rejected and still the same."""
    review, snapshot = case.findings.review, case.snapshot
    if case.status is not KycStatus.INCOMPLETE or review is None or snapshot is None:
        return ask(case.rail, dossier, today=today)
    dropped = _rejected_documents(review, snapshot, dossier)
    kept = tuple(each for each in dossier.documents if each.id not in dropped)
    asked = ask(case.rail, replace(dossier, documents=kept), today=today)
    fields = dict.fromkeys(_rejected_fields(review, snapshot, dossier), _REJECTED)
    if not fields:
        return asked
    invalid = {"message": _MESSAGE, **asked.invalid}
    # What is missing or malformed is the more useful word about a field.
    invalid["fields"] = {**fields, **cast("Mapping[str, Any]", invalid.get("fields", {}))}
    return replace(asked, invalid=invalid)


def _rejected_fields(review: Review, snapshot: Snapshot, dossier: Dossier) -> list[str]:
    now = {**as_json(dossier.data), OWNERS: as_json(owners_of(dossier))}
    then = {**snapshot.data, OWNERS: as_json(snapshot.owners)}
    return [name for name in review.fields if now.get(name) == then.get(name)]


def _rejected_documents(review: Review, snapshot: Snapshot, dossier: Dossier) -> set[UUID]:
    submitted = {each.id: each for each in snapshot.documents}
    return {
        each.id
        for each in documents_of(dossier)
        if (result := review.documents.get(each.id)) is not None
        and result.answer is Answer.DECLINED
        and submitted.get(each.id) == each
    }
