"""Local chains of a test, run by the command behind `make chains`."""

import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.chains.conftest import free_ports
from tests.providers.evm.anvil import anvil_binary
from tests.sources import ROOT

TIMEOUT_S = 60


@contextmanager
def running_chains(
    folder: Path, first_port: int, *arguments: str
) -> Generator["subprocess.Popen[str]"]:
    """Run the command until its configuration is written; interrupt it in the end."""
    command = [*command_of(folder), "--port", str(first_port), *arguments]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGINT)
            try:
                process.wait(TIMEOUT_S)
            except subprocess.TimeoutExpired:
                process.kill()
                raise


@contextmanager
def local_chains(configuration: Path) -> Generator[str]:
    """Run new chains with this configuration file; yield the address of the first node.

    Skips the test where the node can't be had.
    """
    anvil_binary()
    first_port = free_ports(4)
    configuration.parent.mkdir(mode=0o700)
    with running_chains(configuration.parent, first_port) as process:
        read_until_ready(process)
        yield f"127.0.0.1:{first_port}"


def read_until_ready(process: "subprocess.Popen[str]") -> list[str]:
    """Return the line of each chain, read until the command runs in the foreground."""
    assert process.stdout is not None
    lines: list[str] = []
    for line in process.stdout:
        if line.startswith("Configuration: "):
            return lines
        lines.append(line)
    pytest.fail(f"the chains did not start:\n{''.join(lines)}")


def command_of(folder: Path) -> list[str]:
    files = ["--out", str(folder / "chains.toml"), "--state", str(folder / "state")]
    return [sys.executable, "-m", "chains", *files]
