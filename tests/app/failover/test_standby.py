"""The API beside a standby: it reads, refuses what writes, and begins to write on the promotion."""

import asyncio
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx2
import msgspec
import pytest

from landbridge.app.container import Container, open_container
from landbridge.platform.db.migrate import migrate
from landbridge.platform.db.pool import Database
from tests.app.failover.server_pair import ServerPair, replicated
from tests.app.processes.server_process import clean_environ, free_port
from tests.contract.resources import Things, make_things
from tests.contract.schema_requests import drawn, operations, send_request, values_for
from tests.dashboard.browsing import Visitor, visit
from tests.dashboard.world import World, build_with_linked_pages
from tests.tenants import (
    SETTINGS,
    SWAPS,
    Tenant,
    make_swap,
    make_tenant,
    make_user,
    served,
    swap_body,
)

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("processes")]

PATIENCE_S = 180.0
SENTENCE = "this server is read-only, because its database is a standby"
# A mail is shown with a line in the audit log.
WRITING_PAGES = frozenset({"mail"})
OLDER_SESSIONS = "update sessions set last_seen_at = last_seen_at - interval '5 minutes'"


@dataclass(frozen=True)
class Beside:
    """Two organisations on the primary, and the same on its standby."""

    org: Tenant
    copy: Tenant
    things: Things
    visitor: Visitor
    copied_visitor: Visitor
    world: World
    document: Mapping[str, Any]


@pytest.fixture(scope="module")
def pair() -> Generator[ServerPair]:
    with replicated() as servers:
        yield servers


@asynccontextmanager
async def api(dsn: str, **how: bool) -> AsyncGenerator[tuple[Container, httpx2.AsyncClient]]:
    settings = msgspec.structs.replace(SETTINGS, database_url=dsn)
    async with (
        open_container(settings, dsn, name="tests", **how) as container,
        served(container) as client,
    ):
        yield container, client


async def migrate_at(dsn: str) -> None:
    database = await Database.connect(dsn, name="tests", size_max=1)
    await migrate(database)
    await database.close()


@pytest.fixture(scope="module")
async def beside(pair: ServerPair) -> AsyncGenerator[Beside]:
    await migrate_at(pair.primary.dsn)
    async with api(pair.primary.dsn) as (container, client):
        org = await make_tenant(container, client)
        things = await make_things(org)
        other = await make_tenant(container, client)
        world = await build_with_linked_pages(other)
        visitor = await visit(other)
        async with api(pair.standby.dsn, reads_on_standby=True) as (copy, reading):
            yield Beside(
                org=org,
                copy=Tenant(copy, reading, org.caller, org.key),
                things=things,
                visitor=visitor,
                copied_visitor=replace(visitor, client=reading),
                world=world,
                document=(await reading.get("/openapi.json")).json(),
            )


async def test_a_standby_answers_every_get_as_its_primary(beside: Beside) -> None:
    count = 0
    for operation in operations(beside.document):
        if operation.method != "GET":
            continue
        for sent in drawn(operation, values_for(beside.document, operation, beside.things), 1):
            answers = [
                await send_request(each, operation, sent) for each in (beside.org, beside.copy)
            ]
            count += 1
            assert answers[0].status_code == answers[1].status_code, (operation, answers[1].text)
    assert count > 75


async def test_a_standby_shows_every_page_to_a_signed_in_member(
    beside: Beside, pair: ServerPair
) -> None:
    # When it was last used is due to be noted.
    pair.primary.query(OLDER_SESSIONS)
    for name, path in beside.world.pages().items():
        page = await beside.copied_visitor.open(path)
        expected = 503 if name in WRITING_PAGES else (await beside.visitor.open(path)).status
        assert page.status == expected, (name, page.text)


async def test_a_standby_refuses_what_writes_and_says_why(beside: Beside) -> None:
    counts: Counter[int] = Counter()
    for operation in operations(beside.document):
        if operation.method == "GET":
            continue
        for sent in drawn(operation, values_for(beside.document, operation, beside.things), 1):
            answer = await send_request(beside.copy, operation, sent)
            counts[answer.status_code] += 1
            if answer.status_code == 503:
                assert SENTENCE in answer.text, (operation, answer.text)
                assert int(answer.headers["Retry-After"]) > 0
    assert counts[503] > 50
    assert counts[500] == 0
    page = await beside.copied_visitor.send("/dashboard/sign-out")
    assert page.status == 503
    assert "This server is read-only at present. Nothing was changed." in page.text


async def test_a_standby_is_ready_for_reads_alone(beside: Beside) -> None:
    client = beside.copy.client
    assert (await client.get("/healthz")).status_code == 200
    answer = await client.get("/readyz")
    assert (answer.status_code, answer.json()["status"]) == (503, "not ready")
    answer = await client.get("/readyz?for=reads")
    assert (answer.status_code, answer.json()["status"]) == (200, "ready for reads")
    answer = await beside.org.client.get("/readyz?for=reads")
    assert (answer.status_code, answer.json()) == (200, {"status": "ready"})
    assert (await client.get("/readyz?for=writes")).status_code == 400


async def test_an_api_process_on_a_standby_begins_to_write_on_its_promotion(
    tmp_path: Path,
) -> None:
    with replicated() as pair:
        await migrate_at(pair.primary.dsn)
        async with api(pair.primary.dsn) as (container, client):
            org = await make_tenant(container, client)
            user = await make_user(org, funds="10")
            swap = await make_swap(org, user)
        refused = run(tmp_path, pair.standby.dsn, "worker")
        assert refused.returncode == 1
        assert "standby" in refused.stderr
        listed = run(tmp_path, pair.standby.dsn, "orgs", "list")
        assert str(org.org_id) in listed.stdout, listed.stderr
        with api_process(tmp_path, pair.standby.dsn) as (process, url):
            async with httpx2.AsyncClient(base_url=url, timeout=20) as client:
                standby = replace(org, client=client)
                await until(lambda: is_ready(client, "?for=reads"), process)
                found = await standby.get(f"{SWAPS}/{swap['id']}")
                assert found["transferDetails"]["id"] == swap["id"]
                body = swap_body(user, "1")
                assert (await standby.send("POST", SWAPS, body)).status_code == 503
                pair.primary.kill()
                assert (await standby.get(SWAPS))["data"]
                assert not await is_ready(client)
                pair.standby.promote()
                await until(lambda: is_ready(client), process)
                created = (await standby.post(SWAPS, body))["transferDetails"]
                accepted = await standby.post(f"{SWAPS}/{created['id']}/accept")
                assert accepted["transferDetails"]["id"] == created["id"]
            process.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(process.wait, PATIENCE_S) == 0


async def is_ready(client: httpx2.AsyncClient, query: str = "") -> bool:
    try:
        return (await client.get(f"/readyz{query}")).status_code == 200
    except httpx2.TransportError:
        return False


async def until(condition: Callable[[], Awaitable[bool]], process: "Process") -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not await condition():
            assert process.poll() is None
            await asyncio.sleep(0.05)


Process = subprocess.Popen[bytes]


@contextmanager
def api_process(folder: Path, dsn: str) -> Generator[tuple[Process, str]]:
    """Run `landbridge api` alone."""
    port = free_port()
    with (folder / "api.log").open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "landbridge", "api", "--port", str(port)],
            env=environ(folder, dsn),
            stdout=output,
            stderr=output,
        )
    try:
        yield process, f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()
        print((folder / "api.log").read_text())  # noqa: T201  shown if the test fails


def run(folder: Path, dsn: str, *command: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "landbridge", *command],
        env=environ(folder, dsn),
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )


def environ(folder: Path, dsn: str) -> dict[str, str]:
    assert SETTINGS.master_key is not None
    return clean_environ(
        database_url=dsn, master_key=SETTINGS.master_key, data_dir=str(folder), log_format="json"
    )
