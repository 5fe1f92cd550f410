"""Statement lines in manual review over HTTP: the queue, a single line, and its resolution."""

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.payments.bank_files.statement_line_model import (
    LineResolutionKind,
    StatementLineStatus,
)
from landbridge.platform.core.errors import RoleNotAllowed
from landbridge.platform.core.pagination import queue_window
from tests.payments.bank_files.inbound_files import make_bank_line
from tests.tenants import Tenant, sentence

LINES = "/v2/reviews/bank-lines"
BODY = {"resolution": "NO_ACTION", "comment": "It was Ada's joke."}
OF_BOTH = {"transferId": str(UUID(int=1)), "depositId": str(UUID(int=2))}
# Further fields of resolutions.
OF = {each: {} for each in LineResolutionKind} | {
    LineResolutionKind.REVERSAL: {"transferId": str(UUID(int=1))}
}


async def test_a_line_is_shown_and_resolved(org: Tenant) -> None:
    line = await make_bank_line(org)
    page = await org.get(LINES)
    (shown,) = page["reviews"]
    assert shown == await org.get(f"{LINES}/{line}")
    assert (shown["kind"], shown["status"], shown["amount"]) == ("FILE", "UNMATCHED", None)
    assert (shown["currency"], shown["returned"]) == ("usd", False)
    assert shown["reason"].startswith("The file is neither")
    assert shown["statementText"]["fileName"] == "bad"
    resolved = await org.post(f"{LINES}/{line}/resolve", BODY)
    assert (resolved["status"], resolved["resolution"]) == ("RESOLVED", "NO_ACTION")
    assert (resolved["resolvedBy"], resolved["comment"]) == (org.caller.actor, BODY["comment"])
    assert resolved == await org.post(f"{LINES}/{line}/resolve", {**BODY, "comment": "again"})
    other = await org.refused("POST", f"{LINES}/{line}/resolve", {**BODY, "resolution": "HANDLED"})
    assert other == "409 RESOURCE_CONFLICT"
    assert (await org.get(LINES))["count"] == 0
    assert (await org.get(LINES, status="RESOLVED"))["reviews"] == [resolved]
    assert (await org.get(LINES, cursor=page["nextCursor"], status="RESOLVED"))["count"] == 0


async def test_bank_texts_are_encrypted_and_deleted_after_their_retention(org: Tenant) -> None:
    line, container = await make_bank_line(org), org.container
    await org.post(f"{LINES}/{line}/resolve", BODY)
    rows = await container.database.rows(
        "select l::text as kept from statement_lines l where org_id = $1"
        " union all select c::text from changes c where org_id = $1 and object_id = $2",
        *(org.org_id, UUID(line)),
    )
    assert "joke" not in "".join(row["kept"] for row in rows)
    assert len(rows) == 3

    async def statement_text(days: int) -> Any:
        await container.statement_line_reviews.sweep(
            {org.org_id: container.clock.now(timedelta(days=days))}
        )
        return (await org.get(f"{LINES}/{line}"))["statementText"]

    assert await statement_text(89) is not None
    assert await statement_text(91) is None


async def test_concurrent_resolutions_have_one_winner(org: Tenant) -> None:
    line = await make_bank_line(org)
    answers = await asyncio.gather(
        *(
            org.send("POST", f"{LINES}/{line}/resolve", {**BODY, "resolution": each, **OF[each]})
            for each in LineResolutionKind
        )
    )
    others = [409] * (len(LineResolutionKind) - 1)
    assert sorted(each.status_code for each in answers) == [200, *others]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"resolution": "NO_ACTION"}, "comment"),
        ({"resolution": "NO_ACTION", "comment": " "}, "comment"),
        ({"resolution": "NO_ACTION", "comment": "x" * 2001}, "comment"),
        ({"resolution": "PAID", "comment": "x"}, "resolution"),
        ({"comment": "x"}, "resolution"),
        ({"resolution": "REVERSAL", "comment": "x"}, "transferId"),
        ({"resolution": "REVERSAL", "comment": "x", **OF_BOTH}, "transferId"),
        ({"resolution": "RETURN", "comment": "x", "depositId": str(UUID(int=1))}, "REVERSAL"),
    ],
)
async def test_invalid_resolutions_are_rejected(org: Tenant, body: Any, why: str) -> None:
    line = await make_bank_line(org)
    answer = await org.send("POST", f"{LINES}/{line}/resolve", body)
    assert (answer.status_code, why in sentence(answer)) == (400, True)


async def test_a_frozen_organisation_resolves_no_lines(org: Tenant) -> None:
    line = await make_bank_line(org)
    await org.container.orgs.freeze(org.org_id, reason="why")
    assert await org.refused("POST", f"{LINES}/{line}/resolve", BODY) == "403 PROFILE_FROZEN"
    assert (await org.get(f"{LINES}/{line}"))["status"] == "UNMATCHED"


async def test_lines_require_a_reviewer_key(org: Tenant) -> None:
    reviews, line = org.container.statement_line_reviews, UUID(await make_bank_line(org))
    caller = replace(org.caller, can_review=False)
    window = queue_window(1)
    calls: list[Awaitable[Any]] = [
        reviews.queue(caller, [StatementLineStatus.UNMATCHED], window),
        reviews.get(caller, line),
        reviews.resolve(caller, line, LineResolutionKind.HANDLED, comment="x"),
    ]
    for each in calls:
        with pytest.raises(RoleNotAllowed):
            await each
