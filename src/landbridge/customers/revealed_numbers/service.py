"""Reveals masked numbers, one at a time.

Guarantee: a number is returned only after its entry in the audit log was committed.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any
from uuid import UUID

from landbridge.customers.bank_accounts.service import BankAccounts
from landbridge.customers.kyc.service import KycProfiles
from landbridge.customers.users.service import Users
from landbridge.platform.changes.service import append_change
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import FieldInvalid, ResourceNotFound, RoleNotAllowed
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.formats.texts import check_text
from landbridge.platform.http.caller import Caller
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
    """The number to reveal. For `KYC`, `record_id` is the user's id."""

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
    """Return a number of a record; raises `FieldInvalid` if it has none of this name."""
    value = members.get(field)
    if field not in MASKED or not isinstance(value, str):
        raise FieldInvalid("the record has no masked number of this name", field="field")
    return value


@dataclass(frozen=True, slots=True)
class RevealedNumbers:
    """Numbers of the users of all organisations."""

    database: Database
    clock: Clock
    users: Users
    kyc_profiles: KycProfiles
    bank_accounts: BankAccounts

    async def reveal(self, caller: Caller, request: RevealRequest) -> str:
        """Return a number, and record who saw it and why.

        Raises `RoleNotAllowed` for a key with only the scope `read`: a program that needs whole
        numbers has another scope. Also raises `FieldInvalid`, `ResourceNotFound` and
        `AccountNotFound`.
        """
        if caller.member is None and caller.is_read_only:
            raise RoleNotAllowed(
                "a key with no scope but read reveals nothing; with another scope it sees numbers "
                "whole"
            )
        reason = check_text("reason", request.reason, length_max=REASON_LENGTH_MAX)
        number = number_of(await self._members(caller.org_id, request), request.field)
        facts, at = replace(request, reason=reason).facts, self.clock.stamp(caller.clock_offset)

        await self.database.transact(
            lambda tx: append_change(
                tx,
                org_id=caller.org_id,
                object_id=new_id(),
                seq=1,
                kind=KIND,
                change_type="reveal",
                actor=caller.actor,
                at=at,
                facts=facts,
            )
        )
        return number

    async def _members(self, org_id: UUID, request: RevealRequest) -> Mapping[str, Any]:
        """Return the members of the record; for a bank account those of its bank and holder."""
        user_id, record_id = request.user_id, request.record_id
        if request.record is NumberRecord.ACCOUNT:
            account = await self.bank_accounts.get(org_id, user_id, record_id)
            return {**account.bank, **(account.holder or {})}
        profile = await self.kyc_profiles.get(org_id, await self.users.get(org_id, user_id))
        match request.record:
            case NumberRecord.KYC:
                if record_id != user_id:
                    raise ResourceNotFound("the id of KYC data is that of the user")
                return profile.data
            case NumberRecord.OWNER:
                return profile.owner(record_id).data
            case NumberRecord.DOCUMENT:
                return {"number": profile.document(record_id).number}
