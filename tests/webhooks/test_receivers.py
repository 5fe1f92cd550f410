"""The receivers of the guide, in Python, Node and Go, as printed there.

They refuse what they must, and ask to be sent again what they can't tell yet.
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

GUIDE = ROOT / "docs/guides/receive-webhooks.md"
ENDPOINT = str(uuid4())
BODY = json.dumps({"eventId": "evt_01", "eventType": "USER.CREATE", "objectId": "me"}).encode()
PATIENCE_S = 60
# For so long the receivers keep keys.
KEPT_S = 300
# And ask for them no more often than that.
ASKS_EVERY_S = 5

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


def _keeping(code: str, printed: str, wanted: str) -> str:
    """A receiver that keeps keys for as long as is wanted."""
    assert code.count(printed) == 1
    return code.replace(printed, wanted)


LANGUAGES: dict[str, Callable[[Path, int], list[str]]] = {
    "python": _python,
    "node": _node,
    "go": _go,
}


@pytest.mark.parametrize("language", LANGUAGES)
def test_receiver_takes_what_is_genuine_and_nothing_else(language: str, tmp_path: Path) -> None:
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
    # Delivered twice, taken once.
    printed = (tmp_path / "printed.txt").read_text(encoding="utf-8")
    assert printed.split("\n")[0] == "USER.CREATE me"
    assert printed.count("USER.CREATE") == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_receiver_takes_a_new_key_in_by_itself(language: str, tmp_path: Path) -> None:
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
            assert status == (503 if shown.asked == 1 else 200)
        assert shown.asked <= 1 + _turns_since(began_s)
        _await_taken(port, _signed(second, _claims(), kid="second"))
        assert _post(port, _signed(first, _claims())) == 200
        assert shown.asked == 2


@pytest.mark.parametrize("language", LANGUAGES)
def test_receiver_wants_again_what_comes_while_it_has_no_keys(
    language: str, tmp_path: Path
) -> None:
    key = rsa.generate_private_key(65537, 2048)
    with _shown({"first": key}) as shown, _receiving(language, tmp_path, shown.url) as port:
        shown.is_broken = True
        began_s = time.monotonic()
        for _ in range(20):
            assert _post(port, _signed(key, _claims())) == 503
        # What is wrong with any key need not come again.
        assert _post(port, "") == 401
        assert 1 <= shown.asked <= 1 + _turns_since(began_s)
        shown.is_broken = False
        _await_taken(port, _signed(key, _claims()))
    # Nobody listens there any more.
    with _receiving(language, tmp_path, shown.url) as port:
        assert _post(port, _signed(key, _claims())) == 503


@pytest.mark.parametrize("language", LANGUAGES)
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
        # Nor are keys that can't be read again.
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
    """A JWKS: its address, what is in it when it is asked for, and how often it was."""

    keys: dict[str, rsa.RSAPrivateKey]
    url: str = ""
    asked: int = 0
    is_broken: bool = False


@contextmanager
def _shown(keys: Mapping[str, rsa.RSAPrivateKey]) -> Generator[Shown]:
    shown = Shown(dict(keys))

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            shown.asked += 1
            found = {"keys": [_jwk(kid, key) for kid, key in shown.keys.items()]}
            told = json.dumps({"error": "BUSY"} if shown.is_broken else found).encode()
            self.send_response(503 if shown.is_broken else 200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

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
    """The port of the receiver in this language; what it prints goes to `printed.txt`.

    With `kept_s` it keeps keys for so long in place of its five minutes.
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
    """How often it may have asked again; on a busy machine twenty posts take their time."""
    return int((time.monotonic() - began_s) / ASKS_EVERY_S)


def _await_taken(port: int, token: str) -> None:
    """Until it has asked for keys again."""
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
