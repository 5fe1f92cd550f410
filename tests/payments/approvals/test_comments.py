"""Comments of votes: one line, encrypted, erased with the user."""

import pytest

from landbridge.payments.approvals.model import VoteChoice
from landbridge.payments.approvals.service import forget
from landbridge.platform.core.errors import FieldInvalid
from tests.payments.approvals.flow import World, cast


@pytest.mark.parametrize("text", [None, "", "  "])
async def test_comment_is_optional(world: World, text: str | None) -> None:
    approval = await world.request_payment(world.key())
    (vote,) = (await world.voting.reject(world.member(), approval.id, text)).votes
    assert vote.comment is None


@pytest.mark.parametrize("text", ["a" * 1001, "two\nlines", "\x00", "\u200d"])
async def test_comment_is_one_readable_line(world: World, text: str) -> None:
    approval = await world.request_payment(world.key())
    for choice, field in ((VoteChoice.APPROVE, "comment"), (VoteChoice.REJECT, "reason")):
        with pytest.raises(FieldInvalid) as refused:
            await cast(world, world.member(), approval.id, choice, text)
        assert refused.value.field == field
    longest = "ü" * 1000
    (vote,) = (await world.voting.approve(world.member(), approval.id, longest)).votes
    assert vote.comment == longest


async def test_comment_is_encrypted_and_erased_with_the_user(world: World) -> None:
    approval = await world.request_payment(world.key())
    await world.voting.reject(world.member(), approval.id, "Ada Canary moved abroad")
    for table in ("approval_votes", "approvals", "changes", "transfers"):
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
    assert (vote.choice, vote.comment) == (VoteChoice.REJECT, None)


async def test_comment_on_an_erased_user_is_not_stored(world: World) -> None:
    approval = await world.request_payment(world.key())
    vault = world.voting.vault
    await world.database.transact(lambda tx: vault.destroy(tx, world.org_id, [world.user_id]))
    await world.voting.approve(world.member(), approval.id, "said")
    (vote,) = (await world.again(approval)).votes
    assert vote.comment is None
