"""Packages for tests: the template of the guide as if it were installed, and hostile ones."""

import textwrap
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from landbridge.platform.core.clock import Clock
from landbridge.platform.db.pool import Database
from landbridge.platform.orgs.clock_nodes import take_node
from landbridge.providers.packages.client import CountedPackage
from landbridge.providers.packages.process import PackageProcess
from landbridge.providers.sidecar.configuration import read_providers_file
from tests.providers.sidecar.kit import TEMPLATES

TEMPLATE = TEMPLATES / "package"
WEBHOOK_SECRET = "a secret of the made-up bank"


def install(
    folder: Path, entries: Mapping[str, str], *, name: str = "acme", module: str | None = None
) -> Path:
    """Write a package as installers do; return the folder that holds it."""
    place = folder / f"{name}_site"
    information = place / f"{name}-1.0.dist-info"
    information.mkdir(parents=True)
    (information / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = "".join(f"{entry} = {value}\n" for entry, value in entries.items())
    (information / "entry_points.txt").write_text(f"[landbridge.providers]\n{lines}")
    if module is not None:
        (place / f"{name}_bank.py").write_text(module)
    return place


def put_on_path(monkeypatch: pytest.MonkeyPatch, *places: Path) -> None:
    """Have this process and those that it starts find packages there."""
    for place in places:
        monkeypatch.syspath_prepend(str(place))  # pyright: ignore[reportUnknownMemberType]
    monkeypatch.setenv("PYTHONPATH", ":".join(map(str, places)))


def install_template(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Install the template without a copy."""
    place = install(folder, {"made-up-bank": "made_up_bank:MadeUpBank"})
    put_on_path(monkeypatch, place, TEMPLATE)


def install_module(folder: Path, monkeypatch: pytest.MonkeyPatch, body: str) -> None:
    """Install the template under another module, of which `Adapter` is the entry point."""
    head = "import asyncio, os, sys, time\nfrom made_up_bank import *\n"
    module = head + textwrap.dedent(body)
    place = install(folder, {"made-up-bank": "acme_bank:Adapter"}, module=module)
    put_on_path(monkeypatch, place, TEMPLATE)


def write_file(folder: Path, *, is_test: bool = True, timeout_s: int = 15, more: str = "") -> Path:
    """Write a providers file with the package as `acme`, for wires.

    A busy machine takes seconds for a call. Identity allows no longer `timeout_s` than this.
    """
    (folder / "webhook").write_text(WEBHOOK_SECRET)
    path = folder / "providers.toml"
    path.write_text(
        f"""
[providers.acme]
package = "made-up-bank"
options = {{ data = "{folder}/orders.db", test = {str(is_test).lower()} }}
secret_files = {{ webhook = "webhook" }}
timeout_s = {timeout_s}

[[payouts]]
providers = ["acme"]
rails = ["wire"]
{more}"""
    )
    return path


def process_of(path: Path) -> PackageProcess:
    """Return the process of the package in a providers file."""
    settings = read_providers_file(path).sidecars["acme"]
    assert settings.package is not None
    return PackageProcess(settings, settings.package)


@asynccontextmanager
async def package_client(
    path: Path, database: Database, *, is_started: bool = True
) -> AsyncGenerator[CountedPackage]:
    """Yield the client of the package in a providers file.

    Its process is started first, as `landbridge worker` does: a call waits for a start only
    `timeout_s`. With `is_started=False` the first call starts it.
    """
    settings = read_providers_file(path).sidecars["acme"]
    assert settings.package is not None
    process = PackageProcess(settings, settings.package)
    client = CountedPackage(settings, Clock(await take_node(database)), database, process)
    try:
        if is_started:
            await process.start()
        yield client
    finally:
        await client.close()
        await process.close()
