"""Command line on an existing database."""

import asyncio
import base64
import http.client
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from landbridge.app.settings import SettingsInvalid, read
from landbridge.platform.db.pool import Database
from tests.app.processes.server_process import (
    PATIENCE_S,
    Served,
    clean_environ,
    free_port,
    landbridge,
)
from tests.conftest import new_database
from tests.payments.bank_files.builders import USD

MISSING = "8d3a7cfe-0000-4000-8000-000000000000"
_KEY_OF_ZEROS = base64.b64encode(bytes(32)).decode()
MASTER_KEY = "bGFuZGJyaWRnZSB0ZXN0cyBvbmx5IC0gMzIgYnl0ZXM="


def run(dsn: str, folder: Path, *args: str) -> "tuple[int, str, str]":
    done = landbridge(*args, database_url=dsn, data_dir=str(folder))
    return done.returncode, done.stdout, done.stderr


@pytest.mark.long
def test_keys_are_created_listed_and_revoked(own_dsn: str, tmp_path: Path) -> None:
    _, created, _ = run(own_dsn, tmp_path, "orgs", "create", "--name", "Acme")
    secret = created.splitlines()[-1]
    _, second, _ = run(
        own_dsn, tmp_path, "keys", "create", "--name", "for CI", "--expires-in-days", "30"
    )
    assert second.strip().startswith("lb_sandbox_")
    _, listed, _ = run(own_dsn, tmp_path, "keys", "list")
    lines = listed.splitlines()
    assert len(lines) == 2
    assert secret not in listed
    assert secret[-4:] in lines[0]
    run(own_dsn, tmp_path, "keys", "create", "--name", "for Ada", "--reviewer")
    run(own_dsn, tmp_path, "keys", "create", "--name", "for Bob", "--approver")
    lines = run(own_dsn, tmp_path, "keys", "list")[1].splitlines()
    scopes = [line.partition("  scopes ")[2].split()[0].split(",") for line in lines]
    assert ["review" in each for each in scopes] == [False, False, True, False]
    assert ["approve" in each for each in scopes] == [False, False, False, True]
    key_id = lines[0].split()[0]
    assert run(own_dsn, tmp_path, "keys", "revoke", key_id)[0] == 0
    assert "revoked" in run(own_dsn, tmp_path, "keys", "list")[1].splitlines()[0]


@pytest.mark.long
def test_an_organisation_is_frozen_and_unfrozen(own_dsn: str, tmp_path: Path) -> None:
    run(own_dsn, tmp_path, "orgs", "create", "--name", "Acme")
    org = run(own_dsn, tmp_path, "orgs", "list")[1].split()[0]
    why = ("--org", org, "--reason", "unpaid")
    assert run(own_dsn, tmp_path, "orgs", "freeze", *why)[0] == 0
    listed = run(own_dsn, tmp_path, "orgs", "list")[1]
    assert "frozen since" in listed
    assert "(unpaid)" in listed
    assert run(own_dsn, tmp_path, "orgs", "unfreeze", "--org", org)[0] == 0
    assert "frozen" not in run(own_dsn, tmp_path, "orgs", "list")[1]
    # Never by mistake: the organisation must be named, and must exist.
    assert run(own_dsn, tmp_path, "orgs", "freeze")[0] == 2
    assert run(own_dsn, tmp_path, "orgs", "freeze", "--org", MISSING)[0] == 2


def test_migrate_reports_its_changes(server_dsn: str, own_dsn: str, tmp_path: Path) -> None:
    assert run(own_dsn, tmp_path, "migrate")[1].strip() == "Nothing to do."


def test_empty_database_has_no_stuck_records(own_dsn: str, tmp_path: Path) -> None:
    code, out, _ = run(own_dsn, tmp_path, "stuck")
    assert (code, out) == (0, "Nothing is stuck.\n")


def test_check_prints_the_proofs(own_dsn: str, tmp_path: Path) -> None:
    code, out, _ = run(own_dsn, tmp_path, "check")
    assert code == 0
    assert "every journal sums to zero" in out


async def test_only_an_empty_database_is_migrated_unasked(
    server_dsn: str, own_dsn: str, own_database: Database, tmp_path: Path
) -> None:
    async with new_database(server_dsn, is_migrated=False) as empty:
        checked = await asyncio.to_thread(run, empty, tmp_path, "check")
        assert checked[0] == 1
        assert checked[2].strip() == (
            "landbridge: The database lacks tables. Run `landbridge migrate` first."
        )
        assert (await asyncio.to_thread(run, empty, tmp_path, "orgs", "list"))[0] == 0
    newest = "(select max(number) from migrations)"
    await own_database.rows(f"delete from migrations where number = {newest}")  # noqa: S608  ours
    before = await own_database.rows("select number from migrations")
    code, _, error = await asyncio.to_thread(run, own_dsn, tmp_path, "orgs", "list")
    assert code == 1
    assert "landbridge migrate" in error
    assert await own_database.rows("select number from migrations") == before


@pytest.mark.long
async def test_standalone_api_stops_cleanly_and_records_key_use(
    own_dsn: str, own_database: Database, tmp_path: Path
) -> None:
    _, created, _ = await asyncio.to_thread(run, own_dsn, tmp_path, "orgs", "create", "--name", "A")
    with lone_api(own_dsn, tmp_path) as (process, port):
        connection = http.client.HTTPConnection("127.0.0.1", port)
        headers = {"Authorization": f"Bearer {created.splitlines()[-1]}"}
        connection.request("GET", "/v2/ping", headers=headers)
        assert connection.getresponse().status == 200
        connection.close()

        second_api = landbridge(
            "api", "--port", str(port), database_url=own_dsn, master_key=MASTER_KEY
        )
        assert second_api.returncode == 1
        assert f"127.0.0.1:{port}" in second_api.stderr
        assert len(second_api.stderr.splitlines()) == 1

        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE_S) == 0
    (row,) = await own_database.rows("select last_used_at from api_keys")
    assert row["last_used_at"] is not None


@contextmanager
def lone_api(dsn: str, folder: Path) -> Generator[tuple["subprocess.Popen[bytes]", int]]:
    """An `api` process that is well."""
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, "-m", "landbridge", "api", "--port", str(port)],
        env=clean_environ(database_url=dsn, data_dir=str(folder), master_key=MASTER_KEY),
    )
    try:
        Served(folder, port=port, process=process).await_well()
        yield process, port
    finally:
        process.kill()
        process.wait()


def test_read_only_command_creates_no_key_file(own_dsn: str, tmp_path: Path) -> None:
    done = landbridge("orgs", "create", "--name", "A", cwd=tmp_path, database_url=own_dsn)
    assert done.returncode == 0, done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"port": 1}, "does not answer"),
        ({"path": "/no_such_database"}, "no database of that name"),
        ({"user": "nobody_of_that_name"}, "refuses this user or password"),
        ({"port": "a"}, "can't be read"),
    ],
)
def test_an_unreachable_database_is_a_sentence(
    change: dict[str, Any], words: str, server_dsn: str, tmp_path: Path
) -> None:
    parts = urlsplit(server_dsn)
    if parts.hostname is None:
        pytest.skip("the test database has no TCP address")
    user, port = change.get("user", parts.username), change.get("port", parts.port)
    path = change.get("path", parts.path)
    dsn = f"postgresql://{user}:password-of-ours@{parts.hostname}:{port}{path}"
    code, _, error = run(dsn, tmp_path, "keys", "list")
    assert code == 1
    assert words in error
    assert "password-of-ours" not in error
    assert len(error.splitlines()) == 1


@pytest.mark.parametrize(
    "command",
    [
        ("check",),
        ("orgs", "list"),
        ("keys", "list"),
        ("prices", "list"),
        ("correct", MISSING, "1", "--reason", "x"),
    ],
)
def test_directory_without_a_database_stays_unchanged(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    done = landbridge(*command, folder=tmp_path / "typo")
    assert done.returncode == 1
    assert "There is no database in" in done.stderr
    assert not (tmp_path / "typo").exists()


@pytest.mark.long
@pytest.mark.parametrize(
    "args", [("0", "--reason", "x"), ("2147483648", "--reason", "x"), ("1", "--reason", "x\ny")]
)
def test_impossible_correction_is_refused(
    args: tuple[str, ...], own_dsn: str, tmp_path: Path
) -> None:
    run(own_dsn, tmp_path, "orgs", "create", "--name", "A")
    code, _, error = run(own_dsn, tmp_path, "correct", MISSING, *args)
    assert code != 0
    assert "Traceback" not in error
    assert "seq" in error.lower() or "reason" in error


@pytest.mark.long
async def test_only_writing_commands_take_a_clock_node(
    own_dsn: str, own_database: Database, tmp_path: Path
) -> None:
    async def taken() -> int:
        return (await own_database.rows("select assigned_count from clock_nodes"))[0][
            "assigned_count"
        ]

    await asyncio.to_thread(run, own_dsn, tmp_path, "orgs", "create", "--name", "A")
    before = await taken()
    for command in ("orgs", "keys", "prices", "fees"):
        assert (await asyncio.to_thread(run, own_dsn, tmp_path, command, "list"))[0] == 0
    assert await taken() == before


def test_an_empty_host_is_refused(tmp_path: Path) -> None:
    done = landbridge("serve", "--host", "", folder=tmp_path)
    assert done.returncode == 1
    assert "LANDBRIDGE_HOST" in done.stderr


@pytest.mark.parametrize("port", ["0", "65536", "-1", "http"])
@pytest.mark.parametrize("command", ["serve", "api"])
def test_a_port_is_from_1_to_65535(command: str, port: str, tmp_path: Path) -> None:
    done = landbridge(command, "--port", port, cwd=tmp_path)
    assert done.returncode == 2
    assert "--port" in done.stderr


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("LANDBRIDGE_POTR", "8080", "LANDBRIDGE_POTR is not a setting"),
        ("LANDBRIDGE_PORT", "http", "LANDBRIDGE_PORT"),
        ("LANDBRIDGE_PORT", "70000", "LANDBRIDGE_PORT"),
        ("LANDBRIDGE_HOST", "", "LANDBRIDGE_HOST"),
        ("LANDBRIDGE_DATA_DIR", " ", "LANDBRIDGE_DATA_DIR"),
        ("LANDBRIDGE_PRICE_AGE_MAX_S", "99999999999999", "LANDBRIDGE_PRICE_AGE_MAX_S"),
        ("LANDBRIDGE_MODE", "staging", "LANDBRIDGE_MODE"),
        ("LANDBRIDGE_MODE", "production", "LANDBRIDGE_MASTER_KEY"),
        ("LANDBRIDGE_API_KEY", "short", "LANDBRIDGE_API_KEY"),
        ("LANDBRIDGE_API_KEY", "x" * 201, "LANDBRIDGE_API_KEY"),
        ("LANDBRIDGE_METRICS_TOKEN", "a" * 24, "METRICS_TOKEN repeats a few characters"),
        ("LANDBRIDGE_MASTER_KEY", "not base64!", "LANDBRIDGE_MASTER_KEY"),
        ("LANDBRIDGE_DATABASE_URL", "mysql://x", "LANDBRIDGE_DATABASE_URL"),
        ("LANDBRIDGE_ADMIN_EMAIL", "nobody", "LANDBRIDGE_ADMIN_EMAIL"),
        ("LANDBRIDGE_ADMIN_EMAIL", "a@b.test\r\nBcc: c@d.test", "LANDBRIDGE_ADMIN_EMAIL"),
        ("LANDBRIDGE_ADMIN_PASSWORD", "short", "LANDBRIDGE_ADMIN_PASSWORD"),
        ("LANDBRIDGE_ADMIN_PASSWORD", " " * 12, "ADMIN_PASSWORD is refused: This password is too"),
        ("LANDBRIDGE_ADMIN_PASSWORD", "password1234", "too easy to guess"),
        ("LANDBRIDGE_MASTER_KEY", _KEY_OF_ZEROS, "MASTER_KEY is refused: A master key is random"),
        ("LANDBRIDGE_MASTER_KEY", f"2:{_KEY_OF_ZEROS},1:{MASTER_KEY}", "repeats a few bytes"),
        ("LANDBRIDGE_TRUSTED_PROXIES", "0.0.0.0/1,128.0.0.0/1", "TRUSTED_PROXIES must be your"),
        ("LANDBRIDGE_TRUSTED_PROXIES", "10.0.0.1,::ffff:0:0/97,::ffff:8000:0/97", "must be your"),
        ("LANDBRIDGE_TRUSTED_PROXIES", "::/1,8000::/1", "TRUSTED_PROXIES must be your"),
        ("LANDBRIDGE_TRUSTED_PROXIES", "everybody", "must be addresses or networks"),
        ("LANDBRIDGE_LOG_LEVEL", "loud", "LANDBRIDGE_LOG_LEVEL"),
        ("LANDBRIDGE_API_PROCESSES", "0", "LANDBRIDGE_API_PROCESSES"),
        ("LANDBRIDGE_IDENTITY", "nobody", "LANDBRIDGE_IDENTITY"),
        ("LANDBRIDGE_REVIEW_ABOVE_USD", "-1", "LANDBRIDGE_REVIEW_ABOVE_USD"),
        ("LANDBRIDGE_REVIEW_ABOVE_USD", "NaN", "LANDBRIDGE_REVIEW_ABOVE_USD"),
        ("LANDBRIDGE_REVIEW_ABOVE_USD", "much", "LANDBRIDGE_REVIEW_ABOVE_USD"),
        *(
            ("LANDBRIDGE_RECONCILIATION_TOLERANCE", each, "LANDBRIDGE_RECONCILIATION_TOLERANCE")
            for each in ("-1", "NaN", "0.0000001", "1e30")
        ),
        ("LANDBRIDGE_REQUIRE_REGISTERED_WALLETS", "maybe", "REQUIRE_REGISTERED_WALLETS"),
    ],
)
def test_invalid_setting_is_named_without_its_value(name: str, value: str, word: str) -> None:
    with pytest.raises(SettingsInvalid) as refused:
        read({name: value})
    assert word in str(refused.value)
    if name.endswith(("_KEY", "_PASSWORD")):
        assert value not in str(refused.value)


def test_private_networks_are_trusted_and_a_weak_key_may_open() -> None:
    """An installation with such a key can replace it."""
    networks = "10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7,fe80::/10,::1,::ffff:10.0.0.7"
    key = f"2:{MASTER_KEY},1:{_KEY_OF_ZEROS}"
    found = read({"LANDBRIDGE_TRUSTED_PROXIES": networks, "LANDBRIDGE_MASTER_KEY": key})
    assert found.proxies == networks.split(",")


def test_amounts_and_switches_are_read_as_written() -> None:
    assert read({}).review_above_usd is None
    assert read({}).require_registered_wallets
    arguments = {
        "LANDBRIDGE_REVIEW_ABOVE_USD": "10000.50",
        "LANDBRIDGE_REQUIRE_REGISTERED_WALLETS": "false",
    }
    assert read(arguments).review_above_usd == Decimal("10000.50")
    assert not read(arguments).require_registered_wallets


def test_simulated_check_is_refused_in_production() -> None:
    real = {"LANDBRIDGE_MODE": "production", "LANDBRIDGE_IDENTITY": "sandbox"}
    with pytest.raises(SettingsInvalid, match="LANDBRIDGE_IDENTITY"):
        read(real)


def test_all_missing_and_wrong_settings_are_named_at_once() -> None:
    given = {
        "LANDBRIDGE_MODE": "production",
        "LANDBRIDGE_IDENTITY": "sandbox",
        "LANDBRIDGE_PORT": "none",
        "LANDBRIDGE_NO_SUCH": "1",
        "LANDBRIDGE_SMTP_URL": "smtp://mail.example.com",
    }
    with pytest.raises(SettingsInvalid) as refused:
        read(given, needs_database=True)
    lines = str(refused.value).splitlines()
    for name in ("MASTER_KEY", "DATABASE_URL", "IDENTITY", "PORT", "NO_SUCH", "MAIL_FROM"):
        assert [each for each in lines if f"LANDBRIDGE_{name}" in each.partition(". There")[0]]
    assert len(lines) == 6, lines


def test_production_requires_a_master_key_and_no_other_setting() -> None:
    """No release adds a mandatory setting without a default (docs/reference/versions.md)."""
    with pytest.raises(SettingsInvalid) as refused:
        read({"LANDBRIDGE_MODE": "production"})
    assert len(str(refused.value).splitlines()) == 1
    key = base64.b64encode(bytes(range(32))).decode()
    read({"LANDBRIDGE_MODE": "production", "LANDBRIDGE_MASTER_KEY": key})
    read({})


def test_a_setting_is_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "port"
    file.write_text("8123\n")
    assert read({"LANDBRIDGE_PORT_FILE": str(file)}).port == 8123
    # A name of our own that ends alike.
    assert read({"LANDBRIDGE_CHAINS_FILE": str(file)}).chains_file == str(file)
    with pytest.raises(SettingsInvalid, match="exclude each other"):
        read({"LANDBRIDGE_PORT_FILE": str(file), "LANDBRIDGE_PORT": "1"})
    with pytest.raises(SettingsInvalid, match="LANDBRIDGE_PORT_FILE can't be read"):
        read({"LANDBRIDGE_PORT_FILE": str(tmp_path / "missing")})
    with pytest.raises(SettingsInvalid, match="LANDBRIDGE_OTHER_FILE is not a setting"):
        read({"LANDBRIDGE_OTHER_FILE": str(file)})


def test_address_for_client_libraries_is_no_setting_and_no_error() -> None:
    assert read({"LANDBRIDGE_URL": "http://127.0.0.1:9"}) == read({})


def test_a_wrong_setting_stops_the_start(tmp_path: Path) -> None:
    done = landbridge("serve", folder=tmp_path, no_such_thing="1")
    assert done.returncode == 1
    assert "LANDBRIDGE_NO_SUCH_THING is not a setting" in done.stderr


@pytest.mark.long
def test_bank_files_are_configured_written_and_inspected(own_dsn: str, tmp_path: Path) -> None:
    run(own_dsn, tmp_path, "orgs", "create", "--name", "Acme")
    shown = fed(own_dsn, tmp_path, "not read", "bank-files", "account", "--show")
    assert shown[:2] == (0, "No account is set.\n")
    config = USD.replace("unused", "bank")
    code, out, _ = fed(own_dsn, tmp_path, config, "bank-files", "account")
    assert code == 0
    assert out.startswith("usd  ****4321  pays by ach, wire, swift  takes deposits")
    assert fed(own_dsn, tmp_path, "", "bank-files", "account")[1] == out
    code, _, why = fed(
        own_dsn, tmp_path, config.replace('r = "021000021"', 'r = "1"'), "bank-files", "account"
    )
    assert (code, "routing_number" in why) == (1, True)
    for verb, output in (
        ("write", "Nothing is due.\n"),
        ("list", "There are no files.\n"),
        ("status", "usd  no payments\n"),
    ):
        assert fed(own_dsn, tmp_path, "", "bank-files", verb)[:2] == (0, output)
    code, _, why = fed(own_dsn, tmp_path, "", "bank-files", "export", "x.ach", str(tmp_path / "x"))
    assert (code, why) == (1, "landbridge: there is no file x.ach, or its content is gone\n")
    assert not (tmp_path / "x").exists()


def fed(dsn: str, folder: Path, text: str, *args: str) -> "tuple[int, str, str]":
    """Run like `run`, with this standard input."""
    done = landbridge(*args, folder=folder, fed=text, database_url=dsn, master_key=MASTER_KEY)
    return done.returncode, done.stdout, done.stderr
