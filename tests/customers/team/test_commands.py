"""`landbridge members`."""

from pathlib import Path

import pytest

from tests.app.processes.server_process import landbridge

pytestmark = pytest.mark.long

MASTER_KEY = "bGFuZGJyaWRnZSB0ZXN0cyBvbmx5IC0gMzIgYnl0ZXM="


def run(dsn: str, folder: Path, *args: str) -> "tuple[int, str, str]":
    done = landbridge(*args, database_url=dsn, data_dir=str(folder), master_key=MASTER_KEY)
    return done.returncode, done.stdout, done.stderr


def test_members_are_invited_listed_and_given_links(own_dsn: str, tmp_path: Path) -> None:
    run(own_dsn, tmp_path, "orgs", "create", "--name", "Acme")
    options = ("--email", "ada@example.com")
    assert run(own_dsn, tmp_path, "members", "list")[1] == "There is no member.\n"
    invite = ("members", "invite", *options, "--name", "Ada Example", "--role", "admin")
    created = [run(own_dsn, tmp_path, *invite) for _ in range(2)]
    assert [each[0] for each in created] == [0, 0], created
    first, second = (each[1].splitlines()[-1] for each in created)
    assert first.startswith("http://127.0.0.1:8080/dashboard/invitations/")
    assert first != second
    listed = run(own_dsn, tmp_path, "members", "list")[1]
    assert listed.endswith("admin  invited  ada@example.com  Ada Example\n")
    code, _, output = run(own_dsn, tmp_path, "members", "reset", *options)
    assert (code, "invite them again" in output) == (1, True)
    code, _, output = run(own_dsn, tmp_path, "members", "reset", "--email", "bob@example.com")
    assert (code, "no member with this address" in output) == (1, True)
    code, _, output = run(
        own_dsn, tmp_path, "members", "invite", "--email", "nobody", "--name", "Bob"
    )
    assert (code, "e-mail address" in output) == (1, True)
