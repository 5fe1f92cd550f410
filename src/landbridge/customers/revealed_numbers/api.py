"""Route to reveal a masked number: ours; the contract has none."""

from typing import Annotated
from uuid import UUID

from litestar import Controller, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody

from landbridge.customers.revealed_numbers.service import (
    REASON_LENGTH_MAX,
    NumberRecord,
    RevealedNumbers,
    RevealRequest,
)
from landbridge.customers.users.path_params import known_user
from landbridge.platform.core.fields import copy_fields
from landbridge.platform.formats.schemas import line
from landbridge.platform.http.caller import ApiRequest
from landbridge.platform.http.constraints import one_of, with_schema
from landbridge.platform.http.number_masks import MASKED
from landbridge.platform.http.responses import WireStruct


class NewReveal(WireStruct, frozen=True):
    """The number to reveal: `field` of a record of the user, as `govIdNumber`.

    `recordId` is the id of the bank account, owner or document; for `KYC` that of the user. The
    audit log keeps `reason` forever: it must not have personal data.
    """

    record: NumberRecord
    record_id: UUID
    field: Annotated[str, with_schema(one_of(sorted(MASKED)))]
    reason: Annotated[str, with_schema(line(REASON_LENGTH_MAX))]


class RevealedNumber(WireStruct, frozen=True):
    """The whole number."""

    value: str


class RevealedNumberRoutes(Controller):
    """Reveal masked numbers."""

    path = "/v2/users/{userId:str}/revealed-numbers"
    tags = ("Users",)

    @post(
        status_code=200,
        summary="Reveal a masked number",
        operation_id="users.revealNumber",
        is_read=True,
    )
    async def reveal(
        self,
        request: ApiRequest,
        userId: FromPath[str],
        data: JSONBody[NewReveal],
        revealed_numbers: NamedDependency[RevealedNumbers],
    ) -> RevealedNumber:
        """Returns one number, after writing who sees it and why to the audit log.

        For analysts, who see numbers masked. A key with no scope but `read` is refused.
        """
        wanted = copy_fields(data, RevealRequest, user_id=known_user(userId))
        return RevealedNumber(value=await revealed_numbers.reveal(request.user, wanted))
