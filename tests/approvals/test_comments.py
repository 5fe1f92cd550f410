"""What is said with a vote: one line, sealed, gone with the user."""

import pytest

from landbridge.approvals.model import Choice
from landbridge.approvals.service import forget
from landbridge.core.errors import (
    FieldInvalid,
)
from tests.approvals.flow import World, cast


@pytest.mark.parametrize("text", [None, "", "  "])
async def test_nothing_needs_to_be_said(world: World, text: str | None) -> None:
    approval = await world.ask(world.key())
    (vote,) = (await world.voting.reject(world.member(), approval.id, text)).votes
    assert vote.comment is None


@pytest.mark.parametrize("text", ["a" * 1001, "two\nlines", "\x00", "\u200d"])
async def test_what_is_said_is_one_readable_line(world: World, text: str) -> None:
    approval = await world.ask(world.key())
    for choice, field in ((Choice.APPROVE, "comment"), (Choice.REJECT, "reason")):
        with pytest.raises(FieldInvalid) as refused:
            await cast(world, world.member(), approval.id, choice, text)
        assert refused.value.field == field
    longest = "ü" * 1000
    (vote,) = (await world.voting.approve(world.member(), approval.id, longest)).votes
    assert vote.comment == longest


async def test_what_was_said_is_sealed_and_goes_with_the_user(world: World) -> None:
    approval = await world.ask(world.key())
    await world.voting.reject(world.member(), approval.id, "Ada Canary moved abroad")
    for table in ("votes", "approvals", "changes", "transfers"):
        rows = await world.database.rows(
            f"select t::text as whole from {table} t where org_id = $1",  # noqa: S608  the four above
            world.org_id,
        )
        whole = "\n".join(row["whole"] for row in rows)
        assert rows
        assert "Canary" not in whole
        assert b"Canary".hex() not in whole
    await world.database.transact(
        lambda tx: forget(tx, world.org_id, world.user_id, world.clock.stamp())
    )
    (vote,) = (await world.again(approval)).votes
    assert (vote.choice, vote.comment) == (Choice.REJECT, None)


async def test_a_comment_on_somebody_who_is_erased_is_not_kept(world: World) -> None:
    approval = await world.ask(world.key())
    vault = world.voting.vault
    await world.database.transact(lambda tx: vault.destroy(tx, world.org_id, [world.user_id]))
    await world.voting.approve(world.member(), approval.id, "said")
    (vote,) = (await world.again(approval)).votes
    assert vote.comment is None
