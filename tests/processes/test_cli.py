"""The command line, on a database that is there already."""

from pathlib import Path

import pytest

from landbridge.settings import SettingsInvalid, read
from tests.processes.play import landbridge


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
    key_id = lines[0].split()[0]
    assert run(own_dsn, tmp_path, "keys", "revoke", key_id)[0] == 0
    assert "revoked" in run(own_dsn, tmp_path, "keys", "list")[1].splitlines()[0]


def test_prices_are_set_and_listed(own_dsn: str, tmp_path: Path) -> None:
    run(own_dsn, tmp_path, "orgs", "create", "--name", "Acme")
    args = ("prices", "set", "--from", "usdc", "--to", "usdt", "--rate", "0.9995")
    assert run(own_dsn, tmp_path, *args, "--fee", "0.002")[0] == 0
    _, listed, _ = run(own_dsn, tmp_path, "prices", "list")
    assert "usdc > usdt  0.9995  fee 0.002" in listed
    refused = run(own_dsn, tmp_path, *args[:-1], "nonsense")
    assert refused[0] != 0
    assert "nonsense" in refused[2]


def test_migrate_says_what_it_did(server_dsn: str, own_dsn: str, tmp_path: Path) -> None:
    assert run(own_dsn, tmp_path, "migrate")[1].strip() == "Nothing to do."


def test_check_prints_the_proofs(own_dsn: str, tmp_path: Path) -> None:
    code, out, _ = run(own_dsn, tmp_path, "check")
    assert code == 0
    assert "every journal sums to zero" in out


@pytest.mark.parametrize(
    ("name", "value", "word"),
    [
        ("LANDBRIDGE_POTR", "8080", "LANDBRIDGE_POTR is not a setting"),
        ("LANDBRIDGE_PORT", "http", "LANDBRIDGE_PORT"),
        ("LANDBRIDGE_PORT", "70000", "LANDBRIDGE_PORT"),
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
    ],
)
def test_a_wrong_setting_is_named_and_its_value_is_not(name: str, value: str, word: str) -> None:
    with pytest.raises(SettingsInvalid) as refused:
        read({name: value})
    assert word in str(refused.value)
    if name.endswith(("_KEY", "_PASSWORD")):
        assert value not in str(refused.value)


def test_a_wrong_setting_stops_the_start(tmp_path: Path) -> None:
    done = landbridge("serve", folder=tmp_path, no_such_thing="1")
    assert done.returncode == 1
    assert "LANDBRIDGE_NO_SUCH_THING is not a setting" in done.stderr
