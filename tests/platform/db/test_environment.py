"""Environment of PostgreSQL's programs: no secrets are inherited."""

import pytest

from landbridge.platform.db.embedded.runner import clean_environment


def test_own_and_libpq_settings_are_removed_from_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("LANDBRIDGE_API_KEY", "LANDBRIDGE_MASTER_KEY", "LANDBRIDGE_ADMIN_PASSWORD"):
        monkeypatch.setenv(name, "a secret")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "a secret")
    monkeypatch.setenv("PGDATA", "/elsewhere")
    monkeypatch.setenv("PATH", "/usr/bin")
    found = clean_environment({"PGHOST": "/sockets"})
    assert found["PATH"] == "/usr/bin"
    assert found["LC_ALL"] == "C"
    assert found["PGHOST"] == "/sockets"
    assert "a secret" not in found.values()
    assert "PGDATA" not in found
