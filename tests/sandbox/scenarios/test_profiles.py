"""`landbridge login`: keys by name in a file of their owner, after a request has succeeded."""

import asyncio
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from click.testing import CliRunner, Result

from landbridge.sandbox.scenarios import profiles
from landbridge.sandbox.scenarios.client import ScenarioFailed
from landbridge.sandbox.scenarios.commands import login
from landbridge.sandbox.scenarios.profiles import Profile, ProfileInvalid, ProfileStore

KEY = "lb_sandbox_a-key-for-the-profiles-1234"


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ProfileStore:
    monkeypatch.delenv(profiles.KEY, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return ProfileStore.of_user()


async def _log_in(*arguments: str, key: str = KEY) -> Result:
    async def ping(request: web.Request) -> web.Response:
        if request.headers["Authorization"] != f"Bearer {KEY}":
            return web.json_response({"errorDetails": "there is no such key"}, status=401)
        return web.json_response({"message": "pong"})

    application = web.Application()
    application.router.add_get("/v2/ping", ping)
    async with TestServer(application) as server:
        given = ["--api-url", str(server.make_url("")), *arguments]
        return await asyncio.to_thread(CliRunner().invoke, login, given, input=f"{key}\n")


async def test_key_is_kept_for_its_owner_alone(store: ProfileStore) -> None:
    done = await _log_in("--profile", "staging")
    assert done.exit_code == 0, done.output
    assert KEY not in done.output
    found = store.find("staging")
    assert found is not None
    assert found.key == KEY
    assert stat.S_IMODE(store.file.stat().st_mode) == 0o600
    assert store.find(profiles.DEFAULT) is None


async def test_wrong_key_is_not_kept(store: ProfileStore) -> None:
    done = await _log_in(key="another-key-of-nobody-1234567")
    assert isinstance(done.exception, ScenarioFailed)
    assert not store.file.exists()


async def test_removed_profile_is_gone(store: ProfileStore) -> None:
    await _log_in()
    await _log_in("--profile", "other")
    assert CliRunner().invoke(login, ["--remove"]).exit_code == 0
    assert store.find(profiles.DEFAULT) is None
    assert store.find("other") is not None
    again = CliRunner().invoke(login, ["--remove"])
    assert isinstance(again.exception, ProfileInvalid)


@pytest.mark.parametrize("name", ["", "Staging", "a b", "../x", "a" * 41])
def test_names_are_plain(store: ProfileStore, name: str) -> None:
    with pytest.raises(ProfileInvalid, match="small letters"):
        store.save(name, Profile(profiles.URL, KEY))


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b'{"default": {"key": 1}}', b"\xff"])
def test_broken_file_is_named(store: ProfileStore, content: bytes) -> None:
    store.file.parent.mkdir(parents=True)
    store.file.write_bytes(content)
    with pytest.raises(ProfileInvalid, match=r"profiles\.json can't be read"):
        profiles.choose(None, None)


def test_environment_comes_before_the_default_profile(
    store: ProfileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.save(profiles.DEFAULT, Profile("http://127.0.0.1:1", "of the profile"))
    store.save("named", Profile("http://127.0.0.1:2", "of the named one"))
    assert profiles.choose(None, None) == Profile("http://127.0.0.1:1", "of the profile")
    assert profiles.choose(None, "http://127.0.0.1:3").api_url == "http://127.0.0.1:3"
    monkeypatch.setenv(profiles.KEY, "of the environment")
    assert profiles.choose(None, None) == Profile(profiles.URL, "of the environment")
    assert profiles.choose("named", None) == Profile("http://127.0.0.1:2", "of the named one")


def test_missing_profiles_are_named() -> None:
    with pytest.raises(ProfileInvalid, match="landbridge login --profile staging"):
        profiles.choose("staging", None)
    with pytest.raises(ProfileInvalid, match="LANDBRIDGE_API_KEY"):
        profiles.choose(None, None)


def test_address_of_the_client_libraries_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(profiles.KEY, KEY)
    monkeypatch.setenv(profiles.URL_VARIABLE, "http://127.0.0.1:4")
    assert profiles.choose(None, None) == Profile("http://127.0.0.1:4", KEY)
    assert profiles.choose(None, "http://127.0.0.1:5").api_url == "http://127.0.0.1:5"


def test_concurrent_logins_keep_each_profile(store: ProfileStore) -> None:
    names = [f"profile-{number}" for number in range(40)]

    def keep(name: str) -> None:
        store.save(name, Profile(profiles.URL, KEY))

    with ThreadPoolExecutor(8) as threads:
        list(threads.map(keep, names))
    assert [name for name in names if store.find(name) is None] == []
