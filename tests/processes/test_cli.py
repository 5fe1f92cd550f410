"""The command line, on a database that is there already."""

import asyncio
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

from landbridge.db.pool import Database
from landbridge.settings import SettingsInvalid, read
from tests.bank_files.made import USD
from tests.conftest import new_database
from tests.processes.play import PATIENCE_S, Served, clean_environ, free_port, landbridge

MISSING = "8d3a7cfe-0000-4000-8000-000000000000"
MASTER_KEY = "bGFuZGJyaWRnZSB0ZXN0cyBvbmx5IC0gMzIgYnl0ZXM="


def run(dsn: str, folder: Path, *args: str) -> "tuple[int, str, str]":
    done = landbridge(*args, database_url=dsn, data_dir=str(folder))
    return done.returncode, done.stdout, done.stderr


def test_keys_are_created_listed_and_revoked(own_dsn: str, tmp_path: Path) -> None:
    _, made, _ = run(own_dsn, tmp_path, "orgs", "create", "--name", "Acme")
    secret = made.splitlines()[-1]
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
    assert ["reviewer" in line for line in lines] == [False, False, True, False]
    assert ["approver" in line for line in lines] == [False, False, False, True]
    key_id = lines[0].split()[0]
    assert run(own_dsn, tmp_path, "keys", "revoke", key_id)[0] == 0
    assert "revoked" in run(own_dsn, tmp_path, "keys", "list")[1].splitlines()[0]


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
    # Never by a slip: which one has to be said, and has to be there.
    assert run(own_dsn, tmp_path, "orgs", "freeze")[0] == 2
    assert run(own_dsn, tmp_path, "orgs", "freeze", "--org", MISSING)[0] == 2


def test_prices_are_set_and_listed(own_dsn: str, tmp_path: Path) -> None:
    run(own_dsn, tmp_path, "orgs", "create", "--name", "Acme")
    args = ("prices", "set", "--from", "usdc", "--to", "usdt", "--rate", "0.9995")
    assert run(own_dsn, tmp_path, *args, "--fee", "0.002")[0] == 0
    _, listed, _ = run(own_dsn, tmp_path, "prices", "list")
    assert "usdc > usdt  0.9995  fee 0.002" in listed
    pair = ("--from", "usdc", "--to", "usdt")
    assert run(own_dsn, tmp_path, "prices", "remove", *pair)[0] == 0
    assert not run(own_dsn, tmp_path, "prices", "list")[1]
    assert run(own_dsn, tmp_path, "prices", "remove", *pair)[0] == 0
    refused = run(own_dsn, tmp_path, *args[:-1], "nonsense")
    assert refused[0] != 0
    assert "nonsense" in refused[2]


def test_migrate_says_what_it_did(server_dsn: str, own_dsn: str, tmp_path: Path) -> None:
    assert run(own_dsn, tmp_path, "migrate")[1].strip() == "Nothing to do."


def test_nothing_is_stuck_in_an_empty_database(own_dsn: str, tmp_path: Path) -> None:
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


async def test_a_lone_api_ends_well_and_notes_the_use_of_keys(
    own_dsn: str, own_database: Database, tmp_path: Path
) -> None:
    _, made, _ = await asyncio.to_thread(run, own_dsn, tmp_path, "orgs", "create", "--name", "A")
    with lone_api(own_dsn, tmp_path) as (process, port):
        connection = http.client.HTTPConnection("127.0.0.1", port)
        headers = {"Authorization": f"Bearer {made.splitlines()[-1]}"}
        connection.request("GET", "/v2/ping", headers=headers)
        assert connection.getresponse().status == 200
        connection.close()

        taken = landbridge("api", "--port", str(port), database_url=own_dsn, master_key=MASTER_KEY)
        assert taken.returncode == 1
        assert f"127.0.0.1:{port}" in taken.stderr
        assert len(taken.stderr.splitlines()) == 1

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


def test_a_command_that_only_looks_makes_no_key_file(own_dsn: str, tmp_path: Path) -> None:
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
def test_a_directory_without_a_database_is_not_made_one(
    command: tuple[str, ...], tmp_path: Path
) -> None:
    done = landbridge(*command, folder=tmp_path / "typo")
    assert done.returncode == 1
    assert "There is no database in" in done.stderr
    assert not (tmp_path / "typo").exists()


@pytest.mark.parametrize(
    "args", [("0", "--reason", "x"), ("2147483648", "--reason", "x"), ("1", "--reason", "x\ny")]
)
def test_a_correction_that_can_not_be_is_refused(
    args: tuple[str, ...], own_dsn: str, tmp_path: Path
) -> None:
    run(own_dsn, tmp_path, "orgs", "create", "--name", "A")
    code, _, error = run(own_dsn, tmp_path, "correct", MISSING, *args)
    assert code != 0
    assert "Traceback" not in error
    assert "seq" in error.lower() or "reason" in error


async def test_only_what_writes_takes_a_lane_of_the_clock(
    own_dsn: str, own_database: Database, tmp_path: Path
) -> None:
    async def taken() -> int:
        return (await own_database.rows("select taken from clock_lanes"))[0]["taken"]

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
    ("option", "value", "words"),
    [
        ("--fee", "NaN", "fee NaN"),
        ("--fee", "sNaN", "fee sNaN"),
        ("--fee", "1", "below 1"),
        ("--fee", "-0.1", "at least 0"),
        ("--fee", "0.123456789", "at most 8 decimals"),
        ("--rate", "NaN", "rate NaN"),
        ("--rate", "2000000", "rate 2000000"),
        ("--from", "usdx", "'usdx' is not one of"),
        ("--to", "USDT", "'USDT' is not one of"),
        ("--from", "usd-hka", "'usd-hka' is not one of"),
    ],
)
def test_a_price_that_can_not_be_is_refused(
    option: str, value: str, words: str, tmp_path: Path
) -> None:
    told = {"--from": "usdc", "--to": "usdt", "--rate": "1", option: value}
    args = [word for pair in told.items() for word in pair]
    done = landbridge("prices", "set", *args, cwd=tmp_path)
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


def test_prices_of_fiat_and_corridors_are_set_and_listed(own_dsn: str, tmp_path: Path) -> None:
    run(own_dsn, tmp_path, "orgs", "create", "--name", "Acme")
    for source, destination in (("usdc", "brl"), ("brl", "usdc"), ("usdt", "usd-hka")):
        pair = ("--from", source, "--to", destination)
        assert run(own_dsn, tmp_path, "prices", "set", *pair, "--rate", "0.5")[0] == 0
    listed = run(own_dsn, tmp_path, "prices", "list")[1]
    assert [line.partition("  ")[0] for line in listed.splitlines()] == [
        "brl > usdc",
        "usdc > brl",
        "usdt > usd-hka",
    ]


def test_fees_are_set_listed_and_removed(own_dsn: str, tmp_path: Path) -> None:
    run(own_dsn, tmp_path, "orgs", "create", "--name", "Acme")
    pair = ("--from", "usdc", "--to", "usd-hka")
    assert run(own_dsn, tmp_path, "fees", "set", *pair, "--percent", "-0")[1].startswith("0 %")
    assert run(own_dsn, tmp_path, "fees", "set", *pair, "--percent", "0.250")[0] == 0
    assert "usdc > usd-hka  0.25 %  set " in run(own_dsn, tmp_path, "fees", "list")[1]
    for wrong in ("11", "-1", "NaN", "0.1234567"):
        code, _, error = run(own_dsn, tmp_path, "fees", "set", *pair, "--percent", wrong)
        assert code == 2
        assert "fee" in error
    assert run(own_dsn, tmp_path, "fees", "remove", *pair)[0] == 0
    assert not run(own_dsn, tmp_path, "fees", "list")[1]
    assert run(own_dsn, tmp_path, "fees", "remove", *pair)[0] == 0


@pytest.mark.parametrize("verb", [("set", "--rate", "1"), ("remove",)])
def test_fiat_has_no_price_in_fiat(verb: tuple[str, ...], tmp_path: Path) -> None:
    done = landbridge("prices", *verb, "--from", "eur", "--to", "usd-sgp", cwd=tmp_path)
    assert done.returncode == 2
    assert "one of the two must be a stablecoin" in done.stderr


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
        ("LANDBRIDGE_MASTER_KEY", "not base64!", "LANDBRIDGE_MASTER_KEY"),
        ("LANDBRIDGE_DATABASE_URL", "mysql://x", "LANDBRIDGE_DATABASE_URL"),
        ("LANDBRIDGE_ADMIN_EMAIL", "nobody", "LANDBRIDGE_ADMIN_EMAIL"),
        ("LANDBRIDGE_ADMIN_PASSWORD", "short", "LANDBRIDGE_ADMIN_PASSWORD"),
        ("LANDBRIDGE_LOG_LEVEL", "loud", "LANDBRIDGE_LOG_LEVEL"),
        ("LANDBRIDGE_API_PROCESSES", "0", "LANDBRIDGE_API_PROCESSES"),
        ("LANDBRIDGE_IDENTITY", "nobody", "LANDBRIDGE_IDENTITY"),
        ("LANDBRIDGE_REVIEW_ABOVE_USD", "-1", "LANDBRIDGE_REVIEW_ABOVE_USD"),
        ("LANDBRIDGE_REVIEW_ABOVE_USD", "NaN", "LANDBRIDGE_REVIEW_ABOVE_USD"),
        ("LANDBRIDGE_REVIEW_ABOVE_USD", "much", "LANDBRIDGE_REVIEW_ABOVE_USD"),
        ("LANDBRIDGE_REQUIRE_REGISTERED_WALLETS", "maybe", "REQUIRE_REGISTERED_WALLETS"),
    ],
)
def test_a_wrong_setting_is_named_and_its_value_is_not(name: str, value: str, word: str) -> None:
    with pytest.raises(SettingsInvalid) as refused:
        read({name: value})
    assert word in str(refused.value)
    if name.endswith(("_KEY", "_PASSWORD")):
        assert value not in str(refused.value)


def test_amounts_and_switches_are_read_as_written() -> None:
    assert read({}).review_above_usd is None
    assert read({}).require_registered_wallets
    told = {
        "LANDBRIDGE_REVIEW_ABOVE_USD": "10000.50",
        "LANDBRIDGE_REQUIRE_REGISTERED_WALLETS": "false",
    }
    assert read(told).review_above_usd == Decimal("10000.50")
    assert not read(told).require_registered_wallets


def test_the_check_that_is_made_up_is_refused_in_production() -> None:
    real = {"LANDBRIDGE_MODE": "production", "LANDBRIDGE_IDENTITY": "sandbox"}
    with pytest.raises(SettingsInvalid, match="LANDBRIDGE_IDENTITY"):
        read(real)


def test_a_wrong_setting_stops_the_start(tmp_path: Path) -> None:
    done = landbridge("serve", folder=tmp_path, no_such_thing="1")
    assert done.returncode == 1
    assert "LANDBRIDGE_NO_SUCH_THING is not a setting" in done.stderr


def test_bank_files_are_set_up_written_and_looked_at(own_dsn: str, tmp_path: Path) -> None:
    run(own_dsn, tmp_path, "orgs", "create", "--name", "Acme")
    shown = fed(own_dsn, tmp_path, "not read", "bank-files", "account", "--show")
    assert shown[:2] == (0, "No account is set.\n")
    told = USD.replace("unused", "bank")
    code, out, _ = fed(own_dsn, tmp_path, told, "bank-files", "account")
    assert code == 0
    assert out.startswith("usd  ****4321  pays by ach, wire, swift  takes deposits")
    assert fed(own_dsn, tmp_path, "", "bank-files", "account")[1] == out
    code, _, why = fed(
        own_dsn, tmp_path, told.replace('r = "021000021"', 'r = "1"'), "bank-files", "account"
    )
    assert (code, "routing_number" in why) == (1, True)
    for verb, said in (
        ("write", "Nothing is due.\n"),
        ("list", "There are no files.\n"),
        ("status", "usd  no payments\n"),
    ):
        assert fed(own_dsn, tmp_path, "", "bank-files", verb)[:2] == (0, said)
    code, _, why = fed(own_dsn, tmp_path, "", "bank-files", "export", "x.ach", str(tmp_path / "x"))
    assert (code, why) == (1, "landbridge: there is no file x.ach, or its content is gone\n")
    assert not (tmp_path / "x").exists()


def fed(dsn: str, folder: Path, text: str, *args: str) -> "tuple[int, str, str]":
    """As `run`, with this on standard input."""
    done = subprocess.run(
        [sys.executable, "-m", "landbridge", *args, "--data-dir", str(folder)],
        env=clean_environ(database_url=dsn, master_key=MASTER_KEY),
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr
