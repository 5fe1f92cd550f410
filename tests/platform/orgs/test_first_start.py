"""First start: one organisation with a key, whatever happens."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from landbridge.app.bootstrap import FIRST_ORG, prepare
from landbridge.app.settings import Settings
from landbridge.platform.core.clock import Clock
from landbridge.platform.core.errors import LandbridgeError
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.model import KeyState, Mode
from landbridge.platform.orgs.service import Orgs

PRESET = "lb_sandbox_preset-for-tests-01"


@pytest.fixture
def orgs(own_database: Database) -> Orgs:
    return Orgs(own_database, Clock(node=7), Mode.SANDBOX)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(data_dir=str(tmp_path))


@pytest.mark.long
async def test_concurrent_starts_create_one_organisation_with_one_key(
    own_dsn: str, orgs: Orgs, settings: Settings
) -> None:
    began = await asyncio.gather(*(prepare(settings, own_dsn) for _ in range(5)))
    (org,) = await orgs.all()
    assert org.name == FIRST_ORG
    (key,) = await orgs.keys(org.id)
    (secret,) = (each.new_key for each in began if each.new_key is not None)
    assert (await orgs.authenticate(secret)).key_id == key.id
    assert (await prepare(settings, own_dsn)).new_key is None


async def test_organisation_without_a_key_gets_one(
    own_dsn: str, orgs: Orgs, settings: Settings
) -> None:
    org = await orgs.create("Acme")
    secret = (await prepare(settings, own_dsn)).new_key
    assert secret is not None
    assert (await orgs.authenticate(secret)).org_id == org.id
    assert len(await orgs.all()) == 1


async def test_revoked_preset_stays_revoked_and_is_not_replaced(own_dsn: str, orgs: Orgs) -> None:
    settings = Settings(data_dir="unused", master_key="A" * 43 + "=", api_key=PRESET)
    assert (await prepare(settings, own_dsn)).new_key is None
    (org,) = await orgs.all()
    (key,) = await orgs.keys(org.id)
    await orgs.revoke_key(org.id, key.id)
    again = await prepare(settings, own_dsn)
    assert (again.new_key, again.is_preset_ours) == (None, True)
    (key,) = await orgs.keys(org.id)
    assert key.revoked_at is not None


async def test_preset_of_another_organisation_stays_theirs(
    own_dsn: str, orgs: Orgs, settings: Settings
) -> None:
    first, second = await orgs.create("First"), await orgs.create("Second")
    await orgs.create_key(second.id, "theirs", expires_at=None, secret=PRESET)
    began = await prepare(Settings(data_dir=settings.data_dir, api_key=PRESET), own_dsn)
    assert not began.is_preset_ours
    assert began.new_key is not None
    assert (await orgs.authenticate(PRESET)).org_id == second.id
    assert (await orgs.authenticate(began.new_key)).org_id == first.id


async def test_failure_half_way_leaves_nothing(orgs: Orgs) -> None:
    with pytest.raises(LandbridgeError):
        await orgs.begin("Acme", preset_name="", preset=PRESET)
    assert not await orgs.all()


async def test_key_of_a_known_secret_is_the_stored_one(orgs: Orgs) -> None:
    org = await orgs.create("Acme")
    created, secret = await orgs.create_key(org.id, "one", expires_at=None)
    again, _ = await orgs.create_key(org.id, "two", expires_at=None, secret=secret)
    assert again == created


async def test_a_key_is_active_expired_or_revoked(orgs: Orgs) -> None:
    org = await orgs.create("Acme")
    at = Clock(node=7).now()
    await orgs.create_key(org.id, "brief", expires_at=at)
    await orgs.create_key(org.id, "lasting", expires_at=None)
    brief, lasting = await orgs.keys(org.id)
    assert (brief.state(at), lasting.state(at)) == (KeyState.EXPIRED, KeyState.ACTIVE)
    assert brief.state(at - timedelta(seconds=1)) is KeyState.ACTIVE
    await orgs.revoke_key(org.id, brief.id)
    assert (await orgs.keys(org.id))[0].state(at) is KeyState.REVOKED
