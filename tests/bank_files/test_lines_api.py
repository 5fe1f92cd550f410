"""Lines that wait for a person, over HTTP: the queue, one line, and what was made of it."""

import asyncio
from collections.abc import Awaitable
from dataclasses import replace
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest

from landbridge.bank_files.line_model import LINE_MOVES, LineStatus, Resolution
from landbridge.core.errors import RoleNotAllowed
from landbridge.core.pages import Window
from tests.tenants import Tenant, sentence

from .incoming import make_bank_line

LINES = "/v2/reviews/bank-lines"
BODY = {"resolution": "NO_ACTION", "comment": "It was Ada's joke."}
OF_BOTH = {"transferId": str(UUID(int=1)), "depositId": str(UUID(int=2))}
# What else the resolutions take.
OF = {each: {} for each in Resolution} | {Resolution.REVERSAL: {"transferId": str(UUID(int=1))}}


async def test_a_line_is_shown_and_resolved(org: Tenant) -> None:
    line = await make_bank_line(org)
    page = await org.get(LINES)
    (shown,) = page["reviews"]
    assert shown == await org.get(f"{LINES}/{line}")
    assert (shown["kind"], shown["status"], shown["amount"]) == ("FILE", "UNMATCHED", None)
    assert (shown["currency"], shown["cameBack"]) == ("usd", False)
    assert shown["reason"].startswith("The file is neither")
    assert shown["told"]["fileName"] == "bad"
    resolved = await org.post(f"{LINES}/{line}/resolve", BODY)
    assert (resolved["status"], resolved["resolution"]) == ("RESOLVED", "NO_ACTION")
    assert (resolved["resolvedBy"], resolved["comment"]) == (org.caller.actor, BODY["comment"])
    assert resolved == await org.post(f"{LINES}/{line}/resolve", {**BODY, "comment": "again"})
    other = await org.refused("POST", f"{LINES}/{line}/resolve", {**BODY, "resolution": "HANDLED"})
    assert other == "409 RESOURCE_CONFLICT"
    assert (await org.get(LINES))["count"] == 0
    assert (await org.get(LINES, status="RESOLVED"))["reviews"] == [resolved]
    assert (await org.get(LINES, createdAfter=page["nextCursor"], status="RESOLVED"))["count"] == 0


async def test_what_was_written_is_sealed_and_goes_after_a_while(org: Tenant) -> None:
    line, house = await make_bank_line(org), org.house
    await org.post(f"{LINES}/{line}/resolve", BODY)
    rows = await house.database.rows(
        "select l::text as kept from bank_lines l where org_id = $1"
        " union all select c::text from changes c where org_id = $1 and object_id = $2",
        *(org.org_id, UUID(line)),
    )
    assert "joke" not in "".join(row["kept"] for row in rows)
    assert len(rows) == 3

    async def told(days: int) -> Any:
        await house.line_reviews.sweep({org.org_id: house.clock.now(timedelta(days=days))})
        return (await org.get(f"{LINES}/{line}"))["told"]

    assert await told(89) is not None
    assert await told(91) is None


async def test_of_many_who_resolve_one_does(org: Tenant) -> None:
    line = await make_bank_line(org)
    answers = await asyncio.gather(
        *(
            org.send("POST", f"{LINES}/{line}/resolve", {**BODY, "resolution": each, **OF[each]})
            for each in Resolution
        )
    )
    others = [409] * (len(Resolution) - 1)
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
async def test_what_is_told_wrongly_is_refused(org: Tenant, body: Any, why: str) -> None:
    line = await make_bank_line(org)
    answer = await org.send("POST", f"{LINES}/{line}/resolve", body)
    assert (answer.status_code, why in sentence(answer)) == (400, True)


async def test_it_takes_the_key_of_a_reviewer(org: Tenant) -> None:
    reviews, line = org.house.line_reviews, UUID(await make_bank_line(org))
    caller = replace(org.caller, can_review=False)
    window = Window(limit=1, after=None, before=None)
    asks: list[Awaitable[Any]] = [
        reviews.queue(caller, [LineStatus.UNMATCHED], window),
        reviews.get(caller, line),
        reviews.resolve(caller, line, Resolution.HANDLED, comment="x"),
    ]
    for each in asks:
        with pytest.raises(RoleNotAllowed):
            await each


@pytest.mark.parametrize("status", list(LineStatus))
def test_lines_end_matched_or_resolved(status: LineStatus) -> None:
    is_end = status in {LineStatus.MATCHED, LineStatus.RESOLVED}
    assert LINE_MOVES.is_terminal(status) == is_end
