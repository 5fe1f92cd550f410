from datetime import timedelta

import pytest

from landbridge.platform.core.errors import (
    FieldInvalid,
    KeyInvalid,
    ResourceNotFound,
    RoleNotAllowed,
)
from landbridge.platform.core.ids import new_id
from landbridge.platform.db.pool import Database
from landbridge.platform.http.caller import KeyScope, check_reviewer
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.platform.orgs.model import Mode, check_secret, digest, hint, new_secret
from landbridge.platform.orgs.service import AHEAD_MAX, Orgs
from tests.tenants import Tenant


async def test_secret_is_shown_once_and_not_stored(org: Tenant) -> None:
    key, secret = await org.container.orgs.create_key(org.org_id, " mine ", expires_at=None)
    assert key.name == "mine"
    assert key.hint == secret[-4:]
    (row,) = await org.container.database.rows(
        "select secret_hash, api_keys::text as whole from api_keys where id = $1", key.id
    )
    assert row["secret_hash"] == digest(secret)
    assert secret not in row["whole"]
    assert [each.name for each in await org.container.orgs.keys(org.org_id)] == ["test key", "mine"]


async def test_known_secret_is_left_unchanged(org: Tenant, other_org: Tenant) -> None:
    _, secret = await org.container.orgs.create_key(org.org_id, "a", expires_at=None)
    await org.container.orgs.create_key(other_org.org_id, "b", expires_at=None, secret=secret)
    assert (await org.container.orgs.authenticate(secret)).org_id == org.org_id
    assert len(await org.container.orgs.keys(other_org.org_id)) == 1


async def test_in_production_only_a_reviewer_key_may_review(
    org: Tenant, database: Database
) -> None:
    real = Orgs(database, org.container.clock, Mode.PRODUCTION)
    _, plain = await real.create_key(org.org_id, "plain", expires_at=None)
    _, made_for_it = await real.create_key(
        org.org_id, "b", expires_at=None, scopes=[KeyScope.REVIEW]
    )
    assert [key.can_review for key in await real.keys(org.org_id)] == [False, False, True]
    assert (await org.container.orgs.authenticate(plain)).can_review
    check_reviewer(await real.authenticate(made_for_it))
    with pytest.raises(RoleNotAllowed):
        check_reviewer(await real.authenticate(plain))


@pytest.mark.parametrize("name", ["", " ", "x" * 201, "a\nb", "a\x00b", "a\u2028b"])
async def test_names_are_one_line_of_1_to_200_characters(org: Tenant, name: str) -> None:
    with pytest.raises(FieldInvalid):
        await org.container.orgs.create(name)
    with pytest.raises(FieldInvalid):
        await org.container.orgs.create_key(org.org_id, name, expires_at=None)


async def test_revoking_twice_keeps_the_first_time(org: Tenant) -> None:
    orgs = org.container.orgs
    await orgs.revoke_key(org.org_id, org.caller.id)
    (first,) = await orgs.keys(org.org_id)
    await orgs.revoke_key(org.org_id, org.caller.id)
    assert list(await orgs.keys(org.org_id)) == [first]
    with pytest.raises(KeyInvalid):
        await orgs.authenticate(org.key)


async def test_key_of_another_organisation_cannot_be_revoked(
    org: Tenant, other_org: Tenant
) -> None:
    for key_id in (other_org.caller.id, new_id()):
        with pytest.raises(ResourceNotFound):
            await org.container.orgs.revoke_key(org.org_id, key_id)
    await other_org.get("/v2/ping")


async def test_last_use_never_goes_back(org: Tenant) -> None:
    await org.get("/v2/ping")
    await org.container.orgs.note_use()
    (first,) = await org.container.orgs.keys(org.org_id)
    await org.get("/v2/ping")
    await org.container.orgs.note_use()
    (second,) = await org.container.orgs.keys(org.org_id)
    assert first.last_used_at is not None
    assert second.last_used_at is not None
    assert second.last_used_at >= first.last_used_at


async def test_the_clock_moves_forward_only_and_at_most_a_century(org: Tenant) -> None:
    orgs = org.container.orgs
    assert await orgs.advance_clock(org.org_id, timedelta(seconds=5), actor="test") == timedelta(
        seconds=5
    )
    assert await orgs.advance_clock(org.org_id, timedelta(seconds=7), actor="test") == timedelta(
        seconds=12
    )
    assert await orgs.clock_offset(org.org_id) == timedelta(seconds=12)
    for by in (timedelta(seconds=-1), AHEAD_MAX, AHEAD_MAX + timedelta(seconds=1), timedelta.max):
        with pytest.raises(FieldInvalid):
            await orgs.advance_clock(org.org_id, by, actor="test")
    assert await orgs.advance_clock(org.org_id, timedelta(), actor="test") == timedelta(seconds=12)
    await orgs.advance_clock(org.org_id, AHEAD_MAX - timedelta(seconds=12), actor="test")
    with pytest.raises(FieldInvalid):
        await orgs.advance_clock(org.org_id, timedelta(seconds=1), actor="test")
    assert (await orgs.now(org.org_id)).year > 2100


@pytest.mark.one_commit(reason="a lane that is taken again is the next one")
async def test_each_process_takes_a_separate_clock_node(database: Database) -> None:
    nodes = [await take_node(database) for _ in range(3)]
    assert nodes == [nodes[0], nodes[0] + 1, nodes[0] + 2]


async def test_organisations_are_listed_oldest_first(org: Tenant, other_org: Tenant) -> None:
    everyone = [each.id for each in await org.container.orgs.all()]
    assert everyone.index(org.org_id) < everyone.index(other_org.org_id)


@pytest.mark.parametrize(
    ("mode", "prefix"), [("sandbox", "lb_sandbox_"), ("production", "lb_live_")]
)
def test_keys_show_their_purposes(mode: str, prefix: str) -> None:
    assert new_secret(Mode(mode)).startswith(prefix)
    assert len(new_secret(Mode(mode))) == len(prefix) + 43


def test_secrets_differ_and_hints_are_their_last_characters() -> None:
    created = {new_secret(Mode.SANDBOX) for _ in range(100)}
    assert len(created) == 100
    assert hint("abcdefgh") == "efgh"


@pytest.mark.parametrize("secret", ["", "a" * 23, "a" * 201, " " + "a" * 30, "é" * 30, "a\n" * 20])
def test_a_weak_or_odd_secret_is_refused(secret: str) -> None:
    with pytest.raises(ValueError, match="must"):
        check_secret(secret)


@pytest.mark.parametrize("secret", ["a" * 24, "0123" * 50, "a key with blanks and ~!@#$%"])
def test_any_24_to_200_printable_characters_are_a_key(secret: str) -> None:
    assert check_secret(secret) == secret
