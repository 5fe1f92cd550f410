"""Simulated providers on this machine, and adapters as if they were installed."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from aiohttp import web

from tests.providers.packages.kit import install, put_on_path

ROOT = Path(__file__).parents[2]


@asynccontextmanager
async def serving(app: web.Application) -> AsyncGenerator[str]:
    """Serve an application on loopback; yield its address."""
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


def install_adapter(
    folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, entry_point: str
) -> None:
    """Install an adapter of the repository without a copy."""
    place = install(folder, {name: entry_point}, name=f"landbridge_{name}")
    put_on_path(monkeypatch, place, ROOT / "adapters" / name)


def recorded(name: str, file: str) -> Any:
    """Return a documented example, which names the page that it comes from."""
    content = (ROOT / "tests/adapters" / name / "recorded" / file).read_bytes()
    return msgspec.json.decode(content)
