"""Common behaviour of the storage adapters, and the specifics of each."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from shutil import disk_usage
from threading import Event
from typing import Any

import boto3
import pytest
from moto.server import ThreadedMotoServer

from landbridge.platform.core.errors import Unavailable
from landbridge.platform.core.ids import new_id
from landbridge.platform.files.disk import Disk
from landbridge.platform.files.s3 import S3, check_url
from landbridge.platform.files.storage import Storage, StorageKey, StorageThreads

BUCKET = "test-files"
CONTENT = os.urandom(200_000)


def new_place() -> StorageKey:
    return StorageKey(new_id(), new_id())


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    """S3-compatible store on a local port."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    yield f"http://{host}:{port}"
    server.stop()


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.delenv("AWS_DEFAULT_REGION", raising=False)
    monkeypatch.delenv("AWS_REGION", raising=False)


@pytest.fixture
def bucket(endpoint: str, credentials: None) -> Any:
    """Bucket, accessed with its owner's credentials."""
    untyped: Any = boto3
    store = untyped.resource("s3", endpoint_url=endpoint, region_name="us-east-1")
    return store.create_bucket(Bucket=BUCKET)


@pytest.fixture(params=["disk", "s3"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    if request.param == "disk":
        return Disk(tmp_path / "files")
    request.getfixturevalue("bucket")
    endpoint: str = request.getfixturevalue("endpoint")
    return S3(f"s3://{BUCKET}/some/prefix", endpoint=endpoint)


async def test_stored_content_is_returned(storage: Storage) -> None:
    key = new_place()
    await storage.put(key, CONTENT)
    assert await storage.get(key) == CONTENT


async def test_storing_again_replaces(storage: Storage) -> None:
    key = new_place()
    await storage.put(key, CONTENT)
    await storage.put(key, b"other")
    await storage.put(key, b"other")
    assert await storage.get(key) == b"other"


async def test_missing_content_is_none(storage: Storage) -> None:
    assert await storage.get(new_place()) is None


async def test_deletion_leaves_nothing_and_can_be_repeated(storage: Storage) -> None:
    key, other = new_place(), new_place()
    await storage.put(key, CONTENT)
    await storage.put(other, b"other")
    await storage.delete(key)
    await storage.delete(key)
    assert await storage.get(key) is None
    assert await storage.get(other) == b"other"


async def test_organisations_have_separate_paths(storage: Storage) -> None:
    one = new_place()
    other = StorageKey(new_id(), one.file_id)
    await storage.put(one, b"one")
    assert await storage.get(other) is None


async def test_objects_are_below_the_prefix(storage: Storage, request: Any) -> None:
    if isinstance(storage, S3):
        key = new_place()
        await storage.put(key, b"one")
        names = [each.key for each in request.getfixturevalue("bucket").objects.all()]
        assert f"some/prefix/{key.path}" in names


async def test_unresponsive_store_is_unavailable(credentials: None) -> None:
    storage = S3(f"s3://{BUCKET}", endpoint="http://127.0.0.1:9")
    with pytest.raises(Unavailable, match="EndpointConnectionError"):
        await storage.get(new_place())


async def test_refusing_store_is_unavailable(endpoint: str, credentials: None) -> None:
    storage = S3("s3://no-such-bucket", endpoint=endpoint)
    for call in (storage.put(new_place(), b"x"), storage.get(new_place())):
        with pytest.raises(Unavailable, match="NoSuchBucket"):
            await call


async def test_hanging_store_stops_no_other_threads() -> None:
    threads, is_over = StorageThreads(), Event()
    hanging = [asyncio.create_task(threads.run(is_over.wait)) for _ in range(100)]
    await asyncio.sleep(0.05)
    assert await asyncio.wait_for(asyncio.to_thread(lambda: "compared"), 5) == "compared"
    is_over.set()
    assert all(await asyncio.gather(*hanging))


async def test_disk_files_are_private_and_leave_no_drafts(tmp_path: Path) -> None:
    storage, key = Disk(tmp_path / "data" / "files"), new_place()
    await storage.put(key, CONTENT)
    created = _below(tmp_path)
    assert [each for each in created if each.is_file()] == [tmp_path / "data/files" / key.path]
    assert {each.stat().st_mode & 0o777 for each in created} == {0o700, 0o600}


async def test_crash_during_a_write_keeps_the_old_content(tmp_path: Path) -> None:
    storage, key = Disk(tmp_path), new_place()
    await storage.put(key, b"before")
    whole = tmp_path / key.path
    draft = whole.with_name(f".{whole.name}.draft")
    draft.write_bytes(b"hal")
    assert await storage.get(key) == b"before"
    await storage.put(key, b"after")
    assert await storage.get(key) == b"after"
    draft.write_bytes(b"hal")
    await storage.delete(key)
    assert not [each for each in _below(tmp_path) if each.is_file()]


async def test_unwritable_disk_is_unavailable(tmp_path: Path) -> None:
    (tmp_path / "files").write_bytes(b"in the way")
    with pytest.raises(Unavailable, match="the folder of files: Not a directory"):
        await Disk(tmp_path / "files").put(new_place(), b"x")


@pytest.mark.parametrize("url", ["s3://bucket", "s3://bucket/", "s3://bucket/a/b"])
def test_urls_of_buckets(url: str) -> None:
    check_url(url)


@pytest.mark.parametrize("url", ["bucket", "s3:", "s3://", "https://a/b", "s3://a?b", "s3://a@b/c"])
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(ValueError, match="must be s3://bucket"):
        check_url(url)


def _below(folder: Path) -> list[Path]:
    return list(folder.rglob("*"))


async def test_space_of_the_disk_is_left_to_the_database(tmp_path: Path) -> None:
    key, free = new_place(), disk_usage(tmp_path).free
    await Disk(tmp_path).put(key, b"x")
    full = Disk(tmp_path, free_bytes_min=2 * free)
    with pytest.raises(Unavailable, match="No space left"):
        await full.put(new_place(), b"x")
    assert await full.get(key) == b"x"
    await full.delete(key)
    assert await full.get(key) is None
