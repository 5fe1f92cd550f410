"""What programs of PostgreSQL inherit: nothing that opens anything."""

import pytest

from landbridge.db.embedded.runner import clean_environment


def test_settings_of_ours_and_of_libpq_stay_behind(monkeypatch: pytest.MonkeyPatch) -> None:
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
