"""Requests to reveal a number, and the fields that can be revealed."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from landbridge.platform.core.errors import FieldInvalid
from landbridge.platform.http.number_masks import MASKED

KIND = "NUMBER"
REASON_LENGTH_MAX = 200


class NumberRecord(StrEnum):
    """Record of a user that has the number."""

    ACCOUNT = "ACCOUNT"  # a bank account or its holder
    KYC = "KYC"  # the KYC data of the user
    OWNER = "OWNER"  # a beneficial owner of a business
    DOCUMENT = "DOCUMENT"  # a document of the user or of an owner


@dataclass(frozen=True, slots=True, kw_only=True)
class RevealRequest:
    """The number to reveal. `record_id` is that of the user for `KYC`."""

    user_id: UUID
    record: NumberRecord
    record_id: UUID
    field: str
    reason: str

    @property
    def facts(self) -> Mapping[str, Any]:
        """Return the facts of the entry in the audit log: everything but the number."""
        return {
            "userId": str(self.user_id),
            "record": self.record.value,
            "recordId": str(self.record_id),
            "field": self.field,
            "reason": self.reason,
        }


def number_of(members: Mapping[str, Any], field: str) -> str:
    """Return a number of a record; raises `FieldInvalid` where it has none of this name."""
    value = members.get(field)
    if field not in MASKED or not isinstance(value, str):
        raise FieldInvalid("the record has no masked number of this name", field="field")
    return value
