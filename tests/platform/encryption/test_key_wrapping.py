"""Master keys that AWS KMS or Vault wraps.

KMS is moto's. Vault is a server of this file that speaks the transit engine's requests: it shows
what we send and how we read the answers, not that a real Vault agrees.
"""

import base64
import json
import secrets
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import boto3
import pytest
from click.testing import CliRunner
from moto.server import ThreadedMotoServer

from landbridge.app.cli import commands
from landbridge.app.container import sealer
from landbridge.app.settings import Settings, SettingsInvalid, check
from landbridge.platform.db.sealing import keys_from_text, new_key
from landbridge.platform.encryption.key_wrapping import (
    AwsKms,
    KeyServiceFailed,
    KeyWrapping,
    VaultTransit,
    wrapping_from_text,
)

TOKEN = "test-token"


class _Transit(BaseHTTPRequestHandler):
    """Encrypts with the key `landbridge` of the engine at `transit`, by a table."""

    table: dict[str, str]

    def do_PUT(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.headers["X-Vault-Token"] != TOKEN:
            self._answer(403, {"errors": ["permission denied"]})
        elif self.path == "/v1/transit/encrypt/landbridge":
            ciphertext = f"vault:v1:{secrets.token_urlsafe(24)}"
            self.table[ciphertext] = body["plaintext"]
            self._answer(200, {"data": {"ciphertext": ciphertext}})
        elif self.path == "/v1/transit/decrypt/landbridge" and body["ciphertext"] in self.table:
            self._answer(200, {"data": {"plaintext": self.table[body["ciphertext"]]}})
        else:
            self._answer(400, {"errors": ["invalid ciphertext"]})

    do_POST = do_PUT  # noqa: N815  named by the base class

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  as in the base class
        pass

    def _answer(self, status: int, body: Any) -> None:
        content = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@pytest.fixture
def vault(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The setting that names a key of a Vault on a local port."""
    _Transit.table = {}
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Transit)
    Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setenv("VAULT_ADDR", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("VAULT_TOKEN", TOKEN)
    yield "vault:transit/landbridge"
    server.shutdown()
    server.server_close()


@pytest.fixture
def kms(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The setting that names a key of a KMS on a local port."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    for name, value in {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://{host}:{port}",
    }.items():
        monkeypatch.setenv(name, value)
    untyped: Any = boto3
    key_id = untyped.client("kms").create_key()["KeyMetadata"]["KeyId"]
    yield f"aws-kms:{key_id}"
    server.stop()


@pytest.fixture(params=["kms", "vault"])
def wrap(request: pytest.FixtureRequest) -> str:
    found: str = request.getfixturevalue(request.param)
    return found


def _service(wrap: str) -> KeyWrapping:
    service = wrapping_from_text(wrap)
    assert service is not None
    return service


def _run(*args: str, wrap: str, given: str | None = None) -> str:
    result = CliRunner().invoke(
        commands, ["master-key", *args], input=given, env={"LANDBRIDGE_MASTER_KEY_WRAP": wrap}
    )
    assert result.exit_code == 0, result.output
    return result.output.strip()


def _settings(wrap: str, key: str) -> Settings:
    return check(Settings(master_key=key, master_key_wrap=wrap))


def test_a_key_is_wrapped_and_unwrapped(wrap: str) -> None:
    key, service = new_key(), _service(wrap)
    wrapped = service.wrap(key)
    assert key not in wrapped
    assert service.unwrap(wrapped) == key
    with pytest.raises(KeyServiceFailed):
        service.unwrap(wrapped[:-1] + b"x")


def test_a_created_key_seals(wrap: str) -> None:
    key = _run("create", wrap=wrap)
    with pytest.raises(ValueError, match="master key"):
        keys_from_text(key)
    sealed = sealer(_settings(wrap, key)).seal(b"secret", context="a")
    assert sealer(_settings(wrap, key)).open(sealed, context="a") == b"secret"


def test_keys_that_are_in_use_are_wrapped_with_their_ids(wrap: str) -> None:
    old, new = (base64.b64encode(new_key()).decode() for _ in range(2))
    plain = f"2:{new},1:{old}"
    sealed = sealer(Settings(master_key=plain)).seal(b"secret", context="a")
    wrapped = _run("wrap", wrap=wrap, given=plain)
    opener = sealer(_settings(wrap, wrapped))
    assert opener.sealing_id == 2
    assert opener.open(sealed, context="a") == b"secret"


def test_without_a_service_a_new_key_is_printed_as_it_is() -> None:
    assert keys_from_text(_run("create", wrap="local"))


def test_vault_refuses_another_token(vault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAULT_TOKEN", "another")
    with pytest.raises(KeyServiceFailed, match="permission denied"):
        _service(vault).wrap(new_key())


def test_a_service_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VAULT_ADDR", "http://127.0.0.1:9")
    with pytest.raises(KeyServiceFailed, match="Vault can't be reached"):
        VaultTransit("transit", "landbridge").unwrap(b"vault:v1:x")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    with pytest.raises(KeyServiceFailed, match="AWS KMS"):
        AwsKms("alias/landbridge").unwrap(b"x")


def test_another_secret_is_no_master_key(wrap: str) -> None:
    wrapped = base64.b64encode(_service(wrap).wrap(b"short")).decode()
    with pytest.raises(SettingsInvalid, match="does not wrap keys of 32 bytes"):
        sealer(_settings(wrap, wrapped))


@pytest.mark.parametrize("text", ["aws-kms:", "aws-kms", "vault:key", "vault:/key", "gcp:key", ""])
def test_an_unknown_service_is_refused(text: str) -> None:
    with pytest.raises(SettingsInvalid, match="MASTER_KEY_WRAP is local, aws-kms:KEY or vault"):
        check(Settings(master_key_wrap=text))


def test_a_service_needs_a_wrapped_key() -> None:
    with pytest.raises(SettingsInvalid, match="MASTER_KEY_WRAP needs LANDBRIDGE_MASTER_KEY"):
        check(Settings(master_key_wrap="vault:transit/landbridge"))
    with pytest.raises(SettingsInvalid, match="A wrapped master key is in base64"):
        _settings("vault:transit/landbridge", "x y")
