"""The guide's receivers in Python, Node and Go, exactly as printed there.

They refuse invalid deliveries, and request a repetition of those they can't verify yet.
"""

import base64
import hashlib
import json
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen
from uuid import uuid4

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.sources import ROOT

pytestmark = pytest.mark.long

GUIDE = ROOT / "docs/guides/receive-webhooks.md"
ENDPOINT = str(uuid4())
BODY = json.dumps({"eventId": "evt_01", "eventType": "USER.CREATE", "objectId": "me"}).encode()
PATIENCE_S = 60
# Seconds for which receivers cache keys.
KEPT_S = 300
# Minimum seconds between their key requests.
KEY_REQUEST_INTERVAL_S = 5

Claims = Mapping[str, Any]


def _python(folder: Path, kept_s: int) -> list[str]:
    code = re.search(r"^cat > receiver.py <<'END'\n(.*?)^END$", _guide(), re.DOTALL | re.MULTILINE)
    assert code
    text = _keeping(code[1], "age > 300 ", f"age > {kept_s} ")
    (folder / "receiver.py").write_text(text, encoding="utf-8")
    return [sys.executable, "receiver.py"]


def _node(folder: Path, kept_s: int) -> list[str]:
    text = _keeping(_block("javascript"), "age > 300_000 ", f"age > {kept_s * 1000} ")
    (folder / "receiver.mjs").write_text(text, encoding="utf-8")
    return [_runtime("node"), "receiver.mjs"]


def _go(folder: Path, kept_s: int) -> list[str]:
    text = _keeping(_block("go"), "age > 300*time.Second ", f"age > {kept_s}*time.Second ")
    (folder / "receiver.go").write_text(text, encoding="utf-8")
    built = subprocess.run(
        [_runtime("go"), "build", "-o", "receiver", "receiver.go"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return [str(folder / "receiver")]


def _keeping(code: str, printed: str, expected: str) -> str:
    """Return a receiver that caches keys for this long."""
    assert code.count(printed) == 1
    return code.replace(printed, expected)


_LONG = {"go": pytest.mark.long}  # its compiler takes half a minute the first time
LANGUAGES: dict[str, Callable[[Path, int], list[str]]] = {
    "python": _python,
    "node": _node,
    "go": _go,
}
TRIED = [pytest.param(each, marks=_LONG.get(each, ())) for each in LANGUAGES]


@pytest.mark.parametrize("language", TRIED)
def test_receiver_accepts_only_genuine_deliveries(language: str, tmp_path: Path) -> None:
    key, other = (rsa.generate_private_key(65537, 2048) for _ in range(2))
    good = _claims()
    tokens: dict[str, str | None] = {
        "expired": _signed(key, good | {"exp": int(time.time()) - 60}),
        "somebody else's address": _signed(key, good | {"aud": str(uuid4())}),
        "another body": _signed(key, good | {"bodySha256": hashlib.sha256(b"{}").hexdigest()}),
        "no digest": _signed(key, {k: v for k, v in good.items() if k != "bodySha256"}),
        "another key under its name": _signed(other, good),
        "no algorithm": jwt.encode(dict(good), "", algorithm="none", headers={"kid": "first"}),
        "the public key as a secret": jwt.encode(
            dict(good), "x" * 64, algorithm="HS256", headers={"kid": "first"}
        ),
        "half a token": _signed(key, good).rpartition(".")[0],
        "no token": "",
        "no header": None,
    }
    with _shown({"first": key}) as shown, _receiving(language, tmp_path, shown.url) as port:
        assert _post(port, _signed(key, good)) == 200
        assert _post(port, _signed(key, good), body=BODY + b" ") == 401
        found = {name: _post(port, token) for name, token in tokens.items()}
        assert found == dict.fromkeys(tokens, 401)
        assert _post(port, _signed(key, good)) == 200
    # Delivered twice, processed once.
    printed = (tmp_path / "printed.txt").read_text(encoding="utf-8")
    assert printed.split("\n")[0] == "USER.CREATE me"
    assert printed.count("USER.CREATE") == 1


@pytest.mark.parametrize("language", TRIED)
def test_receiver_loads_a_new_key_by_itself(language: str, tmp_path: Path) -> None:
    first, second = (rsa.generate_private_key(65537, 2048) for _ in range(2))
    with (
        _shown({"first": first}) as shown,
        _receiving(language, tmp_path, shown.url) as port,
    ):
        began_s = time.monotonic()
        assert _post(port, _signed(first, _claims())) == 200
        shown.keys["second"] = second
        # Known to us and not yet there: it must be sent again, and is not refused for good.
        for _ in range(20):
            status = _post(port, _signed(second, _claims(), kid="second"))
            assert status == (503 if shown.requests == 1 else 200)
        assert shown.requests <= 1 + _turns_since(began_s)
        _await_taken(port, _signed(second, _claims(), kid="second"))
        assert _post(port, _signed(first, _claims())) == 200
        assert shown.requests == 2


@pytest.mark.parametrize("language", TRIED)
def test_receiver_requests_a_retry_while_it_has_no_keys(language: str, tmp_path: Path) -> None:
    key = rsa.generate_private_key(65537, 2048)
    with _shown({"first": key}) as shown, _receiving(language, tmp_path, shown.url) as port:
        shown.is_broken = True
        began_s = time.monotonic()
        for _ in range(20):
            assert _post(port, _signed(key, _claims())) == 503
        # A delivery that no key verifies need not be repeated.
        assert _post(port, "") == 401
        assert 1 <= shown.requests <= 1 + _turns_since(began_s)
        shown.is_broken = False
        _await_taken(port, _signed(key, _claims()))
    # Nothing listens there any more.
    with _receiving(language, tmp_path, shown.url) as port:
        assert _post(port, _signed(key, _claims())) == 503


@pytest.mark.parametrize("language", TRIED)
def test_receiver_trusts_a_key_no_longer_than_it_is_shown(language: str, tmp_path: Path) -> None:
    first, second = (rsa.generate_private_key(65537, 2048) for _ in range(2))
    keys = {"first": first, "second": second}
    kept_s = 1
    with (
        _shown(keys) as shown,
        _receiving(language, tmp_path, shown.url, kept_s=kept_s) as port,
    ):
        for kid, key in keys.items():
            assert _post(port, _signed(key, _claims(), kid=kid)) == 200
        del shown.keys["first"]
        time.sleep(kept_s + 0.1)
        assert _post(port, _signed(second, _claims(), kid="second")) == 200
        assert _post(port, _signed(first, _claims())) == 503
        # Nothing is accepted once the remembered keys are old and can't be fetched again.
        shown.is_broken = True
        time.sleep(kept_s + 0.1)
        assert _post(port, _signed(second, _claims(), kid="second")) == 503


def _guide() -> str:
    return GUIDE.read_text(encoding="utf-8")


def _block(language: str) -> str:
    code = re.search(rf"^```{language}\n(.*?)^```$", _guide(), re.DOTALL | re.MULTILINE)
    assert code
    return code[1]


def _runtime(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"there is no {name} on this machine")
    return found


def _claims() -> dict[str, Any]:
    now = int(time.time())
    digest = hashlib.sha256(BODY).hexdigest()
    return {"aud": ENDPOINT, "iat": now, "exp": now + 300, "jti": "evt_01", "bodySha256": digest}


def _signed(key: rsa.RSAPrivateKey, claims: Claims, *, kid: str = "first") -> str:
    return jwt.encode(dict(claims), key, algorithm="RS256", headers={"kid": kid})


def _post(port: int, token: str | None, *, body: bytes = BODY) -> int:
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    request = Request(f"http://127.0.0.1:{port}/", data=body, headers=headers)
    try:
        with urlopen(request, timeout=10) as answer:  # noqa: S310  the address is right above
            return answer.status
    except HTTPError as error:
        return error.code


@dataclass
class Shown:
    """JWKS server: its address, its keys, and the number of requests."""

    keys: dict[str, rsa.RSAPrivateKey]
    url: str = ""
    requests: int = 0
    is_broken: bool = False


@contextmanager
def _shown(keys: Mapping[str, rsa.RSAPrivateKey]) -> Generator[Shown]:
    shown = Shown(dict(keys))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            shown.requests += 1
            found = {"keys": [_jwk(kid, key) for kid, key in shown.keys.items()]}
            content = json.dumps({"error": "BUSY"} if shown.is_broken else found).encode()
            self.send_response(503 if shown.is_broken else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    shown.url = f"http://127.0.0.1:{server.server_address[1]}/"
    yield shown
    server.shutdown()
    server.server_close()


def _jwk(kid: str, key: rsa.RSAPrivateKey) -> dict[str, str]:
    numbers = key.public_key().public_numbers()
    n, e = (
        base64.urlsafe_b64encode(each.to_bytes((each.bit_length() + 7) // 8)).rstrip(b"=").decode()
        for each in (numbers.n, numbers.e)
    )
    return {"kty": "RSA", "use": "sig", "alg": "RS256", "kid": kid, "n": n, "e": e}


@contextmanager
def _receiving(
    language: str, folder: Path, jwks: str, *, kept_s: int | None = None
) -> Generator[int]:
    """Run the receiver in this language; yield its port. It prints to `printed.txt`.

    With `kept_s` it caches keys for this long instead of five minutes.
    """
    command = LANGUAGES[language](folder, kept_s or KEPT_S)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with (folder / "printed.txt").open("wb") as printed:
        process = subprocess.Popen(
            [*command, str(port), jwks, ENDPOINT], cwd=folder, stdout=printed, stderr=printed
        )
    try:
        _await_port(port)
        yield port
    finally:
        process.terminate()
        process.wait(10)


def _turns_since(began_s: float) -> int:
    """Return the possible number of repeated key requests; a busy machine takes long."""
    return int((time.monotonic() - began_s) / KEY_REQUEST_INTERVAL_S)


def _await_taken(port: int, token: str) -> None:
    """Wait until it has requested keys again."""
    deadline_s = time.monotonic() + PATIENCE_S
    while (status := _post(port, token)) != 200:
        assert status == 503
        assert time.monotonic() < deadline_s
        time.sleep(0.5)


def _await_port(port: int) -> None:
    deadline_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline_s:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail("the receiver did not start")
