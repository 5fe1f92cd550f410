"""`landbridge serve` as a person runs it, and as the out-of-memory killer treats it."""

import asyncio
import os
import resource
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from landbridge.app.serve import own_url
from landbridge.app.settings import Settings
from landbridge.platform.db.pool import Database, Tx
from tests.app.processes.server_process import (
    KEY,
    NOBODY,
    PATIENCE_S,
    Served,
    free_port,
    fund,
    landbridge,
    make_user,
    served,
    swap_body,
)

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("processes")]


def test_serve_settles_swaps_and_the_ledger_balances_meanwhile(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        user = make_user(server)
        fund(server, user, "100")
        _, swap = server.call("POST", "/v2/wallets/swaps", swap_body(user, "10"))
        path = f"/v2/wallets/swaps/{swap['transferDetails']['id']}"
        status, done = server.call("POST", f"{path}/accept")
        assert (status, done["transferDetails"]["status"]) == (200, "COMPLETED")

        checked = landbridge("check", folder=tmp_path)
        assert checked.returncode == 0, checked.stdout
        assert "every journal sums to zero" in checked.stdout

        created = landbridge("orgs", "create", "--name", "Second", folder=tmp_path)
        assert created.stdout.splitlines()[-1].startswith("lb_sandbox_")


@pytest.mark.long
def test_server_processes_raise_their_open_file_limit(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, hard))
    try:
        with served(tmp_path) as server:
            for name in ("worker", "api"):
                most, _ = resource.prlimit(server.child(name), resource.RLIMIT_NOFILE)
                assert most == min(hard, 65_536)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


@pytest.mark.long
def test_killed_processes_restart_without_losing_acknowledged_data(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        user = make_user(server)
        fund(server, user)
        bodies = [swap_body(user) for _ in range(4)]
        _, first = server.call("POST", "/v2/wallets/swaps", bodies[0])
        for name, index in (("worker", 1), ("api", 2), ("postgres", 3)):
            pid = server.postmaster() if name == "postgres" else server.child(name)
            os.kill(pid, signal.SIGKILL)
            _await_another(server, name, pid)
            server.await_well()
            status, swap = server.call("POST", "/v2/wallets/swaps", bodies[index])
            assert status == 200, swap
        path = f"/v2/wallets/swaps/{first['transferDetails']['id']}"
        assert server.call("GET", path)[1]["transferDetails"]["status"] == "OPEN_QUOTE"
        assert server.call("GET", "/v2/wallets/swaps")[1]["count"] == 4
        assert landbridge("check", folder=tmp_path).returncode == 0


@pytest.mark.long
def test_next_start_adopts_the_database_of_a_killed_server(tmp_path: Path) -> None:
    server = Served(tmp_path, settings={"api_key": KEY}).start()
    user = make_user(server)
    postmaster = server.postmaster()
    orphans = [pid for pid, args in server.children().items() if " landbridge " in args]
    os.kill(server.pid, signal.SIGKILL)
    assert server.process is not None
    server.process.wait()
    _await_gone(orphans)

    with served(tmp_path) as again:
        assert again.postmaster() == postmaster
        assert again.call("GET", f"/v2/users/{user}")[0] == 200


@pytest.mark.long
def test_stop_under_load_answers_every_accepted_request(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        user = make_user(server)
        fund(server, user)
        acknowledged: list[str] = []
        other: list[tuple[int, Exception | None]] = []
        is_over = threading.Event()

        def create() -> None:
            while not is_over.is_set():
                body = swap_body(user)
                status, swap = server.call("POST", "/v2/wallets/swaps", body)
                if status == 200:
                    acknowledged.append(swap["transferDetails"]["id"])
                elif status != NOBODY:
                    other.append((status, server.last_error))

        callers = [threading.Thread(target=create) for _ in range(4)]
        for each in callers:
            each.start()
        # Some requests are in progress at the stop signal, however slow they are.
        deadline = time.monotonic() + PATIENCE_S
        while len(acknowledged) <= 10 and time.monotonic() < deadline:
            time.sleep(0.1)
        server.stop()
        is_over.set()
        for each in callers:
            each.join()
        assert len(acknowledged) > 10
        assert not other, other
    with served(tmp_path) as server:
        for swap_id in acknowledged:
            status, _ = server.call("GET", f"/v2/wallets/swaps/{swap_id}")
            assert status == 200, server.last_error


@pytest.mark.long
def test_two_servers_on_one_directory_are_refused_with_a_sentence(tmp_path: Path) -> None:
    with served(tmp_path) as server:
        second = landbridge("serve", "--port", str(free_port()), folder=tmp_path)
        assert second.returncode == 1
        assert str(server.pid) in second.stderr
        assert len(second.stderr.strip().splitlines()) == 1


@pytest.mark.long
def test_first_start_without_a_preset_prints_a_key_once(tmp_path: Path) -> None:
    output = _run_for_a_moment(tmp_path)
    keys = [line.strip() for line in output.splitlines() if line.strip().startswith("lb_sandbox_")]
    assert len(keys) == 1
    assert "lb_sandbox_" not in _run_for_a_moment(tmp_path)


def test_occupied_port_stops_the_start_with_a_message(tmp_path: Path) -> None:
    with served(tmp_path / "one") as server:
        other = landbridge("serve", "--port", str(server.port), folder=tmp_path / "two")
        assert other.returncode == 1
        assert f"127.0.0.1:{server.port}" in other.stderr
        # Nothing was created, so the next successful start creates and shows the key.
        assert not (tmp_path / "two").exists()
    assert "lb_sandbox_" in _run_for_a_moment(tmp_path / "two")


@pytest.mark.long
def test_stop_during_the_start_exits_cleanly(tmp_path: Path) -> None:
    for words in ("Starting PostgreSQL", "makes its data directory"):
        server = Served(tmp_path / words.split()[0])
        server.begin()
        server.await_output(words)
        output = server.stop()
        assert server.process is not None
        assert server.process.returncode == 0, output
        assert "Stopped before" in output
        assert "Traceback" not in output
        assert not (server.folder / "postgres" / "data" / "postmaster.pid").exists()
        assert landbridge("migrate", folder=server.folder).returncode == 0


@pytest.mark.long
async def test_stop_while_waiting_for_the_database_is_prompt(
    own_dsn: str, own_database: Database, tmp_path: Path
) -> None:
    server = Served(tmp_path, settings={"database_url": own_dsn})

    async def is_waiting() -> bool:
        found = await own_database.rows(
            "select from pg_stat_activity where application_name = 'landbridge start'"
            " and wait_event_type = 'Lock' and datname = current_database()"
        )
        return bool(found)

    async def work(tx: Tx) -> float:
        await tx.execute("lock table migrations in access exclusive mode")
        server.begin()
        while not await is_waiting():
            assert server.process is not None
            assert server.process.poll() is None, server.output.read_text()
            await asyncio.sleep(0.05)
        began = time.monotonic()
        await asyncio.to_thread(server.stop)
        return time.monotonic() - began

    # A process that needed the lock would wait for ten seconds.
    assert await own_database.transact(work) < 9
    assert server.process is not None
    assert server.process.returncode == 0
    assert server.output.read_text().splitlines() == [
        "Preparing the database ...",
        "Stopped before everything was up.",
    ]


@pytest.mark.long
def test_proxy_in_the_environment_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with served(tmp_path / "served") as server:
        server.await_output("serves on")
    simulated = landbridge("demo", folder=tmp_path / "demo")
    assert simulated.returncode == 0, simulated.stderr


@pytest.mark.long
async def test_sandbox_on_an_external_database_creates_its_key_once(
    own_dsn: str, own_database: Database, tmp_path: Path
) -> None:
    with served(tmp_path / "one", database_url=own_dsn) as server:
        await asyncio.to_thread(make_user, server)
        assert (server.folder / "master.key").stat().st_mode & 0o777 == 0o600
    # Another directory has no key, and a new one would not decrypt the data.
    second = ("serve", "--port", str(free_port()))
    other = landbridge(*second, folder=tmp_path / "two", database_url=own_dsn)
    assert other.returncode == 1
    assert "LANDBRIDGE_MASTER_KEY" in other.stderr
    assert not (tmp_path / "two").exists()


@pytest.mark.long
@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8080"),
        ("0.0.0.0", "http://127.0.0.1:8080"),  # noqa: S104  what somebody may set
        ("::", "http://[::1]:8080"),
        ("::1", "http://[::1]:8080"),
        ("10.1.2.3", "http://10.1.2.3:8080"),
        ("pay.internal", "http://pay.internal:8080"),
    ],
)
def test_printed_address_can_be_used(host: str, url: str) -> None:
    assert own_url(Settings(host=host)) == url


def _run_for_a_moment(folder: Path) -> str:
    """Run `serve` without settings until it is healthy, and stop it; return its output."""
    server = Served(folder).start()
    server.await_output("serves on")
    return server.stop()


def _await_another(server: Served, name: str, pid: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        try:
            now = server.postmaster() if name == "postgres" else server.child(name)
        except (StopIteration, OSError, IndexError, ValueError):
            now = pid
        if now not in {pid, -1} and now > 1:
            return
        time.sleep(0.1)
    raise AssertionError(f"{name} was not started again")


def _await_gone(pids: list[int]) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        if not any(Path(f"/proc/{pid}").exists() for pid in pids):
            return
        time.sleep(0.1)
    raise AssertionError("API or worker outlived their supervisor")


@pytest.mark.long
def test_created_key_is_printed_before_anything_else_can_fail(own_dsn: str, tmp_path: Path) -> None:
    server = Served(tmp_path, settings={"database_url": own_dsn}).start()
    server.await_output("serves on")
    output = server.stop()
    assert output.index("lb_sandbox_") < output.index("serves on")


@pytest.mark.long
def test_first_start_reports_each_step_and_what_comes_next(tmp_path: Path) -> None:
    output = _run_for_a_moment(tmp_path)
    steps = (
        "Starting PostgreSQL",
        "makes its data directory",
        "Preparing the database",
        "Migrated the database",
        "Your API key",
        "Sign in at",
        "Starting the API and the worker",
        "serves on",
        "/docs",
        "Dashboard: ",
        "Try: curl ",
        "Stop with Ctrl-C",
    )
    positions = [output.index(each) for each in steps]
    assert positions == sorted(positions), output
    # Only the first start has all of it to say.
    again = _run_for_a_moment(tmp_path)
    assert "serves on" in again
    assert "Migrated the database" not in again
    assert "Try: curl " not in again


def test_directory_writable_by_others_is_refused(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    done = landbridge("serve", "--port", str(free_port()), folder=tmp_path)
    assert done.returncode == 1
    assert "chmod go-w" in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.long
def test_temporary_files_of_a_killed_server_are_removed(
    own_dsn: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    monkeypatch.setenv("TMPDIR", str(temporary))
    first = Served(tmp_path / "one", settings={"database_url": own_dsn}).start()
    orphans = list(first.children())
    os.kill(first.pid, signal.SIGKILL)
    assert first.process is not None
    first.process.wait()
    _await_gone(orphans)
    assert len(list(temporary.iterdir())) == 1
    with served(tmp_path / "one", database_url=own_dsn):
        assert len(list(temporary.iterdir())) == 1
    assert not list(temporary.iterdir())


@pytest.mark.long
def test_database_keeps_the_mode_of_its_first_start(own_dsn: str, tmp_path: Path) -> None:
    key = "bGFuZGJyaWRnZSB0ZXN0cyBvbmx5IC0gMzIgYnl0ZXM="

    def run(*args: str, mode: str) -> "subprocess.CompletedProcess[str]":
        data_dir = str(tmp_path)
        return landbridge(*args, database_url=own_dsn, master_key=key, data_dir=data_dir, mode=mode)

    assert run("orgs", "create", "--name", "A", mode="sandbox").returncode == 0
    for command in (["serve", "--port", str(free_port())], ["orgs", "list"], ["worker"]):
        refused = run(*command, mode="production")
        assert refused.returncode == 1
        assert "begun in sandbox mode" in refused.stderr
        assert len(refused.stderr.strip().splitlines()) == 1
    assert run("orgs", "list", mode="sandbox").returncode == 0


def test_first_start_creates_an_admin_and_prints_the_password_once(
    own_dsn: str, tmp_path: Path
) -> None:
    server = Served(tmp_path, settings={"database_url": own_dsn, "api_key": KEY}).start()
    server.await_output("serves on")
    output = server.stop()
    lines = [line.strip() for line in output.splitlines()]
    at = next(index for index, line in enumerate(lines) if line.startswith("Sign in at"))
    assert "/dashboard as admin@landbridge.test" in lines[at]
    assert len(lines[at + 2]) == 20
    again = Served(tmp_path, settings={"database_url": own_dsn, "api_key": KEY}).start()
    again.await_output("serves on")
    assert "Sign in at" not in again.stop()


@pytest.mark.long
def test_preset_admin_gets_no_printed_password(own_dsn: str, tmp_path: Path) -> None:
    preset = {"admin_email": "ada@example.com", "admin_password": "a lantern over bridges"}
    server = Served(tmp_path, settings={"database_url": own_dsn, "api_key": KEY, **preset}).start()
    server.await_output("serves on")
    output = server.stop()
    assert "Sign in at" not in output
    assert preset["admin_password"] not in output
    listed = landbridge("members", "list", database_url=own_dsn, data_dir=str(tmp_path))
    assert "admin  active  ada@example.com" in listed.stdout
