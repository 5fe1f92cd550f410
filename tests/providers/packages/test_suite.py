"""The contract suite against the template, installed as a stranger installs it."""

import asyncio
import shutil
import sys
import sysconfig
from pathlib import Path

import pytest

import landbridge
from tests.providers.packages.kit import TEMPLATE, write_file

UV = Path(sys.executable).parent / "uv"


async def run(*command: object) -> str:
    process = await asyncio.create_subprocess_exec(
        *map(str, command), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    assert process.stdout is not None
    output = (await process.stdout.read()).decode()
    assert await process.wait() == 0, output
    return output


@pytest.mark.long
async def test_the_installed_template_passes(tmp_path: Path) -> None:
    environment, source = tmp_path / "environment", tmp_path / "source"
    shutil.copytree(TEMPLATE, source)
    await run(UV, "venv", "--quiet", "--python", sys.executable, environment)
    # The environment of an installation of Landbridge: this one.
    (site,) = environment.glob("lib/python*/site-packages")
    places = [sysconfig.get_path("purelib"), str(Path(landbridge.__file__ or "").parents[1])]
    (site / "landbridge.pth").write_text("\n".join(places))
    python = environment / "bin/python"
    await run(UV, "pip", "install", "--quiet", "--no-deps", "--python", python, source)
    path = write_file(tmp_path)
    output = await run(python, "-m", "landbridge", "adapters", "test", "acme", "--file", path)
    assert "70 passed, 0 failed, 1 skipped" in output
